/** The progress of one run in several sinks: how far each sink is, and which pages it needs. */
import { randomUUID } from 'node:crypto';
import type { CommittedRun, DurableSink, RunManifest, Standing } from '../../core/durable-sink';
import { FatalError } from '../../core/errors/errors';
import type { Checkpoint, JsonObject, Page } from '../../core/model';
import { createEvidenceTracker } from '../../sources/completeness/judgement';
import type { EvidenceTracker } from '../../sources/completeness/judgement';
import { createProgressTracker } from '../state/progress';
import type { ProgressTracker } from '../state/progress';

/** A sink during a run. */
export interface SinkState {
  readonly sink: DurableSink;
  /** The pages that it has. */
  readonly book: ProgressTracker;
  /** The evidence of its pages about the completeness of their jobs. */
  readonly evidence: EvidenceTracker;
  /** True if it has committed the run: the process ended while other sinks had not. */
  readonly isDone: boolean;
}

/** @throws the damage of a sink whose run cannot be resumed */
export function refuseDamaged(standings: readonly Standing[]): void {
  for (const { damage } of standings) if (damage !== undefined) throw damage;
}

/** The options that decide which run is resumed. */
export interface RunAsked {
  /** True if an interrupted run is resumed. */
  readonly resume: boolean;
  /** The id of the run; an interrupted run of this id is resumed. */
  readonly runId?: string;
  /** The run of that id in each sink that has ever committed it; absent: none has. */
  readonly committed?: readonly (CommittedRun | undefined)[];
  /** True if the rows of a new run have columns for its run and page; default false. */
  readonly runColumns?: boolean;
}

interface Beginning extends RunAsked {
  readonly fingerprint: string;
  readonly previousStart: number;
  /** The state after the last run of the configuration. */
  readonly state: JsonObject;
  /** Receives the checkpoints of pages that are already stored. */
  readonly seen: (checkpoint: Checkpoint) => void;
  /** Milliseconds since the epoch; absent: the current time. */
  readonly now?: number;
  readonly warn: (message: string) => void;
}

/** Resumes the run that all sinks know, or starts a new one in all sinks that have not committed it. */
export async function begin(
  sinks: readonly DurableSink[],
  standings: readonly Standing[],
  { fingerprint, previousStart, state, seen, warn, now = Date.now(), ...asked }: Beginning,
): Promise<{ head: RunManifest; sinkStates: readonly SinkState[] }> {
  const { resume, runId, runColumns = false } = asked;
  const known = headOf(standings, asked);
  const done = doneIn(standings, asked);
  if (known !== undefined) {
    if (known.fingerprint !== fingerprint)
      throw new FatalError('RESUME', runId === undefined ? CHANGED : CHANGED_OF_ID);
    const sinkStates: SinkState[] = [];
    for (const [at, sink] of sinks.entries()) {
      const isDone = done[at] === true;
      sinkStates.push({ sink, ...(isDone ? emptyBooks() : await booksOf(standings[at], seen)), isDone });
    }
    return { head: known, sinkStates };
  }
  for (const [at, { name }] of sinks.entries()) {
    const { unfinished, damage } = standings[at] ?? {};
    // A run without pages loses nothing; nobody knows the pages of a damaged one.
    if (done[at] === true || (damage === undefined && !(await hasPages(unfinished)))) continue;
    const isOwn = runId !== undefined && unfinished?.manifest.id === runId;
    if (runId !== undefined && damage !== undefined) warn(`${name}: ${damage.message}`);
    else if (unfinished !== undefined && unfinished.manifest.fingerprint !== fingerprint) warn(droppedChanged(name));
    else if (runId === undefined || isOwn) warn(dropped(name, resume || isOwn));
    else warn(droppedOther(name));
  }
  const startedAt = Math.floor(now / 1000);
  const named = runId === undefined ? { id: randomUUID() } : { id: runId, attempt: randomUUID() };
  const stamped = runColumns ? { runColumns } : {};
  const head: RunManifest = { ...named, fingerprint, startedAt, previousStart, ...stamped };
  const sinkStates = sinks.map((sink, at) => ({ sink, ...emptyBooks(), isDone: done[at] === true }));
  for (const { sink, isDone } of sinkStates) if (!isDone) await sink.begin(head, state);
  return { head, sinkStates };
}

async function hasPages(unfinished: Standing['unfinished']): Promise<boolean> {
  if (unfinished !== undefined) for await (const _ of unfinished.checkpoints()) return true;
  return false;
}

/** Returns which sinks have already committed the run that is resumed, or the run of the id. */
export function doneIn(standings: readonly Standing[], asked: RunAsked): readonly boolean[] {
  const head = headOf(standings, asked);
  // Each sink knows the run: one that has not begun it has committed it.
  return standings.map(
    ({ unfinished }, at) => asked.committed?.[at] !== undefined || (head !== undefined && unfinished === undefined),
  );
}

