/**
 * What every part of the language has that a configuration can name: it is defined once, and everything else is made
 * from that.
 */
import type { Json, JsonObject } from '../../core/model';
import type { Fields } from './record';

/** One exchange of a worked example, as the API sees it. */
export interface ExampleExchange {
  /** Method, path and query, for example `GET /items?limit=2&offset=0`. */
  readonly request: string;
  /** Headers that the request must have. */
  readonly requestHeaders?: Readonly<Record<string, string>>;
  /** The body that the request must have. */
  readonly requestBody?: Json;
  /** The status of the response; default: 200. */
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** JSON, or the string that is the body. */
  readonly response: Json;
}

/** A configuration and all that happens when it runs. It stands in the manual, and a spec runs it. */
export interface WorkedExample {
  readonly about: string;
  /** The configuration, without `baseUrl`. */
  readonly config: { readonly api: JsonObject; readonly config: JsonObject; readonly authorization?: JsonObject };
  readonly exchanges: readonly ExampleExchange[];
  /** The items that the run gives. */
  readonly items: readonly Json[];
}

/** The page of a part in the manual. */
export interface ComponentManual {
  /** A summary of one sentence. */
  readonly summary: string;
  /** When to choose it. */
  readonly use: string;
  /** Sentences, in the order in which they are numbered. */
  readonly rules: readonly string[];
  readonly example: WorkedExample;
}

/** A part of the language; `kind` says which. */
export interface Component<K extends string = string, N extends string = string> extends ComponentManual {
  readonly kind: K;
  /** The name as configurations write it. */
  readonly name: N;
  /** Its keys. */
  readonly options: Fields;
}

/** What is wrong with an option, found once all options were read. */
export interface OptionFault {
  /** The key; absent: the object as a whole. */
  readonly option?: string;
  /** The message for a person; it holds no value that could be a secret. */
  readonly message: string;
}
