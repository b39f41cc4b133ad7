/** An extraction into sinks that survive: every page arrives in each of them, once, whatever becomes of the process. */
import { checkDestinations } from './check-destinations';
import { checkNames } from './check-options';
import { emptyTables } from './empty-tables';
import type { DeliverOptions, Delivery } from './delivery';
import { ConfigurationError, faultLine, IncompleteError } from './errors';
import { JobsFailedError } from './errors/jobs-failed';
import type { RunEvent } from './events';
import { extractPrepared } from './extract';
import type { Extraction, ExtractOptions } from './extract';
import type { ExtractionHost } from './extraction-host';
import { toAsyncIterable } from './interop/async-iterable';
import { merge } from './json/merge';
import type { DurableSink, Standing, Stored } from './durable-sink';
import { maskedError, masks } from './masking';
import type { Json, JsonObject, Page } from './model';
import { masking, prepare } from './prepare';
import { Secrets } from './secrets';
import type { Destination } from './sinks/define-sink';
import { ownState, withOwnState } from './state/by-configuration';
import { jobKeysOf, withJobsOf, withKnownJobs } from './state/by-job';
import { createCursorTracker } from './state/cursors';
import { filledBy } from './state/lost-tables';
import { withFilled } from './state/filled-tables';
import {
  addedAgain,
  datesAhead,
  heldJobs,
  missingFields,
  passedOver,
  unorderedFields,
} from './state/incremental-warnings';
import { stateBefore } from './state-before';
import { fingerprintOf } from './state/fingerprint';
import { withoutKeptValues } from './state/kept-credentials';
import { reserve } from './state/reserve';
import { nextState, previousStartOf } from './state/next-state';
import { wholeJobs } from './state/whole-jobs';
import { checkRunColumns, stampedPages } from './page-stamps';
import { checkRunId, committedIn, isCommitted, stateAfter, untoldRun } from './run-ids';
import { configurationName, createRunCounter } from './run-facts';
import { holdEnd } from './run-end';
import { refuseToTell, reportTo, tellTo } from './tell';
import type { Configuration } from '#written';
import { begin, doneIn, inOrderOfCommit, leastOf, refuseDamaged } from './works';
import { writePages } from './write-pages';

/**
 * Runs a configuration into durable sinks, exactly once (docs/sinks.md). Each page is safe in each sink before the next one
 * is taken; readers of a sink see the pages only when all jobs have succeeded. After any end of the process, the same call
 * with `resume` goes on where the run stood, in each job and each call of its children.
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
): Promise<Delivery> => deliverTold(config, destinations, options, {});

/** What hears of a delivery while it is under way. */
export interface DeliveryHooks {
  /** Hears the names of the destinations before they are opened, which wait for its end. */
  readonly opening?: (names: readonly string[]) => Promise<unknown>;
  readonly extracting?: (extraction: Extraction) => void;
  /** Hears of each page that the destinations have taken. */
  readonly taken?: (page: Page) => void;
}

