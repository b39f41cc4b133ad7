import type { SchedulerLike } from 'rxjs';
import type { Tally } from '../core/events';
import type { Completeness } from '../core/evidence';
import type { Log } from '../core/log';
import type { JsonObject, PagesHere, Progress } from '../core/model';
import { didYouMean } from '../language/codec/finding';
import type { EnvironmentOptions } from '../language/environment';
import type { Part } from '../language/parts/parts';
import type { UnsetOption } from '../language/references/read';
import type { EvidenceTracker } from '../sources/completeness/judgement';
import type { Har } from './recording';
import type { OnJobError } from './run-end';
import type { TransportChoice } from './sessions/sessions';
import type { SharedSession } from './sessions/shared-session';
import type { SaveState } from './state/kept-credentials';
import type { ItemDecoders, ItemOf, ItemOptions, NoDecoders } from './streams/decoding';
import type { ItemEvent } from './streams/streams';
import type { Tunable } from './tuning';

/** The options of an extraction; all are optional. */
export interface ExtractOptions<D extends ItemDecoders = NoDecoders>
  extends TransportChoice, EnvironmentOptions, UnsetOption, ItemOptions<D> {
  /**
   * How many jobs run at once, or `auto`, which finds the number that the API accepts; default: `config.concurrency`, which is 1 by
   * default. Each value of an Observable applies from its arrival, during runs as well.
   */
  readonly concurrency?: Tunable<number | 'auto'>;
  /**
   * How many pages may wait for a consumer that pulls, or drains; default: `config.prefetch`, which is 1 by default. A job with its own
   * `prefetch` keeps it.
   */
  readonly prefetch?: Tunable<number>;
  /** The log for the events of each run; default: none. winston's Logger fits. */
  readonly logger?: Log;
  /** Aborts every run: its streams fail with the signal's reason, its sockets close. */
  readonly signal?: AbortSignal;
  /**
   * Unix seconds: the start of the last successful run (`time.previousStart`, docs/language/expressions.md#contexts); default: that of
   * `state`, or 0.
   */
  readonly previousStart?: number;
  /**
   * Resumes an interrupted run: its start (Unix seconds), and the `checkpoint` of the last stored page of each call. Pages up to there are
   * not requested again.
   */
  readonly resume?:
    | {
        readonly startedAt: number;
        readonly progress: Progress;
        /**
         * The id of the run; default: a random one for each run.
         *
         * @internal
         */
        readonly id?: string;
        /**
         * The evidence of the stored pages about the completeness of their jobs; without it, only later pages are judged.
         *
         * @internal
         */
        readonly evidence?: EvidenceTracker;
        /**
         * Returns whether a call is made, by its key; default: each is. Other processes make the others.
         *
         * @internal
         */
        readonly owns?: (call: readonly number[]) => boolean;
        /**
         * Returns how many more pages of a call are requested; default: all. Other processes request the others.
         *
         * @internal
         */
        readonly pagesHere?: PagesHere;
        /**
         * The session that they share at the API.
         *
         * @internal
         */
        readonly shared?: SharedSession;
      }
    | undefined;
  /**
   * How an incomplete run is treated (docs/completeness.md), if neither the configuration nor a job says it; default `error`: the streams
   * emit all items, and then fail with an `IncompleteError`.
   */
  readonly completeness?: Completeness;
  /**
   * The effect of a job that fails after its retries: `fail` ends the run; with `continue` the other jobs continue, and the streams fail at
   * the end with a `JobsFailedError` that names each failure. Default `fail`.
   */
  readonly onJobError?: OnJobError;
  /** If `true`, warnings are errors: those of the configuration at once, those of a run at its end; default false. */
  readonly strict?: boolean;
  /**
   * The folder for the responses that a configuration with `cache` keeps (docs/language/configuration.md#cache); without it, none are kept.
   */
  readonly cacheFolder?: string;
  /** The key that encrypts `cacheFolder`: a string of at least 16 characters. Without a key, responses are readable. */
  readonly encryptionKey?: string;
  /** The state after the last run (docs/language/state.md#where-it-is-kept): `time.previousStart`, and the kept credentials. */
  readonly state?: JsonObject;
  /**
   * Receives the state with the values of a login to keep (docs/language/authentication.md#kept-tokens), before a request uses that login. It must
   * be stored whether or not the run succeeds; if `onCredentials` fails, the run fails with its error.
   */
  readonly onCredentials?: SaveState;
  /**
   * True if credentials are renewed some time before their end (docs/language/authentication.md#renewal); default: `true`. With `false` only a
   * margin of the configuration counts, as the language specifies (docs/language/authentication.md#renewal).
   */
  readonly renewEarly?: boolean;
  /** If `true`, misspelled keys (`pagniation`) and incomplete runs are warnings; default: errors (`MISTAKEN_KEY`, `INCOMPLETE`). */
  readonly lenient?: boolean;
  /**
   * Parts that the application adds to the language, made by `defineFunction` and similar functions (`headwater/components`). The
   * configuration names them like built-in ones.
   */
  readonly components?: readonly Part[];
  /** The clock for retries, limits, expiry and polling; with `virtualTime()` (docs/testing.md) no real time passes. */
  readonly scheduler?: SchedulerLike;
  /** Receives the requests and responses of each run, without secrets, at its end; `replay` runs them again (docs/testing.md). */
  readonly record?: (recording: Har) => void;
  /** Is called with the events of every run, whichever stream started it. Must not throw. */
  readonly onEvent?: (event: ItemEvent<ItemOf<D>>) => void;
  /**
   * Counts every run, such as a `RunCounter`. It costs less than an `onEvent` that counts: without one, events of single requests and of
   * calls of children are counted and not made.
   */
  readonly counter?: Tally;
}

