/** What errors are made with: faults of a configuration, and facts of what failed. */
import type { Headers, JobRef } from '../model';

/** What a program may want to tell apart among faults. */
export type FaultCode = 'MISTAKEN_KEY';

/** One thing that is wrong in a configuration, or a setting that has no effect there. */
export interface Fault {
  /** Path in the configuration, for example `api.pagination.method` or `config.jobs[0].endpoint`. */
  readonly path: string;
  readonly message: string;
  /** The key means nothing where it stands, and looks like one that does; a lenient reading goes on with a warning. */
  readonly code?: FaultCode;
}

/** A fault or a warning as one line: `path: message`. */
export const faultLine = ({ path, message }: Pick<Fault, 'path' | 'message'>): string =>
  path === '' ? message : `${path}: ${message}`;

/** What an error tells of what failed, as far as it is known. */
export interface RequestFacts {
  /** HTTP status of the response. */
  readonly status?: number;
  readonly method?: string;
  /** The URL with secrets masked; after redirects, the last one. */
  readonly url?: string;
  /** The headers of the response, where there is one, by lower-case name, with secrets masked. */
  readonly headers?: Headers;
  /** The job whose request it was; of a login, the job that waited for it. */
  readonly job?: JobRef;
  /** Which attempt failed: 1 for the first, 11 after ten retries. */
  readonly attempt?: number;
  /** Seconds that the API asks to wait before the next attempt. */
  readonly retryAfterSeconds?: number;
  /** The name of the table that could not be made or stored. */
  readonly table?: string;
  /** The destination that failed, as messages name it: with secrets masked. */
  readonly destination?: string;
  /** What is wrong at one place of the configuration: the message says the same in a line. */
  readonly fault?: Fault;
}

/** The names of all facts, in the order in which JSON has them. */
const FACTS: Readonly<Record<keyof RequestFacts, true>> = {
  status: true,
  method: true,
  url: true,
  headers: true,
  job: true,
  attempt: true,
  retryAfterSeconds: true,
  table: true,
  destination: true,
  fault: true,
};

/** What an error may be made with beside its message. */
export type ErrorDetails = { readonly [F in keyof RequestFacts]?: RequestFacts[F] | undefined } & {
  readonly cause?: unknown;
};

/** What an error tells of what failed. */
export function factsOf(error: RequestFacts): RequestFacts {
  const names = Object.keys(FACTS).filter((name) => Reflect.get(error, name) !== undefined);
  return Object.fromEntries(names.map((name) => [name, Reflect.get(error, name) as unknown]));
}
