import type { SchedulerLike } from 'rxjs';
import type { Part } from '../language/parts/parts';
import type { EnvironmentOptions } from '../language/environment';
import type { Completeness } from '../core/evidence';
import type { OnJobError } from './job-failures';
import type { Log } from '../core/log';
import type { JsonObject, Progress } from '../core/model';
import type { Har } from './recording/har';
import type { TransportChoice } from './sessions/sessions';
import type { EvidenceTracker } from '../sources/completeness/evidence-tracker';
import type { SaveState } from './state/credential-store';
import type { ItemDecoders, ItemOf, ItemOptions, NoDecoders } from './streams/decoders-of-jobs';
import type { ItemEvent } from './streams/streams';
import type { Tunable } from './tuning/tunable';
import type { UnsetOption } from '../language/references/missing-secrets';

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
