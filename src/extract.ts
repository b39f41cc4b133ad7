import { concatMap, defer, filter, from, map, tap } from 'rxjs';
import type { Observable, ObservableInput } from 'rxjs';
import type { WrittenDestination } from './config/destinations/written';
import { ConfigurationError } from './errors';
import type { Fault } from './errors';
import type { RunEvent } from './events';
import { toAsyncIterable } from './interop/async-iterable';
import { flattenIterable } from './interop/flatten-iterable';
import { logEvents } from './log';
import type { Log } from './log';
import type { Part } from './config/parts/parts';
import type { Completeness } from './evidence';
import type { Item, JsonObject, Page, Progress } from './model';
import { boundedWindow } from './operators';
import type { DrainOptions, WindowGate } from './operators';
import { untilAborted } from './operators/until-aborted';
import type { OutputPlan } from './plan/plan';
import type { Planned } from './plan/plan-run';
import { checkInteger, checkTransport, destinationsOf, prepare, withCacheWarning } from './prepare';
import type { Prepared } from './prepare';
import { tellingWhereToGoOn } from './resume-point';
import { run } from './run';
import type { TransportChoice } from './run';
import { createSeal } from './sealed';
import { Secrets } from './secrets';
import type { EvidenceTracker } from './sources/completeness/evidence-tracker';
import { createConcurrency } from './sources/concurrency';
import { credentialStore } from './state/credential-store';
import { cursorsOf } from './state/cursors';
import type { SaveState } from './state/credential-store';
import { previousStartOf } from './state/next-state';

/** How an extraction runs. Everything is optional. */
export interface ExtractOptions extends TransportChoice {
  /** Jobs at once; default: `config.concurrency`, which is 1 unless given. */
  readonly concurrency?: number;
  /**
   * Pages that may wait for a consumer that pulls, or drains; default: `config.prefetch`, which is 1 unless given. A job
   * that has a `prefetch` of its own keeps it.
   */
  readonly prefetch?: number;
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
   * {@link Page.checkpoint} of the last page of each that is safe. Pages up to there are not requested again.
   */
  readonly resume?: {
    readonly startedAt: number;
    readonly progress: Progress;
    /**
     * What these pages have told of the completeness of their jobs; without it, only later pages are judged.
     *
     * @internal
     */
    readonly evidence?: EvidenceTracker;
  };
  /**
   * What to do when the run turns out to be incomplete (docs/completeness.md), where neither the configuration nor a job
   * says; default `error`: the streams give all items, and then fail with an `IncompleteError`.
   */
  readonly completeness?: Completeness;
  /** Whether warnings are errors: those of the configuration at once, those of a run at its end; default false. */
  readonly strict?: boolean;
  /**
   * Folder for the responses that a configuration with `cache` keeps (docs/language/configuration.md#cache); without
   * it, none are kept.
   */
  readonly cacheFolder?: string;
  /**
   * Encrypts what is kept in `cacheFolder`: a string of at least 16 characters. Without a key, responses are readable.
   */
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
  /**
   * Keys that look like others (`pagniation`) are warnings, and so is an incomplete run; default: both are errors
   * (`MISTAKEN_KEY`, `INCOMPLETE`).
   */
  readonly lenient?: boolean;
  /**
   * Parts of the language that the application adds, made by `defineFunction` and the like (`headwater/components`). The
   * configuration names them as it names those of Headwater.
   */
  readonly components?: readonly Part[];
  /** Hears the events of every run, whichever of the streams below started it. Must not throw. */
  readonly onEvent?: (event: RunEvent) => void;
}

/**
 * A configuration, ready to run. Nothing happens before a subscription, and **each subscription is a run of its own**:
 * to use several streams of one run, share `events$` (`events$.pipe(share())`) or give `onEvent`.
 */
export interface Extraction extends AsyncIterable<Item> {
  /** The items of all jobs. */
  readonly items$: Observable<Item>;
  /** The pages of all jobs, with their job, response and checkpoint. */
  readonly pages$: Observable<Page>;
  /** All that happens in a run, pages included. */
  readonly events$: Observable<RunEvent>;
  /** The pages, pulled: no more of them are requested than the consumer has taken, but for those that may wait. */
  readonly pages: () => AsyncIterable<Page>;
  /**
   * The pages, held back by a gate: it is asked before each page, with the number of pages that may wait. For consumers
   * with a window of their own (`boundedWindow`); {@link Extraction.drain} is the short way.
   */
  readonly pagesBehind: (gate: WindowGate) => Observable<Page>;
  /**
   * Works on one page after another, and requests no more than may wait meanwhile.
   *
   * @param work gives an Observable, a promise or an async iterable; the next page waits for its end
   * @param options `concurrency`: how many pages are worked on at once, 1 unless given; what comes of them keeps the order of the
   * pages, unless `ordered` is false
   * @returns what the work gives; cold
   * @example extraction.drain((page) => database.insert(page.items)).subscribe({ complete: () => console.log('done') });
   */
  readonly drain: <R>(work: (page: Page, index: number) => ObservableInput<R>, options?: DrainOptions) => Observable<R>;
  /**
   * Changes how much runs at once, now and in later runs of this extraction: calls of the children of a job, or, for
   * `undefined`, jobs. What runs already is not broken off.
   *
   * @param job the id of the job
   * @param atOnce an integer from 1
   * @throws RangeError when there is no job of this id, or the number is none
   */
  readonly setConcurrency: (job: string | undefined, atOnce: number) => void;
  /** Settings that have no effect, deprecated spellings. */
  readonly warnings: readonly Fault[];
  /** Where the tables of each run belong, by {@link Page.iteration}. */
  readonly outputs: readonly OutputPlan[];
  /** The destinations that the configuration names (`config.sinks`), as `destinationOf` takes them. */
  readonly sinks: readonly WrittenDestination[];
}

