import type { Headers, Json } from '../../core/model';

/** A request and its response, as detection uses them. */
export interface Answer {
  /** Absolute, with the query. */
  readonly url: string;
  /** The JSON body of the request, or the parameters of its form, if it had one. */
  readonly requestBody?: Json;
  /** True if the body was a form. */
  readonly isForm?: boolean;
  readonly status: number;
  /** The headers by lower-case name. */
  readonly headers: Headers;
  /** The body; `undefined` for an empty one. */
  readonly data: Json | undefined;
}

/** Returns the value of a header, the first of several lines; a blank one counts as none. */
export function headerOf({ headers }: Pick<Answer, 'headers'>, name: string): string | undefined {
  const [first = ''] = [headers[name] ?? []].flat();
  return first.trim() === '' ? undefined : first.trim();
}

/** The confidence of detection in a value. */
export type Confidence = 'sure' | 'likely' | 'unsure';

/** Something that was found in responses of an API. */
export interface Detected<T> {
  readonly value: T;
  /** `sure`: it was verified by requests; `likely`: the response says so; `unsure`: it is a guess. */
  readonly confidence: Confidence;
  /** A sentence. */
  readonly reason: string;
}

/** A parameter of a query that a description of an API names. */
export interface DescribedParam {
  readonly name: string;
  /** True if the API refuses requests without it. */
  readonly isRequired: boolean;
  /** The default of the API. */
  readonly fallback?: Json;
  readonly minimum?: number;
  readonly maximum?: number;
}

/** The description of one request and its response, for example in an OpenAPI document. */
export interface Described {
  /** All parameters of the query. */
  readonly params: readonly DescribedParam[];
  /** A response of the described shape, with one item; absent: the description lacks it. */
  readonly sample?: Json;
}
