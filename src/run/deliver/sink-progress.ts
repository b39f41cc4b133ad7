/** One run in several sinks: where each of them stands, and which page it needs. */
import { randomUUID } from 'node:crypto';
import type { DurableSink, RunManifest, Standing } from '../../core/durable-sink';
import { FatalError } from '../../core/errors/errors';
import type { Checkpoint, JsonObject, Page } from '../../core/model';
import { createEvidenceTracker } from '../../sources/completeness/evidence-tracker';
import type { EvidenceTracker } from '../../sources/completeness/evidence-tracker';
import { createProgressTracker } from '../state/progress';
import type { ProgressTracker } from '../state/progress';

/** A sink at work on a run. */
export interface SinkState {
  readonly sink: DurableSink;
  /** What it has. */
  readonly book: ProgressTracker;
  /** What its pages tell of the completeness of their jobs. */
  readonly evidence: EvidenceTracker;
  /** It has all and has made it visible: the process ended while others were still at it. */
  readonly isDone: boolean;
}

/** @throws the damage of a sink whose run cannot go on */
export function refuseDamaged(standings: readonly Standing[]): void {
  for (const { damage } of standings) if (damage !== undefined) throw damage;
}

/** What tells which run is gone on with. */
export interface RunAsked {
  /** Whether a run that was broken off is gone on with. */
  readonly resume: boolean;
  /** The id that the run was given: it is gone on with if it was broken off. */
  readonly runId?: string;
  /** Whether each sink has ever committed the run of that id; absent: none has. */
  readonly committed?: readonly boolean[];
  /** Whether rows of a new run tell which run and which page brought them; default false. */
  readonly runColumns?: boolean;
}

interface Beginning extends RunAsked {
  readonly fingerprint: string;
  readonly previousStart: number;
  /** What the last run of the configuration left. */
  readonly state: JsonObject;
  /** Receives the checkpoints of pages that are safe already. */
  readonly seen: (checkpoint: Checkpoint) => void;
  /** Milliseconds since the epoch; absent: the clock says. */
  readonly now?: number;
  readonly warn: (message: string) => void;
}

/** Goes on with the run that all sinks know, or begins a new one in all of them that have not committed it. */
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
    return { head: known, sinkStates: sinkStates };
  }
  for (const [at, { name }] of sinks.entries()) {
    const { unfinished, damage } = standings[at] ?? {};
    if (done[at] === true || (unfinished === undefined && damage === undefined)) continue;
    // Where nothing had arrived, nothing is lost.
    if (damage === undefined && unfinished !== undefined && !(await hasPages(unfinished))) continue;
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
  return { head, sinkStates: sinkStates };
}

async function hasPages({ checkpoints }: NonNullable<Standing['unfinished']>): Promise<boolean> {
  for await (const { pages } of checkpoints()) return pages > 0;
  return false;
}

/** Which sinks have committed the run already that is gone on with, or that of the id. */
export function doneIn(standings: readonly Standing[], asked: RunAsked): readonly boolean[] {
  const head = headOf(standings, asked);
  return standings.map(
    (standing, at) => asked.committed?.[at] === true || (head !== undefined && hasCommitted(standing, head)),
  );
}

const hasCommitted = ({ finished, unfinished }: Standing, { id }: RunManifest): boolean =>
  finished === id && unfinished?.manifest.id !== id;

/** The one run that every sink has either begun or committed; at least one has not committed it. */
function headOf(standings: readonly Standing[], { resume, runId, committed = [] }: RunAsked): RunManifest | undefined {
  if (!resume && runId === undefined) return undefined;
  const begun = standings.flatMap(({ unfinished, damage }) => (damage === undefined ? (unfinished ?? []) : []));
  const head = begun.map(({ manifest }) => manifest).find(({ id }) => runId === undefined || id === runId);
  const isKnown = ({ finished, unfinished }: Standing, at: number): boolean => {
    if (committed[at] === true) return true;
    const { id = finished, attempt = head?.attempt } = unfinished?.manifest ?? {};
    return id === head?.id && attempt === head?.attempt;
  };
  return standings.every(isKnown) ? head : undefined;
}

type Books = Pick<SinkState, 'book' | 'evidence'>;

const emptyBooks = (): Books => ({ book: createProgressTracker(), evidence: createEvidenceTracker() });

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
export const leastOf = (sinkStates: readonly SinkState[]): SinkState | undefined =>
  sinkStates
    .filter(({ isDone }) => !isDone)
    .reduce<SinkState | undefined>(
      (least, work) => (least === undefined || work.book.pages() < least.book.pages() ? work : least),
      undefined,
    );

/**
 * The sinks in the order in which they commit, with their places: first those that may refuse items which all others take, so that
 * nothing is committed before.
 */
export const inOrderOfCommit = (sinkStates: readonly SinkState[]): readonly (readonly [number, SinkState])[] => {
  const all = [...sinkStates.entries()];
  const isStrict = ([, { sink }]: readonly [number, SinkState]): boolean => sink.makes === 'linked-tables';
  return [...all.filter(isStrict), ...all.filter((each) => !isStrict(each))];
};

/** Writes a page to the sinks that keep nothing. */
export async function writeAtOnce(sinkStates: readonly SinkState[], page: Page): Promise<void> {
  for (const { sink } of sinkStates) if (sink.keepsNothing === true) await sink.write(page);
}

/**
 * The sinks that keep pages and do not have this one.
 *
 * @throws FatalError RESUME where one of them has it in another shape
 */
export function wanting(sinkStates: readonly SinkState[], page: Page): readonly DurableSink[] {
  const keeping = sinkStates.filter(({ sink }) => sink.keepsNothing !== true);
  if (keeping.length === 0) return [];
  const { checkpoint } = page;
  // Nobody asks for a page that all have, unless its job begins again.
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

/** Whether a page that one sink has and another has not came in another shape the second time. */
const differs = (known: Checkpoint | undefined, now: Checkpoint): boolean =>
  known !== undefined && known.pages === now.pages && known.digest !== now.digest;

const MOVED =
  'The run cannot go on: one destination has a page that another has not, and the API gives it otherwise now. ' +
  'Leave --resume out to begin anew.';

const CHANGED =
  'The run cannot go on: the configuration is not the one that it began with. Go on with the configuration as it was, ' +
  'or leave --resume out to begin anew.';

const CHANGED_OF_ID =
  'The run of this id cannot go on: the configuration is not the one that it began with. Go on with the configuration as ' +
  'it was, or give the run another id.';

const droppedOther = (name: string): string =>
  `${name} had a run of another id that was broken off; it is dropped. --resume without a run id, or with its own, would ` +
  'have gone on with it.';

/** The configuration was changed, or the destination is that of another one: nothing could have gone on with the run. */
const droppedChanged = (name: string): string =>
  `${name} had a run of another configuration that was broken off; it is dropped, and its pages are gone. --resume goes on with the ` +
  'configuration that a run began with alone.';

const dropped = (name: string, resume: boolean): string =>
  resume
    ? `${name} has a run that was broken off, which the other destinations do not know. A new run begins.`
    : `${name} had a run that was broken off; it is dropped. --resume would have gone on with it.`;
