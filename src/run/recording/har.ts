/** What a run has requested and received, as an HTTP Archive (HAR 1.2): https://w3c.github.io/web-performance/specs/HAR/Overview.html */

export interface HarHeader {
  readonly name: string;
  readonly value: string;
}

/** One exchange. */
export interface HarEntry {
  /** ISO 8601. */
  readonly startedDateTime: string;
  /** Milliseconds. */
  readonly time: number;
  readonly request: {
    readonly method: string;
    readonly url: string;
    readonly httpVersion: string;
    readonly cookies: readonly never[];
    readonly headers: readonly HarHeader[];
    readonly queryString: readonly HarHeader[];
    readonly postData?: { readonly mimeType: string; readonly text: string };
    readonly headersSize: -1;
    readonly bodySize: number;
  };
  /** Status 0: none came, `_error` says why. */
  readonly response: {
    readonly status: number;
    readonly statusText: string;
    readonly httpVersion: string;
    readonly cookies: readonly never[];
    readonly headers: readonly HarHeader[];
    readonly content: {
      readonly size: number;
      readonly mimeType: string;
      readonly text: string;
      /** Of a body that is no text. */
      readonly encoding?: 'base64';
    };
    readonly redirectURL: string;
    readonly headersSize: -1;
    readonly bodySize: number;
    /** The code of the error. */
    readonly _error?: string;
  };
  readonly cache: Readonly<Record<string, never>>;
  readonly timings: { readonly send: 0; readonly wait: number; readonly receive: 0 };
}

/** A recording; values that are secret are `***` in it. */
export interface Har {
  readonly log: {
    readonly version: '1.2';
    readonly creator: { readonly name: string; readonly version: string };
    readonly entries: readonly HarEntry[];
    /** The start of the run in Unix seconds: a replay starts at the same moment. */
    readonly _startedAt: number;
  };
}
