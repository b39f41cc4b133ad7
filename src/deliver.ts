/** An extraction into sinks that survive: every page arrives in each of them, once, whatever becomes of the process. */
import { checkDestinations } from './check-destinations';
import { ConfigurationError, FatalError, faultLine, IncompleteError } from './errors';
import type { JobOutcome, Outcome, RunEvent } from './events';
import { extractPrepared } from './extract';
import type { ExtractOptions } from './extract';
import { merge } from './json/merge';
import type { DurableSink, Standing, Stored } from './durable-sink';
import { maskedError } from './masking';
import type { Json, JsonObject } from './model';
import { prepare } from './prepare';
import { Secrets } from './secrets';
import type { Destination } from './sinks/define-sink';
import { withOwnState } from './state/by-configuration';
import { createCursorTracker } from './state/cursors';
import {
  datesAhead,
  heldJobs,
  missingFields,
  passedOver,
  resetDestinations,
  resetJobs,
} from './state/incremental-warnings';
import { commonState } from './state/common-state';
import { fingerprintOf } from './state/fingerprint';
import { withoutKeptValues } from './state/kept-credentials';
import { reserve } from './state/reserve';
import { nextState, previousStartOf } from './state/next-state';
import { tellTo } from './tell';
import type { Tell } from './tell';
import type { Configuration } from './written';
import { begin, leastOf, refuseDamaged, writeTo } from './works';

export interface DeliverOptions extends Omit<ExtractOptions, 'resume'> {
  /** Goes on with a run that was broken off, if there is one; default: such a run is dropped, and a new one begins. */
  readonly resume?: boolean;
  /**
   * Commits a run that turned out to be incomplete (docs/completeness.md), with a warning; default: it fails, nothing is
   * committed, and its pages stay safe for `resume`.
   */
  readonly acceptIncomplete?: boolean;
}

