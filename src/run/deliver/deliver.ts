/** Delivery: writes each page of a run to durable sinks, exactly once. */
import { asyncScheduler } from 'rxjs';
import type {
  CommittedRun,
  DurableSink,
  EmptyTables,
  RunFacts,
  RunManifest,
  Standing,
  Stored,
} from '../../core/durable-sink';
import { ConfigurationError, IncompleteError, JobsFailedError, faultLine } from '../../core/errors/errors';
import type { JobOutcome, Outcome, RunEvent } from '../../core/events';
import { merge } from '../../core/json/objects';
import { valueAt } from '../../core/json/path';
import { failOnWarning, reportTo, warnTo } from '../../core/log';
import type { Warn } from '../../core/log';
import type { Json, JsonObject, Page } from '../../core/model';
import { maskedError, masks } from '../../core/secrets/masking';
import { Secrets } from '../../core/secrets/secrets';
import { version } from '../../core/version';
import { configurationIn, fingerprintOf } from '../../language/configuration/fingerprint';
import type { Destination } from '../../language/parts/sink';
import type { Configuration } from '#written';
import { toAsyncIterable } from '../../operators/interop/iterable';
import type { IterationPlan, JobPlan } from '../../plan/plan';
import { ownState, withFilled, withOwnState } from '../../sinks/state';
import { addsRows } from '../../tables/table';
import { extractPrepared, watchOf } from '../extract';
import type { ExtractOptions, Extraction, ExtractionHost, RunWatch } from '../extract';
import { checkNames } from '../options';
import { holdEnd } from '../run-end';
import { RunCounter } from '../run-snapshot';
import type { Counts } from '../run-snapshot';
import { checkRunId, committedIn, isCommitted, stateAfter, unreportedRun } from '../run-ids';
import { jobKeysOf, withJobsOf, withKnownJobs } from '../state/by-job';
import { createCursorTracker, nextState, previousStartOf, completeJobs } from '../state/cursors';
import {
  addedAgain,
  datesAhead,
  heldJobs,
  missingFields,
  passedOver,
  unorderedFields,
} from '../state/incremental-warnings';
import { withoutKeptValues } from '../state/kept-credentials';
import { filledBy, stateBefore } from '../state/state-before';
import { masking, prepare } from '../validate';
import type { ValidateOptions } from '../validate';
import { checkDestinations, checkOwners, withOwnTables } from './check-destinations';
import { reserve } from './places';
import { begin, doneIn, inOrderOfCommit, leastOf, refuseDamaged } from './sink-progress';
import { checkRunColumns, stampedPages, writePages } from './write-pages';

/** The options of a delivery. */
export interface DeliverOptions
  extends Omit<ExtractOptions, 'resume' | 'items' | 'onInvalid' | 'bigints'>, Pick<ValidateOptions, 'tableNaming'> {
  /** Resumes an interrupted run, if there is one; default: such a run is dropped, and a new one starts. */
  readonly resume?: boolean;
  /**
   * Commits an incomplete run (docs/completeness.md), or one with failed jobs (`onJobError`), with a warning; default: the run fails,
   * nothing is committed, and its pages stay stored for `resume`. The pages of a failed job are committed; a table without any page is
   * refused (`TABLE_EMPTIED`) without `allowEmpty`.
   */
  readonly acceptIncomplete?: boolean;
  /**
   * Replaces the rows of a table by none even if no response had a value at the place of its items; default: that is the error
   * TABLE_EMPTIED.
   */
  readonly allowEmpty?: boolean;
  /**
   * Lets the configuration replace the rows of tables that another one fills; default: that is the error TABLE_TAKEN, before the first
   * request.
   */
  readonly takeOver?: boolean;
  /**
   * The id of the run, 1 to 200 printable characters; default: a random one. An interrupted run of this id is resumed; one that every
   * destination has committed, however long ago, succeeds at once without a request.
   */
  readonly runId?: string;
  /**
   * Adds the columns `_run_id`, `_page` and `_extracted_at` to tables (docs/sinks.md#columns-of-the-run); default: `config.runColumns`. A
   * resumed run keeps its first setting.
   */
  readonly runColumns?: boolean;
  /** The name of the configuration in the record of the run, for example its file; default: `config.id`, or `api.name`. */
  readonly configurationName?: string;
  /**
   * Is called with the result when every destination has committed the run, and waited for: only then does the run count as reported. If it
   * throws, or the process ends before, the next call with `resume` requests nothing, and calls it with the result of that run.
   */
  readonly onCommitted?: (delivery: Delivery) => void | Promise<void>;
}