/**
 * Prepares the extraction that a configuration describes (docs/language/README.md): logs in where it says so, pages
 * through each job, and gives the items as streams.
 *
 * @param config the configuration, parsed: `{ api, config }`, or the same under `parameters`
 * @param options concurrency, transport, logger, abort signal
 * @throws ConfigurationError with every fault at once, before any request
 * @example
 * const extraction = extract({ api: { baseUrl: 'https://api.example' }, config: { jobs: [{ endpoint: 'users' }] } });
 * extraction.items$.subscribe((user) => console.log(user));
 * for await (const user of extraction) console.log(user);
 */
export const extract = (config: unknown, options: ExtractOptions = {}): Extraction =>
  extractPrepared(prepare(config, options), options);

/** Does as {@link extract}, with a configuration that was decoded and planned before. */
export function extractPrepared({ secrets, ...prepared }: Prepared, options: ExtractOptions): Extraction {
  const { logger, signal, onEvent, state = {}, onCredentials = () => undefined, ...others } = options;
  const { cacheFolder, encryptionKey, prefetch, previousStart = previousStartOf(state), resume, ...more } = others;
  const { concurrency: jobsAtOnce, completeness = 'error', strict = false, lenient = false, ...rest } = more;
  const { renewEarly = true, components = [], ...transport } = rest;
  const { startedAt, progress = new Map(), evidence } = resume ?? {};
  checkInteger('concurrency', 1, jobsAtOnce);
  checkInteger('prefetch', 0, prefetch);
  checkTransport(prepared.planned, transport);
  const planned = withCacheWarning(prepared.planned, cacheFolder);
  if (strict && planned.warnings.length > 0) throw new ConfigurationError(planned.warnings);
  const store = credentialStore(state, loginsOf(planned), onCredentials);
  const log = logger === undefined ? undefined : logEvents(logger);
  const concurrency = createConcurrency(planned.iterations, jobsAtOnce);
  const shared = {
    concurrency,
    prefetch,
    previousStart,
    startedAt,
    progress,
    evidence,
    completeness,
    lenient,
    strict,
    transport,
    middleware: components.filter((part) => part.kind === 'middleware'),
    cacheFolder,
    seal: encryptionKey === undefined ? undefined : createSeal(encryptionKey),
    store,
    renewEarly,
    cursors: cursorsOf(state),
  };
  const started = (gate: WindowGate): Observable<RunEvent> =>
    defer(() => run(planned, { ...shared, secrets: new Secrets(secrets), gate })).pipe(
      untilAborted(signal),
      tap((event) => {
        log?.(event);
        onEvent?.(event);
      }),
    );
  const pagesOf = (events: Observable<RunEvent>): Observable<Page> =>
    events.pipe(
      filter((event) => event.type === 'page.extracted'),
      map(({ page }) => page),
    );
  const open: WindowGate = () => from([0]);
  const told = tellingWhereToGoOn(progress);
  const events$ = started(open).pipe(told);
  const pages$ = pagesOf(events$);
  const pagesBehind = (gate: WindowGate): Observable<Page> => pagesOf(started(gate));
  const pages = (): AsyncIterable<Page> => toAsyncIterable((gate) => pagesOf(started(gate).pipe(told)));
  return {
    events$,
    pages$,
    items$: pages$.pipe(concatMap(({ items }) => from(items))),
    pages,
    pagesBehind,
    drain: (work, tuning) =>
      defer(() => {
        const { gate, drain } = boundedWindow();
        return pagesBehind(gate).pipe(drain(work, tuning));
      }),
    setConcurrency: concurrency.set,
    warnings: planned.warnings,
    ...destinationsOf(planned),
    [Symbol.asyncIterator]: () => flattenIterable(pages(), ({ items }) => items)[Symbol.asyncIterator](),
  };
}

/** The logins that need what earlier ones gave. */
export const loginsOf = ({ iterations }: Planned): readonly string[] =>
  iterations.flatMap(({ authentication }) => authentication?.keeps ?? []);