/** Does as {@link deliver}, and tells of it; where there is a `host`, in the session of a client. */
export async function deliverTold(
  config: Json | Configuration,
  destinations: readonly Destination[],
  options: DeliverOptions,
  hooks: DeliveryHooks,
  host?: ExtractionHost,
): Promise<Delivery> {
  checkNames('deliver', options, host === undefined ? [] : ['iterations']);
  const { resume = false, acceptIncomplete = false, state: given, onCredentials, runId, ...others } = options;
  const { configurationName: called = configurationName(config as Json), runColumns: wanted, ...rest } = others;
  const { tableNaming = 'sql', allowEmpty = false, logger, ...extractOptions } = rest;
  const { strict = false } = options;
  const counter = createRunCounter();
  const hearers = [counter.hear, options.onEvent, host?.hear];
  const onEvent = (event: RunEvent): void => hearers.forEach((hear) => hear?.(event));
  // Events of the run are masked when they come.
  const reportMasked = reportTo({ ...options, onEvent });
  const end = holdEnd(reportMasked);
  const prepared = prepare(config, { ...extractOptions, tableNaming });
  const secrets = new Secrets(prepared.secrets);
  const report = masks(secrets, reportMasked);
  if (destinations.length === 0) {
    const message = 'expected at least one destination: without one nothing is requested';
    throw new ConfigurationError([{ path: 'destinations', message }]);
  }
  // The client hears of the run what everybody hears: its end comes with that of the delivery.
  const inHost = host === undefined ? undefined : { ...host, hear: () => undefined };
  const extractionWith = (more: ExtractOptions): Extraction =>
    extractPrepared(prepared, { ...extractOptions, ...more }, inHost);
  const { outputs } = extractionWith({});
  const tell = strict ? refuseToTell : tellTo(report);
  const isHeard = strict || logger !== undefined || options.onEvent !== undefined || host !== undefined;
  // A destination may have a secret of the configuration in its address.
  const sinks = masking(secrets, () => {
    const made = destinations.map((destination) => destination(outputs, isHeard ? tell : undefined));
    for (const fault of checkDestinations(made, outputs)) tell('CONFIGURATION', faultLine(fault));
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
    if (resume) refuseDamaged(standings.filter((_, at) => committed[at] !== true));
    const { document } = prepared;
    const fingerprint = fingerprintOf(document);
    const jobKeys = jobKeysOf(
      document,
      outputs.flatMap(({ incrementalJobs = [] }) => incrementalJobs),
    );
    const stateIn = (all: JsonObject): JsonObject => withKnownJobs(ownState(all, fingerprint), all, jobKeys);
    const untold = resume && runId === undefined ? untoldRun(sinks, standings, fingerprint) : undefined;
    const over = runId !== undefined && isCommitted(sinks, committed) ? runId : untold;
    if (over !== undefined) {
      report({ type: 'run.skipped', run: over, runId: over });
      const found = stateAfter(over, standings, fingerprint, given);
      const state = withJobsOf(found, found, jobKeys);
      return { runId: over, alreadyCommitted: true, stored: [], resumedPages: 0, state, outcome: 'complete', jobs: [] };
    }
    const asked = { resume, runColumns, ...(runId === undefined ? {} : { runId, committed }) };
    // A sink that has the run already stands where the others will.
    const done = doneIn(standings, asked);
    const found = sinks
      .map((sink, at) => ({ sink, standing: standings[at] ?? { state: {} } }))
      .filter((_, at) => done[at] !== true);
    const before = { document, fingerprint, jobKeys, outputs, found, stateIn };
    const { gone, state: begun } = await stateBefore(given, before, tell);
    let state = begun;
    const cursors = createCursorTracker(state);
    const { head, works } = await begin(sinks, standings, {
      ...asked,
      fingerprint,
      previousStart: options.previousStart ?? previousStartOf(state),
      state,
      seen: cursors.add,
      ...(options.scheduler === undefined ? {} : { now: options.scheduler.now() }),
      // No reason to refuse: who leaves --resume out wants a new run.
      warn: (message) => tellTo(report)('RUN_DROPPED', message),
    });
    const least = leastOf(works);
    let finished: Finished | undefined;
    const extraction = extractionWith({
      onEvent: (event) => {
        if (event.type === 'run.finished') counter.hear((finished = event));
        end.hear(event);
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
    if (works.some(({ isDone }) => !isDone)) {
      // Not `pages()`, whose errors tell where to go on: sinks know that, and each page would pay for it.
      const arriving = toAsyncIterable(extraction.pagesBehind);
      const pages = head.runColumns === true ? stampedPages(arriving, head.id) : arriving;
      const { failure } = await writePages(pages, works, (page) => {
        cursors.addPage(page);
        hooks.taken?.(page);
      });
      // Only the run itself can say this of itself, at its end: else pages would be left out.
      if (failure !== undefined) {
        const { error } = failure;
        if (finished !== undefined) end.release();
        if (!acceptIncomplete || finished === undefined || !isShort(error)) throw error;
        tellTo(report)('INCOMPLETE', `${error.message}\n  It is committed all the same, as asked.`);
      }
    }
    const { outcome, jobs } = finished ?? { outcome: 'complete', jobs: [] };
    const whole = wholeJobs(outputs, jobs);
    for (const fault of missingFields(outputs, cursors)) tell('INCREMENTAL_FIELD_MISSING', faultLine(fault));
    for (const fault of heldJobs(outputs, cursors, whole)) tell('INCREMENTAL_HELD', faultLine(fault));
    for (const fault of datesAhead(outputs, cursors)) tell('INCREMENTAL_AHEAD', faultLine(fault));
    for (const fault of unorderedFields(outputs, cursors)) tell('INCREMENTAL_UNORDERED', faultLine(fault));
    for (const fault of passedOver(outputs, cursors)) tell('INCREMENTAL_PARAM_IGNORED', faultLine(fault));
    for (const fault of addedAgain(outputs, cursors)) tell('INCREMENTAL_REPEATED', faultLine(fault));
    // What logins gave in the run is in it, too.
    const left = cursors.into(nextState(state, head.startedAt), whole.isWhole);
    let keptBySinks = state;
    const stored: { sink: string; tables: readonly Stored[] }[] = [];
    const resumedPages = least?.book.pages() ?? 0;
    const empty = finished === undefined ? undefined : emptyTables(prepared.planned.iterations, jobs);
    const facts = {
      ...{ ...counter.facts(), resumedPages },
      ...(called === undefined ? {} : { configuration: called }),
      ...(empty === undefined ? {} : { empty: allowEmpty ? { ...empty, unmet: [] } : empty }),
    };
    for (const [at, { sink, isDone }] of inOrderOfCommit(works))
      if (!isDone) {
        const own = withoutKeptValues(left);
        const known = withFilled(standings[at]?.state ?? {}, filledBy(outputs, jobs), gone.get(sink));
        const kept = withJobsOf(withOwnState(known, fingerprint, own), own, jobKeys);
        stored.push({ sink: secrets.mask(sink.name), tables: await sink.commit(kept, facts) });
        keptBySinks = merge(keptBySinks, sink.kept?.() ?? {});
      }
    end.release();
    const after = cursors.into(nextState(keptBySinks, head.startedAt), whole.isWhole);
    const next = withJobsOf(after, after, jobKeys);
    // As they were named, whichever was committed first.
    const placeOf = (name: string): number => sinks.findIndex((sink) => secrets.mask(sink.name) === name);
    const inOrder = [...stored].sort((a, b) => placeOf(a.sink) - placeOf(b.sink));
    return { runId: head.id, alreadyCommitted: false, stored: inOrder, resumedPages, state: next, outcome, jobs };
  } catch (error) {
    // What a run throws is masked by now; what a sink throws may quote its address, or what it was given.
    const masked = maskedError(error, secrets);
    end.fail(masked, options.signal?.aborted === true);
    throw masked;
  } finally {
    await closeAll(sinks);
    release();
  }
}

/** Tells whether the error is that of a run which came to its end and lacks items. */
const isShort = (error: unknown): error is IncompleteError | JobsFailedError =>
  error instanceof IncompleteError || error instanceof JobsFailedError;

type Finished = Pick<Extract<RunEvent, { readonly type: 'run.finished' }>, 'outcome' | 'jobs'>;

/** Closes all sinks: one that fails keeps none of the others from it, and a committed run does not fail for it. */
const closeAll = (sinks: readonly DurableSink[]): Promise<unknown> =>
  Promise.allSettled(sinks.map((sink) => sink.close()));