/** The result of a delivery. */
export interface Delivery {
  /** The id of the run. */
  readonly runId: string;
  /** True if every destination had already committed the run of this id: nothing was requested or changed. */
  readonly alreadyCommitted: boolean;
  /** The tables, files and streams that each sink stored for this run, in this call or in an earlier one. */
  readonly stored: readonly { readonly sink: string; readonly tables: readonly Stored[] }[];
  /** The number of pages that were stored before the run was resumed. */
  readonly resumedPages: number;
  /** The state for the next run (docs/language/state.md#where-it-is-kept). The sinks keep it as well. */
  readonly state: JsonObject;
  /** Whether the run is complete; `jobs` says it for each job. A run that all destinations had committed before has no `jobs`. */
  readonly outcome: Outcome;
  readonly jobs: readonly JobOutcome[];
}

/**
 * Runs a configuration into durable sinks, exactly once (docs/sinks.md). Each page is stored in each sink before the next one is taken;
 * readers of a sink see the pages only when all jobs have succeeded. If the process ends in any way, the same call with `resume` continues
 * at the same point, in each job and each call of its children.
 *
 * @param config the configuration, parsed
 * @param destinations where the pages go, for example `sinks.duckdb('items.duckdb')`
 * @param options as for `extract`; `state` in place of what the first sink has kept
 * @throws ConfigurationError before any request; IncompleteError; FatalError RESUME when the configuration is not that of the run that was
 * broken off; codes DESTINATION_…, SINK_FAILED of a sink; whatever `extract` throws
 * @example
 * await deliver(config, [sinks.duckdb('items.duckdb'), sinks.ndjson('items')], { resume: true });
 */
export const deliver = (
  config: Json | Configuration,
  destinations: readonly Destination[],
  options: DeliverOptions = {},
): Promise<Delivery> => deliverWithHooks(config, destinations, options, {});

/** Callbacks during a delivery. */
export interface DeliveryHooks {
  /** Is called with the names of the destinations before they are opened; the opening waits for its end. */
  readonly opening?: (names: readonly string[]) => Promise<unknown>;
  /**
   * Is called when a new run has begun in every destination, or an interrupted one has been found there. If it returns a delivery, that is
   * the end of this call: nothing is requested, and the run stays as it is for the processes that make its parts.
   */
  readonly begun?: (run: BegunRun) => Delivery | undefined;
  readonly extracting?: (extraction: Extraction) => void;
  /** Is called with each page that the destinations have stored. */
  readonly taken?: (page: Page) => void;
}

/** A run that has begun in its destinations. */
export interface BegunRun {
  readonly manifest: RunManifest;
  /** The state that it starts with. */
  readonly state: JsonObject;
  readonly iterations: readonly IterationPlan[];
}