/**
 * The names of options; a missing name does not compile. Options that TypeScript has not checked are checked at run time, since a
 * misspelled one would otherwise be ignored.
 */
type Names<O> = Readonly<Record<keyof O, true>>;

const OF_EXTRACT: Names<ExtractOptions> = {
  ...{ concurrency: true, prefetch: true, logger: true, signal: true, previousStart: true, resume: true },
  ...{ completeness: true, onJobError: true, strict: true, cacheFolder: true, encryptionKey: true, state: true },
  ...{ onCredentials: true, renewEarly: true, lenient: true, components: true, scheduler: true, record: true },
  ...{
    onEvent: true,
    counter: true,
    dispatcher: true,
    fetch: true,
    ownConnections: true,
    plainRetries: true,
    proxies: true,
  },
  ...{ items: true, onInvalid: true, bigints: true },
  ...{ env: true, secretFiles: true, secrets: true, unset: true },
};

const OF_DELIVER = {
  ...{ tableNaming: true, acceptIncomplete: true, allowEmpty: true, takeOver: true, runId: true, runColumns: true },
  ...{ configurationName: true, onCommitted: true },
};

const OF_CLIENT = {
  ...{
    dispatcher: true,
    fetch: true,
    proxies: true,
    plainRetries: true,
    cacheFolder: true,
    encryptionKey: true,
    renewEarly: true,
  },
  ...{ onCredentials: true, components: true, scheduler: true, logger: true, signal: true, state: true, lenient: true },
  ...{ concurrency: true, rate: true, paused: true, credentials: true, sections: true, onEvent: true },
  ...{ env: true, secretFiles: true, secrets: true },
};

const OPTIONS = {
  extract: Object.keys(OF_EXTRACT),
  deliver: Object.keys({ ...OF_EXTRACT, ...OF_DELIVER }),
  client: Object.keys(OF_CLIENT),
};

/** The options with a fixed set of words as values. */
const WORDS = {
  onJobError: ['fail', 'continue'],
  completeness: ['error', 'warn', 'off'],
  bigints: ['bigint', 'string', 'number'],
  unset: ['fault', 'stand in'],
} satisfies Partial<Record<keyof ExtractOptions, readonly string[]>>;

const FLAGS = [
  'strict',
  'lenient',
  'renewEarly',
  'ownConnections',
  'plainRetries',
] as const satisfies readonly (keyof ExtractOptions)[];

/**
 * Refuses options whose names are similar to known ones, as for keys of a configuration. Other members of an object that is passed as
 * options, such as a scripted API, are accepted.
 *
 * @param more further names, of the place of the options
 * @throws RangeError that suggests the intended name
 * @example checkNames('extract', { concurency: 2 }) // options.concurency is no option of extract; did you mean "concurrency"?
 */
export function checkNames(of: keyof typeof OPTIONS, options: object, more: readonly string[] = []): void {
  const names = [...OPTIONS[of], ...more];
  for (const [name, value] of Object.entries(options)) {
    const advice = value === undefined || names.includes(name) ? '' : didYouMean(name, names);
    if (advice !== '') throw new RangeError(`options.${name}: is no option of ${of}${advice}`);
  }
}

/**
 * Refuses invalid values of options of `extract`.
 *
 * @throws RangeError that lists the possible words; TypeError for another type
 */
export function checkValues(
  options: Pick<ExtractOptions, keyof typeof WORDS | (typeof FLAGS)[number] | 'onInvalid'>,
): void {
  for (const [name, words] of Object.entries(WORDS)) {
    const value: unknown = Reflect.get(options, name);
    if (value !== undefined && !words.some((word) => word === value))
      throw new RangeError(`options.${name}: expected ${oneOf(words)}, found ${shown(value)}`);
  }
  for (const name of FLAGS) {
    const value: unknown = options[name];
    if (value !== undefined && typeof value !== 'boolean')
      throw new TypeError(`options.${name}: expected true or false, found ${shown(value)}`);
  }
  const onInvalid: unknown = options.onInvalid;
  if (onInvalid !== undefined && !takesValues(onInvalid))
    throw new TypeError(`options.onInvalid: expected a function or a Subject, found ${shown(onInvalid)}`);
}

const takesValues = (value: unknown): boolean =>
  typeof value === 'function' ||
  (typeof value === 'object' && value !== null && 'next' in value && typeof value.next === 'function');

/** @example oneOf(['error', 'warn', 'off']) // 'error, warn or off' */
export const oneOf = (words: readonly string[]): string =>
  `${words.slice(0, -1).join(', ')} or ${words.slice(-1).join('')}`;

/** Returns a value for a message, with objects by their kind: `"Fail"`, `3`, `an object`. */
export const shown = (value: unknown): string => {
  if (typeof value === 'string') return JSON.stringify(value);
  if (Array.isArray(value)) return 'an array';
  if (typeof value === 'object' && value !== null) return 'an object';
  return typeof value === 'function' ? 'a function' : String(value);
};
