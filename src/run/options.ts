import type { SchedulerLike } from 'rxjs';
import type { Completeness } from '../core/evidence';
import type { Log } from '../core/log';
import type { JsonObject, Progress } from '../core/model';
import { didYouMean } from '../language/codec/finding';
import type { EnvironmentOptions } from '../language/environment';
import type { Part } from '../language/parts/parts';
import type { UnsetOption } from '../language/references/missing-secrets';
import type { EvidenceTracker } from '../sources/completeness/evidence-tracker';
import type { Har } from './recording';
import type { OnJobError } from './run-end';
import type { TransportChoice } from './sessions/sessions';
import type { SaveState } from './state/kept-credentials';
import type { ItemDecoders, ItemOf, ItemOptions, NoDecoders } from './streams/decoding';
import type { ItemEvent } from './streams/streams';
import type { Tunable } from './tuning';

/** How an extraction runs. Everything is optional. */
export interface ExtractOptions<D extends ItemDecoders = NoDecoders>
  extends TransportChoice, EnvironmentOptions, UnsetOption, ItemOptions<D> {
  /**
   * Jobs at once, or `auto`: as many as the API takes; default: `config.concurrency`, which is 1 unless given. Of an
   * Observable each value holds from when it comes, while runs go on.
   */
  readonly concurrency?: Tunable<number | 'auto'>;
  /**
   * Pages that may wait for a consumer that pulls, or drains; default: `config.prefetch`, which is 1 unless given. A job
   * that has a `prefetch` of its own keeps it.
   */
  readonly prefetch?: Tunable<number>;
  /** Where the events of each run are logged; default nowhere. winston's Logger fits. */
  readonly logger?: Log;
  /** Aborts every run: its streams fail with the signal's reason, its sockets close. */
  readonly signal?: AbortSignal;
  /**
   * Unix seconds: when the last successful run started (`time.previousStart`, docs/language/expressions.md#contexts);
   * default: as `state` says, or 0.
   */
  readonly previousStart?: number;
  /**
   * Goes on with a run that was broken off: since when it has run (Unix seconds), and where its calls stand, by the
   * `checkpoint` of the last page of each that is safe. Pages up to there are not requested again.
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
         * What these pages have told of the completeness of their jobs; without it, only later pages are judged.
         *
         * @internal
         */
        readonly evidence?: EvidenceTracker;
      }
    | undefined;
  /**
   * What to do when the run turns out to be incomplete (docs/completeness.md), where neither the configuration nor a job
   * says; default `error`: the streams give all items, and then fail with an `IncompleteError`.
   */
  readonly completeness?: Completeness;
  /**
   * What becomes of a run when one of its jobs fails, after its retries: `fail` ends it; with `continue` the other jobs go on, and
   * the streams fail at the end with a `JobsFailedError` that names each failure. Default `fail`.
   */
  readonly onJobError?: OnJobError;
  /** With `true`, warnings are errors: those of the configuration at once, those of a run at its end; default false. */
  readonly strict?: boolean;
  /**
   * Folder for the responses that a configuration with `cache` keeps (docs/language/configuration.md#cache); without
   * it, none are kept.
   */
  readonly cacheFolder?: string;
  /** Encrypts what is kept in `cacheFolder`: a string of at least 16 characters. Without a key, responses are readable. */
  readonly encryptionKey?: string;
  /**
   * What the last run left (docs/language/state.md#where-it-is-kept): `time.previousStart`, and what is kept of logins.
   */
  readonly state?: JsonObject;
  /**
   * Takes the state with what a login gave to be kept (docs/extensions/kept-credentials.md), before a request uses that
   * login. It must be stored whether or not the run succeeds; a run whose `onCredentials` fails fails with it.
   */
  readonly onCredentials?: SaveState;
  /**
   * Whether credentials are renewed by a margin before their end (docs/extensions/credentials.md); default: `true`. With
   * `false` only a margin of the configuration counts, as the language has it
   * (docs/language/authentication.md#renewal).
   */
  readonly renewEarly?: boolean;
  /** Keys like others (`pagniation`) and incomplete runs are warnings; default: errors (`MISTAKEN_KEY`, `INCOMPLETE`). */
  readonly lenient?: boolean;
  /**
   * Parts of the language that the application adds, made by `defineFunction` and the like (`headwater/components`). The
   * configuration names them as it names those of Headwater.
   */
  readonly components?: readonly Part[];
  /** Keeps the time of retries, limits, expiry and polling; with `virtualTime()` (docs/testing.md) nobody waits for it. */
  readonly scheduler?: SchedulerLike;
  /** Takes what each run has requested and received, without secrets, when it is over; `replay` runs it again (docs/testing.md). */
  readonly record?: (recording: Har) => void;
  /** Hears the events of every run, whichever of the streams below started it. Must not throw. */
  readonly onEvent?: (event: ItemEvent<ItemOf<D>>) => void;
}

/** Options that the compiler has not seen: a slip in one would otherwise count as another value, or as none. */

/** The names of options, so that the compiler misses one that is not here. */
type Names<O> = Readonly<Record<keyof O, true>>;

const OF_EXTRACT: Names<ExtractOptions> = {
  ...{ concurrency: true, prefetch: true, logger: true, signal: true, previousStart: true, resume: true },
  ...{ completeness: true, onJobError: true, strict: true, cacheFolder: true, encryptionKey: true, state: true },
  ...{ onCredentials: true, renewEarly: true, lenient: true, components: true, scheduler: true, record: true },
  ...{ onEvent: true, dispatcher: true, fetch: true, ownConnections: true, plainRetries: true, proxies: true },
  ...{ items: true, onInvalid: true, bigints: true },
  ...{ env: true, secretFiles: true, secrets: true, unset: true },
};

const OF_DELIVER = {
  ...{ tableNaming: true, acceptIncomplete: true, allowEmpty: true, runId: true, runColumns: true },
  configurationName: true,
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

/** The options that are one of a few words. */
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
 * Refuses options whose names look like those of others, as keys of a configuration are. What else an object has that is given as
 * options, such as a scripted API, does no harm.
 *
 * @param more further names, of the place where the options stand
 * @throws RangeError which says what may be meant
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
 * Refuses values that options of `extract` do not have.
 *
 * @throws RangeError that lists the words that may be; TypeError for what is of another type
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

/** A value in a message, by its kind where it is an object: `"Fail"`, `3`, `an object`. */
export const shown = (value: unknown): string => {
  if (typeof value === 'string') return JSON.stringify(value);
  if (Array.isArray(value)) return 'an array';
  if (typeof value === 'object' && value !== null) return 'an object';
  return typeof value === 'function' ? 'a function' : String(value);
};