/** Works like {@link deliver}, with callbacks; with a `host`, in the session of a client. */
export async function deliverWithHooks(
  config: Json | Configuration,
  destinations: readonly Destination[],
  options: DeliverOptions,
  hooks: DeliveryHooks,
  host?: ExtractionHost,
): Promise<Delivery> {
  checkNames('deliver', options, host === undefined ? [] : ['iterations']);
  const { resume = false, acceptIncomplete = false, state: given, onCredentials, runId, ...others } = options;
  const { configurationName: called = configurationName(config as Json), runColumns: wanted, ...rest } = others;
  const {
    tableNaming = 'sql',
    allowEmpty = false,
    takeOver = false,
    onCommitted,
    logger,
    counter,
    ...extractOptions
  } = rest;
  const { strict = false, scheduler = asyncScheduler } = options;
  const counted = new RunCounter();
  const onEvent = (event: RunEvent): void => {
    const now = scheduler.now();
    counted.add(event, now);
    counter?.add(event, now);
    options.onEvent?.(event);
    host?.onEvent(event);
  };
  const watch: RunWatch = {
    isDetailed: watchOf(options, host).isDetailed,
    tally: {
      add: () => undefined,
      addRequest: (purpose, field, more, now) => {
        counted.addRequest(purpose, field, more, now);
        counter?.addRequest(purpose, field, more, now);
      },
      addCall: (job, items, now) => {
        counted.addCall(job, items, now);
        counter?.addCall(job, items, now);
      },
    },
  };
  // Events of the run are already masked.
  const reportMasked = reportTo({ ...options, onEvent });
  const end = holdEnd(reportMasked);
  const prepared = prepare(config, { ...extractOptions, tableNaming });
  const secrets = new Secrets(prepared.secrets);
  const report = masks(secrets, reportMasked);
  if (destinations.length === 0) {
    const message = 'expected at least one destination: without one nothing is requested';
    throw new ConfigurationError([{ path: 'destinations', message }]);
  }
  // The client does not receive the end of the run itself: it comes with the end of the delivery.
  const inHost = host === undefined ? undefined : { ...host, onEvent: () => undefined };
  const extractionWith = (more: ExtractOptions): Extraction =>
    extractPrepared(prepared, { ...extractOptions, ...more }, inHost, watch);
  const { outputs } = extractionWith({});
  const warn = strict ? failOnWarning : warnTo(report);
  const isHeard =
    strict || logger !== undefined || counter !== undefined || options.onEvent !== undefined || host !== undefined;
  // The address of a destination may contain a secret of the configuration.
  const sinks = masking(secrets, () => {
    const made = destinations.map((destination) => destination(outputs, isHeard ? warn : undefined));
    for (const fault of checkDestinations(made, outputs)) warn('CONFIGURATION', faultLine(fault));
    return made;
  });
  const runColumns = wanted ?? outputs.some((output) => output.runColumns);
  if (runColumns) checkRunColumns(sinks);
  if (runId !== undefined) checkRunId(runId, sinks);
  await hooks.opening?.(sinks.map(({ name }) => name));
  const release = reserve(sinks.map(({ name, place = name }) => place));
  try {
    const standings: Standing[] = [];
    for (const sink of sinks) standings.push(await sink.open());
    const committed = runId === undefined ? [] : await committedIn(sinks, runId);
    if (resume) refuseDamaged(standings.filter((_, at) => committed[at] === undefined));
    const { document } = prepared;
    const fingerprint = fingerprintOf(document);
    const jobKeys = jobKeysOf(
      document,
      outputs.flatMap(({ incrementalJobs = [] }) => incrementalJobs),
    );
    const stateIn = (all: JsonObject): JsonObject => withKnownJobs(ownState(all, fingerprint), all, jobKeys);
    const unreported = resume && runId === undefined ? unreportedRun(sinks, standings, fingerprint) : undefined;
    const over = runId !== undefined && isCommitted(sinks, committed) ? runId : unreported;
    // The mark of a run that was not reported goes last: whatever ends the process before, the next one reports it again.
    const finish = async (delivery: Delivery): Promise<Delivery> => {
      await onCommitted?.(delivery);
      await Promise.allSettled(sinks.map(({ markReported }) => markReported?.() ?? Promise.resolve()));
      return delivery;
    };
    const storedBefore = ({ name }: DurableSink, run: CommittedRun | undefined): Delivery['stored'] =>
      run === undefined ? [] : [{ sink: secrets.mask(name), tables: run.stored }];
    if (over !== undefined) {
      report({ type: 'run.skipped', run: over, runId: over });
      const left = stateAfter(over, standings, fingerprint, given);
      const found = runId === undefined ? await committedIn(sinks, over) : committed;
      return await finish({
        ...{ runId: over, alreadyCommitted: true, resumedPages: 0, state: withJobsOf(left, left, jobKeys), jobs: [] },
        stored: sinks.flatMap((sink, at) => storedBefore(sink, found[at])),
        outcome: found.flatMap((run) => run?.outcome ?? [])[0] ?? 'complete',
      });
    }
    const asked = { resume, runColumns, ...(runId === undefined ? {} : { runId, committed }) };
    // A sink that has committed the run is already in the state that the others will reach.
    const done = doneIn(standings, asked);
    const found = sinks
      .map((sink, at) => ({ sink, standing: standings[at] ?? { state: {} } }))
      .filter((_, at) => done[at] !== true);
    const own = { asked: configurationIn(fingerprint), ...(called === undefined ? {} : { name: called }) };
    const ofTables = found.map(({ sink, standing: { state } }) => ({ sink, state }));
    if (!takeOver) await checkOwners(ofTables, outputs, own);
    const before = { document, fingerprint, jobKeys, outputs, found, stateIn };
    const { gone, state: begun } = await stateBefore(given, before, warn);
    let state = begun;
    const cursors = createCursorTracker(state);
    const { head, sinkStates: sinkStates } = await begin(sinks, standings, {
      ...asked,
      fingerprint,
      previousStart: options.previousStart ?? previousStartOf(state),
      state,
      seen: cursors.add,
      ...(options.scheduler === undefined ? {} : { now: options.scheduler.now() }),
      // This is no reason to fail: a caller without `resume` wants a new run.
      warn: (message) => warnTo(report)('RUN_DROPPED', message),
    });
    const leftOpen = hooks.begun?.({ manifest: head, state, iterations: prepared.planned.iterations });
    if (leftOpen !== undefined) return leftOpen;
    const least = leastOf(sinkStates);
    let finished: Finished | undefined;
    const extraction = extractionWith({
      onEvent: (event) => {
        if (event.type === 'run.finished') finished = event;
        end.onEvent(event);
      },
      state,
      previousStart: head.previousStart,
      resume: {
        id: head.id,
        startedAt: head.startedAt,
        progress: least?.book.progress() ?? new Map(),
        ...(least === undefined ? {} : { evidence: least.evidence }),
      },
      onCredentials: (next) => {
        state = next;
        return onCredentials?.(next);
      },
    });
    hooks.extracting?.(extraction);
    if (sinkStates.some(({ isDone }) => !isDone)) {
      // Not `pages()`, whose errors carry the place to resume at: sinks know it already, and each page would pay for it.
      const arriving = toAsyncIterable(extraction.pagesBehind);
      const pages = head.runColumns === true ? stampedPages(arriving, head.id) : arriving;
      const { failure } = await writePages(pages, sinkStates, (page) => {
        cursors.addPage(page);
        hooks.taken?.(page);
      });
      // Only the run itself can report that it is incomplete, at its end; otherwise pages would be missing.
      if (failure !== undefined) {
        const { error } = failure;
        if (!acceptIncomplete || finished === undefined || !isShort(error)) {
          if (finished !== undefined) end.release();
          throw error;
        }
        tellAccepted(error, warn);
        finished = accepted(finished);
        end.onEvent(finished);
      }
    }
    const { outcome, jobs } = finished ?? { outcome: 'complete', jobs: [] };
    const whole = completeJobs(outputs, jobs);
    for (const fault of missingFields(outputs, cursors)) warn('INCREMENTAL_HELD', faultLine(fault));
    for (const fault of heldJobs(outputs, cursors, whole)) warn('INCREMENTAL_HELD', faultLine(fault));
    for (const fault of datesAhead(outputs, cursors)) warn('INCREMENTAL_AHEAD', faultLine(fault));
    for (const fault of unorderedFields(outputs, cursors)) warn('INCREMENTAL_UNORDERED', faultLine(fault));
    for (const fault of passedOver(outputs, cursors)) warn('INCREMENTAL_PARAM_IGNORED', faultLine(fault));
    for (const fault of addedAgain(outputs, cursors)) warn('INCREMENTAL_REPEATED', faultLine(fault));
    // The state of the run includes the values of its logins.
    const left = cursors.into(nextState(state, head.startedAt), whole.isWhole);
    let keptBySinks = state;
    const stored: Delivery['stored'][number][] = [];
    const resumedPages = least?.book.pages() ?? 0;
    const empty = finished === undefined ? undefined : emptyTables(prepared.planned.iterations, jobs);
    const facts = {
      ...{ ...factsOf(counted.snapshot(), finished), resumedPages },
      ...(called === undefined ? {} : { configuration: called }),
      ...(empty === undefined ? {} : { empty: allowEmpty ? { ...empty, unmet: [] } : empty }),
      ...(outcome === 'doubtful' && !acceptIncomplete ? { keepsRows: true as const } : {}),
    };
    for (const [at, { sink, isDone }] of inOrderOfCommit(sinkStates))
      if (isDone) stored.push(...storedBefore(sink, await sink.committed?.(head.id)));
      else {
        const kept = withoutKeptValues(left);
        const known = withFilled(standings[at]?.state ?? {}, filledBy(outputs, jobs), gone.get(sink));
        const all = withJobsOf(withOwnState(known, fingerprint, kept), kept, jobKeys);
        const next = withOwnTables(all, sink, outputs, own);
        stored.push({ sink: secrets.mask(sink.name), tables: await sink.commit(next, facts) });
        keptBySinks = merge(keptBySinks, sink.kept?.() ?? {});
      }
    end.release();
    const after = cursors.into(nextState(keptBySinks, head.startedAt), whole.isWhole);
    const next = withJobsOf(after, after, jobKeys);
    // In the order in which they were named, whichever was committed first.
    const placeOf = (name: string): number => sinks.findIndex((sink) => secrets.mask(sink.name) === name);
    const inOrder = [...stored].sort((a, b) => placeOf(a.sink) - placeOf(b.sink));
    const delivered = { runId: head.id, alreadyCommitted: false, stored: inOrder, resumedPages, state: next };
    return await finish({ ...delivered, outcome, jobs });
  } catch (error) {
    // Errors of a run are masked already; an error of a sink may quote its address or its input.
    const masked = maskedError(error, secrets);
    end.fail(masked, options.signal?.aborted === true);
    throw masked;
  } finally {
    await closeAll(sinks);
    release();
  }
}

