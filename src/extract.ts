import { concatMap, defer, filter, from, map, tap } from 'rxjs';
import type { Observable } from 'rxjs';
import { decodeConfiguration } from './config/decode';
import { secretValues } from './config/secret-values';
import { ConfigurationError } from './errors';
import type { Fault } from './errors';
import type { RunEvent } from './events';
import { toAsyncIterable } from './interop/async-iterable';
import { flattenIterable } from './interop/flatten-iterable';
import { logEvents } from './log';
import type { Log } from './log';
import type { Item, Json, JsonObject, Page } from './model';
import { untilAborted } from './operators/until-aborted';
import type { OutputPlan } from './plan/plan';
import { planConfiguration } from './plan/plan-run';
import type { Planned } from './plan/plan-run';
import { run } from './run';
import type { TransportChoice } from './run';
import { Secrets } from './secrets';
import { mappingFaults } from './tables/mapping';
import { credentialStore } from './state/credential-store';
import type { SaveState } from './state/credential-store';
import { previousStartOf } from './state/next-state';

/** How an extraction runs. Everything is optional. */
export interface ExtractOptions extends TransportChoice {
  /** Jobs at once; default 1: in the order of the configuration, one after another. */
  readonly concurrency?: number;
  /** Where the events of each run are logged; default nowhere. winston's Logger fits. */
  readonly logger?: Log;
  /** Aborts every run: its streams fail with the signal's reason, its sockets close. */
  readonly signal?: AbortSignal;
  /** Unix seconds: when the last successful run started (`time.previousStart`, language 7.1); default: as `state` says, or 0. */
  readonly previousStart?: number;
  /** Folder for the responses that a configuration with `cache` keeps (language 1.8); without it, none are kept. */
  readonly cacheFolder?: string;
  /** What the last run left (language 8.13): `time.previousStart`, and what is kept of logins. */
  readonly state?: JsonObject;
  /**
   * Takes the state with what a login gave to be kept (docs/extensions/kept-credentials.md), before a request uses that
   * login. It must be stored whether or not the run succeeds; a run whose `onCredentials` fails fails with it.
   */
  readonly onCredentials?: SaveState;
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
  /** The pages, pulled: nothing is requested before the consumer asks for it. */
  readonly pages: () => AsyncIterable<Page>;
  /** Settings that have no effect, deprecated spellings. */
  readonly warnings: readonly Fault[];
  /** Where the tables of each run belong, by {@link Page.run}. */
  readonly outputs: readonly OutputPlan[];
}

/**
 * Prepares the extraction that a configuration describes (specification 1): logs in where it says so, pages through each
 * job, and gives the items as streams.
 *
 * @param config the configuration, parsed: `{ api, config }`, or the same under `parameters`
 * @param options concurrency, transport, logger, abort signal
 * @throws ConfigurationError with every fault at once, before any request
 * @example
 * const extraction = extract({ api: { baseUrl: 'https://api.example' }, config: { jobs: [{ endpoint: 'users' }] } });
 * extraction.items$.subscribe((user) => console.log(user));
 * for await (const user of extraction) console.log(user);
 */
export function extract(config: unknown, options: ExtractOptions = {}): Extraction {
  const { secrets, ...prepared } = prepare(config);
  const { logger, signal, onEvent, state = {}, onCredentials = () => undefined, cacheFolder, ...others } = options;
  const { concurrency = 1, previousStart = previousStartOf(state), ...transport } = others;
  checkConcurrency(concurrency);
  checkTransport(prepared.planned, transport);
  const planned = withCacheWarning(prepared.planned, cacheFolder);
  const store = credentialStore(state, loginsOf(planned), onCredentials);
  const log = logger === undefined ? undefined : logEvents(logger);
  const started = (gate: () => Observable<unknown>): Observable<RunEvent> =>
    defer(() =>
      run(planned, { concurrency, previousStart, transport, cacheFolder, secrets: new Secrets(secrets), store, gate }),
    ).pipe(
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
  const open = (): Observable<unknown> => from([0]);
  const events$ = started(open);
  const pages$ = pagesOf(events$);
  const pages = (): AsyncIterable<Page> => toAsyncIterable((gate) => pagesOf(started(gate)));
  return {
    events$,
    pages$,
    items$: pages$.pipe(concatMap(({ items }) => from(items))),
    pages,
    warnings: planned.warnings,
    outputs: planned.runs.map(({ output }) => output),
    [Symbol.asyncIterator]: () => flattenIterable(pages(), ({ items }) => items)[Symbol.asyncIterator](),
  };
}

/**
 * Checks a configuration without running it.
 *
 * @returns the number of jobs, and warnings
 * @throws ConfigurationError with every fault at once
 * @example validate(config).warnings.forEach(({ path, message }) => console.warn(path, message));
 */
export function validate(config: unknown): { readonly jobs: number; readonly warnings: readonly Fault[] } {
  const { planned } = prepare(config);
  return { jobs: planned.runs.reduce((sum, { jobs }) => sum + jobs.length, 0), warnings: planned.warnings };
}

function prepare(config: unknown): { readonly planned: Planned; readonly secrets: readonly string[] } {
  // The decoder decides whether it is a configuration; until then only its secrets are known.
  const secrets = secretValues(config as Json);
  const registry = new Secrets(secrets);
  const masked = (faults: readonly Fault[]): Fault[] =>
    faults.map(({ path, message }) => ({ path, message: registry.mask(message) }));
  const refuse = (faults: readonly Fault[]): never => {
    throw new ConfigurationError(masked(faults));
  };
  const decoded = decodeConfiguration(config);
  const planned = decoded._tag === 'Left' ? decoded : planConfiguration(decoded.right);
  if (planned._tag === 'Left') return refuse(planned.left);
  const mappings = new Set(
    planned.right.runs.flatMap(({ output: { mappings: each } }) => (each === undefined ? [] : [each])),
  );
  const faults = [...mappings].flatMap((each) => mappingFaults(each));
  if (faults.length > 0) return refuse(faults);
  return { planned: { ...planned.right, warnings: masked(planned.right.warnings) }, secrets };
}

function checkConcurrency(concurrency: number): void {
  if (Number.isInteger(concurrency) && concurrency >= 1) return;
  throw new RangeError(`options.concurrency: expected a whole number from 1, found ${concurrency}`);
}

/** Requests that are meant for a tunnel must not leave by another way. */
function checkTransport({ sshProxy }: Planned, { dispatcher, fetch }: TransportChoice): void {
  if (sshProxy === undefined || (dispatcher === undefined && fetch === undefined)) return;
  const message = 'makes connections of its own: it cannot be used with the options dispatcher and fetch';
  throw new ConfigurationError([{ path: 'sshProxy', message }]);
}

function withCacheWarning(planned: Planned, folder: string | undefined): Planned {
  if (folder !== undefined || planned.runs.every(({ http }) => http.cache === undefined)) return planned;
  const message = 'has no effect: no folder was given for it (option cacheFolder)';
  return { ...planned, warnings: [...planned.warnings, { path: 'cache', message }] };
}

/** The logins that need what earlier ones gave. */
const loginsOf = ({ runs }: Planned): readonly string[] =>
  runs.flatMap(({ authentication }) =>
    authentication.type === 'login' && authentication.kept !== undefined ? [authentication.kept.login] : [],
  );
