/** An extraction into sinks that survive: every page arrives in each of them, once, whatever becomes of the process. */
import { randomUUID } from 'node:crypto';
import { checkDestinations } from './check-destinations';
import { FatalError, faultLine, IncompleteError } from './errors';
import type { JobOutcome, Outcome, RunEvent } from './events';
import { extract } from './extract';
import type { ExtractOptions } from './extract';
import { merge } from './json/merge';
import type { Checkpoint, DurableSink, Json, JsonObject, Page, RunHead, Standing, Stored } from './model';
import type { OutputPlan } from './plan/plan';
import { createEvidenceBook } from './sources/completeness/evidence-book';
import type { EvidenceBook } from './sources/completeness/evidence-book';
import { withOwnState } from './state/by-configuration';
import { createCursors } from './state/cursors';
import { missingFields, resetDestinations, resetJobs } from './state/incremental-warnings';
import { commonState } from './state/common-state';
import { fingerprintOf } from './state/fingerprint';
import { withoutKeptValues } from './state/kept-credentials';
import { reserve } from './state/reserve';
import { nextState, previousStartOf } from './state/next-state';
import { createProgress } from './state/progress';
import type { ProgressBook } from './state/progress';
import { tellTo } from './tell';
import type { Tell } from './tell';

/** Makes a sink, once it is known how the runs of the configuration write; it may give warnings about what it gets. */
export type Destination = (outputs: readonly OutputPlan[], tell?: Tell) => DurableSink;

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
  /** For each sink, what it stored. */
  readonly stored: readonly { readonly sink: string; readonly tables: readonly Stored[] }[];
  /** Pages that were safe before, of a run that went on. */
  readonly resumedPages: number;
  /** What the next run needs (language 8.13). The sinks keep it, too. */
  readonly state: JsonObject;
  /** Whether the run is complete, and each of its jobs; a run that all destinations had before is as it was. */
  readonly outcome: Outcome;
  readonly jobs: readonly JobOutcome[];
}