/** Returns whether the error is that of a run which ended but lacks items. */
const isShort = (error: unknown): error is IncompleteError | JobsFailedError =>
  error instanceof IncompleteError || error instanceof JobsFailedError;

type Finished = Extract<RunEvent, { readonly type: 'run.finished' }>;

/** Warns of each reason why a run is incomplete that is committed all the same, as asked. */
function tellAccepted(error: IncompleteError | JobsFailedError, warn: Warn): void {
  if (error instanceof JobsFailedError)
    for (const { job, error: failure } of error.failures)
      warn('JOBS_FAILED', `${job.path} (${job.endpoint}): ${failure.message} ${ACCEPTED}`);
  for (const { code, path, message } of error.doubts) warn(code, `${faultLine({ path, message })} ${ACCEPTED}`);
}

const ACCEPTED = '(It is committed all the same, as asked.)';

/** Returns the end of an incomplete run that is committed as asked: it is doubtful, and so are its incomplete jobs. */
const accepted = (finished: Finished): Finished => ({
  ...finished,
  outcome: 'doubtful',
  jobs: finished.jobs.map((job) =>
    job.outcome === 'incomplete' ? { ...job, outcome: 'doubtful', isAccepted: true } : job,
  ),
});

/** Closes all sinks: an error of one does not keep the others open, and a committed run does not fail by it. */
const closeAll = (sinks: readonly DurableSink[]): Promise<unknown> =>
  Promise.allSettled(sinks.map((sink) => sink.close()));

