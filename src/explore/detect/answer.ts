import type { Headers, Json } from '../../core/model';

/** A request and what the API answered, as detection looks at it. */
export interface Answer {
  /** Absolute, with the query. */
  readonly url: string;
  /** The JSON body of the request, if it had one. */
  readonly requestBody?: Json;
  readonly status: number;
  /** By lower-case name. */
  readonly headers: Headers;
  /** The body; `undefined` for an empty one. */
  readonly data: Json | undefined;
}

/** The value of a header, of several lines the first; a blank one counts as none. */
export function headerOf({ headers }: Pick<Answer, 'headers'>, name: string): string | undefined {
  const [first = ''] = [headers[name] ?? []].flat();
  return first.trim() === '' ? undefined : first.trim();
}