/** A sink at work on a run. */
interface Work {
  readonly sink: DurableSink;
  /** What it has. */
  readonly book: ProgressBook;
  /** What its pages tell of the completeness of their jobs. */
  readonly evidence: EvidenceBook;
  /** It has all and has made it visible: the process ended while others were still at it. */
  readonly isDone: boolean;
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
 * broken off; DESTINATION, SINK_FAILED of a sink; whatever `extract` throws
 * @example
 * await deliver(config, [sinks.duckdb('items.duckdb'), sinks.ndjson('items')], { resume: true });
 */
export async function deliver(
  config: Json,
  destinations: readonly Destination[],
  options: DeliverOptions = {},
): Promise<Delivery> {
  const { resume = false, acceptIncomplete = false, state: given, onCredentials, onEvent, ...extractOptions } = options;
  const { lenient = false } = options;
  const { outputs } = extract(config, { lenient });
  const tell = options.strict === true ? refuseToTell : tellTo(options);
  const sinks = destinations.map((destination) => destination(outputs, tell));
  for (const fault of checkDestinations(sinks, outputs, lenient)) tell?.('CONFIGURATION', faultLine(fault));
  const release = reserve(sinks.map(({ name }) => name));
  try {
    const standings: Standing[] = [];
    for (const sink of sinks) standings.push(await sink.open());
    if (resume) refuseDamaged(standings);
    const fingerprint = fingerprintOf(config);
    const found = sinks.map(({ name }, at) => ({ name, standing: standings[at] ?? { state: {} } }));
    const resets = given === undefined ? resetDestinations(found, outputs, fingerprint) : resetJobs(given, outputs);
    for (const fault of resets) tell?.('STATE_RESET', faultLine(fault));
    let state = given ?? commonState(sinks, standings, config, fingerprint);
    const cursors = createCursors(state);
    const { head, works } = await begin(sinks, standings, {
      resume,
      fingerprint,
      previousStart: options.previousStart ?? previousStartOf(state),
      seen: cursors.add,
      warn: (message) => tell?.('RUN_DROPPED', message),
    });
    const least = leastOf(works);
    let finished: Finished = { outcome: 'complete', jobs: [] };
    const extraction = extract(config, {
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
    if (works.some(({ isDone }) => !isDone))
      try {
        for await (const page of extraction.pages()) {
          await writeTo(works, page);
          cursors.addPage(page);
        }
      } catch (error) {
        if (!(acceptIncomplete && error instanceof IncompleteError)) throw error;
        tellTo(options)?.('INCOMPLETE', `${error.message}\nIt is committed all the same, as asked.`);
      }
    for (const fault of missingFields(outputs, cursors)) tell?.('INCREMENTAL_FIELD_MISSING', faultLine(fault));
    let next = cursors.into(nextState(state, head.startedAt));
    const stored: { sink: string; tables: readonly Stored[] }[] = [];
    for (const [at, { sink, isDone }] of works.entries())
      if (!isDone) {
        const kept = withOwnState(standings[at]?.state ?? {}, fingerprint, withoutKeptValues(next));
        stored.push({ sink: sink.name, tables: await sink.commit(kept) });
        next = merge(next, sink.kept?.() ?? {});
      }
    const { outcome, jobs } = finished;
    return { stored, resumedPages: least?.book.pages() ?? 0, state: next, outcome, jobs };
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

/** One that fails keeps none of the others from it; a run that is committed does not fail for it. */
const closeAll = (sinks: readonly DurableSink[]): Promise<unknown> =>
  Promise.allSettled(sinks.map((sink) => sink.close()));

interface Beginning {
  readonly resume: boolean;
  readonly fingerprint: string;
  readonly previousStart: number;
  /** Hears the checkpoints of pages that are safe already. */
  readonly seen: (checkpoint: Checkpoint) => void;
  readonly warn: (message: string) => void;
}

/** Goes on with the run that all sinks know, or begins a new one in all of them. */
async function begin(
  sinks: readonly DurableSink[],
  standings: readonly Standing[],
  { resume, fingerprint, previousStart, seen, warn }: Beginning,
): Promise<{ head: RunHead; works: readonly Work[] }> {
  const known = headOf(standings);
  if (resume && known !== undefined) {
    if (known.fingerprint !== fingerprint) throw new FatalError('RESUME', CHANGED);
    const works: Work[] = [];
    for (const [at, sink] of sinks.entries())
      works.push({ sink, ...(await booksOf(standings[at], seen)), isDone: standings[at]?.finished === known.id });
    return { head: known, works };
  }
  for (const [at, { name }] of sinks.entries())
    if (standings[at]?.unfinished !== undefined || standings[at]?.damage !== undefined) warn(dropped(name, resume));
  const head = { id: randomUUID(), fingerprint, startedAt: Math.floor(Date.now() / 1000), previousStart };
  for (const sink of sinks) await sink.begin(head);
  return { head, works: sinks.map((sink) => ({ sink, ...emptyBooks(), isDone: false })) };
}

function refuseDamaged(standings: readonly Standing[]): void {
  for (const { damage } of standings) if (damage !== undefined) throw damage;
}

/** The one run that every sink has either begun or committed; at least one has not committed it. */
function headOf(standings: readonly Standing[]): RunHead | undefined {
  const [head] = standings.flatMap(({ unfinished }) => (unfinished === undefined ? [] : [unfinished.head]));
  const isKnown = ({ finished, unfinished }: Standing): boolean => (unfinished?.head.id ?? finished) === head?.id;
  return standings.every(isKnown) ? head : undefined;
}

type Books = Pick<Work, 'book' | 'evidence'>;

const emptyBooks = (): Books => ({ book: createProgress(), evidence: createEvidenceBook() });

async function booksOf(standing: Standing | undefined, seen: (checkpoint: Checkpoint) => void): Promise<Books> {
  const books = emptyBooks();
  if (standing?.unfinished !== undefined)
    for await (const checkpoint of standing.unfinished.checkpoints()) {
      books.book.add(checkpoint);
      books.evidence.addCheckpoint(checkpoint);
      seen(checkpoint);
    }
  return books;
}

/** A page goes to one sink after another: what the one with the fewest pages has, all have. */
const leastOf = (works: readonly Work[]): Work | undefined =>
  works
    .filter(({ isDone }) => !isDone)
    .reduce<Work | undefined>(
      (least, work) => (least === undefined || work.book.pages() < least.book.pages() ? work : least),
      undefined,
    );

async function writeTo(works: readonly Work[], page: Page): Promise<void> {
  for (const { sink } of works) if (sink.keepsNothing === true) await sink.write(page);
  const keeping = works.filter(({ sink }) => sink.keepsNothing !== true);
  if (keeping.length === 0) return;
  const { checkpoint } = page;
  // Nobody asks for a page that all have, unless its job begins again.
  const isAgain = leastOf(works)?.book.has(checkpoint) === true;
  for (const { sink, book, isDone } of keeping) {
    if (isAgain) book.forget(checkpoint.call);
    if (isDone) continue;
    if (!book.has(checkpoint)) await sink.write(page);
    else if (differs(book.last(checkpoint.call), checkpoint)) throw new FatalError('RESUME', MOVED);
  }
}

/** Whether a page that one sink has and another has not came in another shape the second time. */
const differs = (known: Checkpoint | undefined, now: Checkpoint): boolean =>
  known !== undefined && known.pages === now.pages && known.digest !== now.digest;

const MOVED =
  'The run cannot go on: one destination has a page that another has not, and the API gives it otherwise now. ' +
  'Leave --resume out to begin anew.';

const CHANGED =
  'The run cannot go on: the configuration is not the one that it began with. Go on with the configuration as it was, ' +
  'or leave --resume out to begin anew.';

const dropped = (name: string, resume: boolean): string =>
  resume
    ? `${name} has a run that was broken off, which the other destinations do not know. A new run begins.`
    : `${name} had a run that was broken off; it is dropped. --resume would have gone on with it.`;