/**
 * Returns the tables that a run replaces without having rows for them, and the reason.
 *
 * @param iterations the plans of the configuration
 * @param outcomes the outcomes of the jobs that were called
 * @example emptyTables(planned.iterations, finished.jobs).unfed // ['notes']
 */
function emptyTables(iterations: readonly IterationPlan[], outcomes: readonly JobOutcome[]): EmptyTables {
  const byTable = new Map<string, (JobOutcome | undefined)[]>();
  const added = new Set<string>();
  for (const [iteration, { jobs, output }] of iterations.entries())
    for (const { id, table, dataType } of jobs.flatMap(withChildren)) {
      const outcome = outcomes.find((each) => each.iteration === iteration && each.id === id);
      byTable.set(table, [...(byTable.get(table) ?? []), outcome]);
      if (addsRows(output, dataType)) added.add(table);
    }
  const replaced = [...byTable].filter(([table]) => !added.has(table));
  const isUnmet = (outcome: JobOutcome | undefined): boolean =>
    outcome === undefined || (outcome.items === 0 && !outcome.isFound);
  const unfed = replaced.filter(([, jobs]) => jobs.every((job) => job === undefined)).map(([table]) => table);
  const unmet = replaced
    .filter(([table, jobs]) => !unfed.includes(table) && jobs.every(isUnmet))
    .map(([table]) => table);
  return { unfed, unmet };
}

const withChildren = (job: JobPlan): readonly JobPlan[] => [
  job,
  ...job.children.flatMap(({ job: child }) => withChildren(child)),
];

/** Returns the facts of a run for its record. */
function factsOf(
  { requests, retries, warnings }: Counts,
  { outcome, jobs }: Pick<Finished, 'outcome' | 'jobs'> = { outcome: 'complete', jobs: [] },
): Omit<RunFacts, 'configuration' | 'resumedPages'> {
  const sum = (key: 'pages' | 'items'): number => jobs.reduce((total, job) => total + job[key], 0);
  return { outcome, pages: sum('pages'), items: sum('items'), version, requests, retries, warnings };
}

/**
 * Returns the name of a configuration: `config.id`, or else `api.name`.
 *
 * @example configurationName({ api: { name: 'ships', baseUrl: '…' }, config: { jobs: [] } }) // 'ships'
 */
function configurationName(document: Json): string | undefined {
  const places = ['config.id', 'parameters.config.id', 'api.name', 'parameters.api.name'];
  return places
    .map((place) => valueAt(document, place))
    .find((name): name is string => typeof name === 'string' && name !== '');
}
