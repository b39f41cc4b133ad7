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

/** What detection says: a value, how sure it is, and why. */
export type Confidence = 'sure' | 'likely' | 'unsure';

/** Something that was found in responses of an API. */
export interface Detected<T> {
  readonly value: T;
  /** `sure`: it was seen at work; `likely`: the response says so; `unsure`: it is a guess. */
  readonly confidence: Confidence;
  /** A sentence. */
  readonly reason: string;
}

/** A parameter of a query that a description of an API names. */
export interface DescribedParam {
  readonly name: string;
  /** Whether the API refuses requests without it. */
  readonly isRequired: boolean;
  /** What the API takes where it is left out. */
  readonly fallback?: Json;
  readonly minimum?: number;
  readonly maximum?: number;
}

/** What a description of an API, such as an OpenAPI document, says of one request and its response. */
export interface Described {
  /** All parameters of the query. */
  readonly params: readonly DescribedParam[];
  /** A response of the shape that is described, with one item; absent: the description does not say. */
  readonly sample?: Json;
}