/** Returns the one run that every sink has either begun or committed; at least one has not committed it. */
function headOf(standings: readonly Standing[], { resume, runId, committed = [] }: RunAsked): RunManifest | undefined {
  if (!resume && runId === undefined) return undefined;
  const begun = standings.flatMap(({ unfinished, damage }) => (damage === undefined ? (unfinished ?? []) : []));
  const head = begun.map(({ manifest }) => manifest).find(({ id }) => runId === undefined || id === runId);
  const isKnown = ({ finished, unfinished, damage }: Standing, at: number): boolean => {
    if (committed[at] !== undefined) return true;
    const { id = finished, attempt = head?.attempt } = unfinished?.manifest ?? {};
    return damage === undefined && id === head?.id && attempt === head?.attempt;
  };
  return standings.every(isKnown) ? head : undefined;
}

type Books = Pick<SinkState, 'book' | 'evidence'>;

/** Returns the books of a sink that has no page of a run yet. */
export const emptyBooks = (): Books => ({ book: createProgressTracker(), evidence: createEvidenceTracker() });

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

/** Returns the sink with the fewest pages: since a page goes to one sink after another, all sinks have its pages. */
export const leastOf = (sinkStates: readonly SinkState[]): SinkState | undefined =>
  sinkStates
    .filter(({ isDone }) => !isDone)
    .reduce<SinkState | undefined>(
      (least, work) => (least === undefined || work.book.pages() < least.book.pages() ? work : least),
      undefined,
    );

/**
 * Returns the sinks in the order of their commits, with their indexes: first those that may refuse items which all others accept, so that
 * nothing is committed before.
 */
export const inOrderOfCommit = (sinkStates: readonly SinkState[]): readonly (readonly [number, SinkState])[] => {
  const all = [...sinkStates.entries()];
  const isStrict = ([, { sink }]: readonly [number, SinkState]): boolean => sink.makes === 'linked-tables';
  return [...all.filter(isStrict), ...all.filter((each) => !isStrict(each))];
};

/** Writes a page to the sinks that keep no pages. */
export async function writeAtOnce(sinkStates: readonly SinkState[], page: Page): Promise<void> {
  for (const { sink } of sinkStates) if (sink.keepsNothing === true) await sink.write(page);
}

/**
 * Returns the sinks that keep pages and lack this one.
 *
 * @throws FatalError RESUME where one of them has it in another shape
 */
export function wanting(sinkStates: readonly SinkState[], page: Page): readonly DurableSink[] {
  const keeping = sinkStates.filter(({ sink }) => sink.keepsNothing !== true);
  if (keeping.length === 0) return [];
  const { checkpoint } = page;
  // A page that all sinks have comes again only if its job restarts.
  const isAgain = leastOf(sinkStates)?.book.has(checkpoint) === true;
  if (isAgain) for (const { book } of keeping) book.forget(checkpoint.call);
  const lacks = ({ sink, book, isDone }: SinkState): boolean => {
    if (isDone) return false;
    const isThere = book.has(checkpoint);
    if (isThere && differs(book.last(checkpoint.call), checkpoint))
      throw new FatalError('RESUME', MOVED, { job: page.job, destination: sink.name });
    return !isThere;
  };
  return keeping.filter(lacks).map(({ sink }) => sink);
}

/** Returns whether a page that only some sinks have differs the second time. */
const differs = (known: Checkpoint | undefined, now: Checkpoint): boolean =>
  known !== undefined && known.pages === now.pages && known.digest !== now.digest;

const MOVED =
  'The run cannot go on: one destination has a page that another has not, and the API gives it otherwise now. ' +
  'Leave --resume out to start over.';

const CHANGED =
  'The run cannot go on: the configuration is not the one that it began with. Go on with the configuration as it was, ' +
  'or leave --resume out to start over.';

const CHANGED_OF_ID =
  'The run of this id cannot go on: the configuration is not the one that it began with. Go on with the configuration as ' +
  'it was, or give the run another id.';

const droppedOther = (name: string): string =>
  `${name} had a run of another id that was broken off; it is dropped. --resume without a run id, or with its own, would ` +
  'have gone on with it.';

/** Returns the warning about a changed configuration, or a destination of another one: the run could not be resumed. */
const droppedChanged = (name: string): string =>
  `${name} had a run of another configuration that was broken off; it is dropped, and its pages are gone. --resume goes on with the ` +
  'configuration that a run began with alone.';

const dropped = (name: string, resume: boolean): string =>
  resume
    ? `${name} has a run that was broken off, which the other destinations do not know. A new run begins.`
    : `${name} had a run that was broken off; it is dropped. --resume would have gone on with it.`;