/** What became of a run. */
export interface Delivery {
  /** The tables, files and streams that each sink stored. */
  readonly stored: readonly { readonly sink: string; readonly tables: readonly Stored[] }[];
  /** Pages that were safe before, of a run that went on. */
  readonly resumedPages: number;
  /** What the next run needs (docs/language/state.md#where-it-is-kept). The sinks keep it, too. */
  readonly state: JsonObject;
  /**
   * The outcome says if the run is complete, `jobs` says it of each job. A run that all destinations had before is
   * complete.
   */
  readonly outcome: Outcome;
  readonly jobs: readonly JobOutcome[];
}

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
export async function deliver(
  config: Json | Configuration,
  destinations: readonly Destination[],
  options: DeliverOptions = {},
): Promise<Delivery> {
  const { resume = false, acceptIncomplete = false, state: given, onCredentials, onEvent, ...extractOptions } = options;
  const { strict = false } = options;
  const prepared = prepare(config, options);
  if (destinations.length === 0) {
    const message = 'expected at least one destination: without one nothing is requested';
    throw new ConfigurationError([{ path: 'destinations', message }]);
  }
  const { outputs } = extractPrepared(prepared, extractOptions);
  const tell = strict ? refuseToTell : tellTo(options);
  const sinks = destinations.map((destination) => destination(outputs, tell));
  for (const fault of checkDestinations(sinks, outputs)) tell?.('CONFIGURATION', faultLine(fault));
  const release = reserve(sinks.map(({ name }) => name));
  try {
    const standings: Standing[] = [];
    for (const sink of sinks) standings.push(await sink.open());
    if (resume) refuseDamaged(standings);
    // What a person writes is JSON; its types only say more.
    const document = config as Json;
    const fingerprint = fingerprintOf(document);
    const found = sinks.map(({ name }, at) => ({ name, standing: standings[at] ?? { state: {} } }));
    const resets = given === undefined ? resetDestinations(found, outputs, fingerprint) : resetJobs(given, outputs);
    for (const fault of resets) tell?.('STATE_RESET', faultLine(fault));
    let state = given ?? commonState(sinks, standings, document, fingerprint);
    const cursors = createCursorTracker(state);
    const { head, works } = await begin(sinks, standings, {
      resume,
      fingerprint,
      previousStart: options.previousStart ?? previousStartOf(state),
      state,
      seen: cursors.add,
      // No reason to refuse: who leaves --resume out wants a new run.
      warn: (message) => tellTo(options)?.('RUN_DROPPED', message),
    });
    const least = leastOf(works);
    let finished: Finished | undefined;
    const extraction = extractPrepared(prepared, {
      ...extractOptions,
      onEvent: (event) => {
        if (event.type === 'run.finished') finished = event;
        onEvent?.(event);
      },
      state,
      previousStart: head.previousStart,
      resume: {
        startedAt: head.startedAt,
        progress: least?.book.progress() ?? new Map(),
        ...(least === undefined ? {} : { evidence: least.evidence }),
      },
      onCredentials: (next) => {
        state = next;
        return onCredentials?.(next);
      },
    });
    let isWriting = false;
    if (works.some(({ isDone }) => !isDone))
      try {
        for await (const page of extraction.pages()) {
          isWriting = true;
          await writeTo(works, page);
          isWriting = false;
          cursors.addPage(page);
        }
      } catch (error) {
        // Only the run itself can say this of itself, at its end: else pages would be left out.
        const isJudgement = finished !== undefined && !isWriting && error instanceof IncompleteError;
        if (!(acceptIncomplete && isJudgement)) throw error;
        tellTo(options)?.('INCOMPLETE', `${error.message}\nIt is committed all the same, as asked.`);
      }
    const { outcome, jobs } = finished ?? { outcome: 'complete', jobs: [] };
    const isWhole = (id: string): boolean =>
      !jobs.some(({ id: job, outcome }) => job === id && outcome === 'incomplete');
    for (const fault of missingFields(outputs, cursors)) tell?.('INCREMENTAL_FIELD_MISSING', faultLine(fault));
    for (const fault of heldJobs(outputs, cursors, isWhole)) tell?.('INCREMENTAL_HELD', faultLine(fault));
    for (const fault of datesAhead(outputs, cursors)) tell?.('INCREMENTAL_AHEAD', faultLine(fault));
    for (const fault of passedOver(outputs, cursors)) tell?.('INCREMENTAL_PARAM_IGNORED', faultLine(fault));
    // What logins gave in the run is in it, too.
    const left = cursors.into(nextState(state, head.startedAt), isWhole);
    let known = state;
    const stored: { sink: string; tables: readonly Stored[] }[] = [];
    for (const [at, { sink, isDone }] of works.entries())
      if (!isDone) {
        const kept = withOwnState(standings[at]?.state ?? {}, fingerprint, withoutKeptValues(left));
        stored.push({ sink: sink.name, tables: await sink.commit(kept) });
        known = merge(known, sink.kept?.() ?? {});
      }
    const next = cursors.into(nextState(known, head.startedAt), isWhole);
    return { stored, resumedPages: least?.book.pages() ?? 0, state: next, outcome, jobs };
  } catch (error) {
    // What a run throws is masked by now; what a sink throws may quote its address, or what it was given.
    throw maskedError(error, new Secrets(prepared.secrets));
  } finally {
    await closeAll(sinks);
    release();
  }
}

/** Where warnings are errors, nothing is committed after one. */
const refuseToTell: Tell = (_, message) => {
  throw new FatalError('WARNINGS', `Warnings count as errors in this run.\n  ${message}`);
};

type Finished = Pick<Extract<RunEvent, { readonly type: 'run.finished' }>, 'outcome' | 'jobs'>;

/** Closes all sinks: one that fails keeps none of the others from it, and a committed run does not fail for it. */
const closeAll = (sinks: readonly DurableSink[]): Promise<unknown> =>
  Promise.allSettled(sinks.map((sink) => sink.close()));
