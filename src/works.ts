/** One run in several sinks: where each of them stands, and which page it needs. */
import { randomUUID } from 'node:crypto';
import type { DurableSink, RunManifest, Standing } from './durable-sink';
import { FatalError } from './errors';
import type { Checkpoint, JsonObject, Page } from './model';
import { createEvidenceTracker } from './sources/completeness/evidence-tracker';
import type { EvidenceTracker } from './sources/completeness/evidence-tracker';
import { createProgressTracker } from './state/progress';
import type { ProgressTracker } from './state/progress';

/** A sink at work on a run. */
export interface Work {
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

interface Beginning {
  readonly resume: boolean;
  readonly fingerprint: string;
  readonly previousStart: number;
  /** What the last run of the configuration left. */
  readonly state: JsonObject;
  /** Receives the checkpoints of pages that are safe already. */
  readonly seen: (checkpoint: Checkpoint) => void;
  readonly warn: (message: string) => void;
}

/** Goes on with the run that all sinks know, or begins a new one in all of them. */
export async function begin(
  sinks: readonly DurableSink[],
  standings: readonly Standing[],
  { resume, fingerprint, previousStart, state, seen, warn }: Beginning,
): Promise<{ head: RunManifest; works: readonly Work[] }> {
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
  for (const sink of sinks) await sink.begin(head, state);
  return { head, works: sinks.map((sink) => ({ sink, ...emptyBooks(), isDone: false })) };
}

/** The one run that every sink has either begun or committed; at least one has not committed it. */
function headOf(standings: readonly Standing[]): RunManifest | undefined {
  const [head] = standings.flatMap(({ unfinished }) => (unfinished === undefined ? [] : [unfinished.manifest]));
  const isKnown = ({ finished, unfinished }: Standing): boolean => (unfinished?.manifest.id ?? finished) === head?.id;
  return standings.every(isKnown) ? head : undefined;
}

type Books = Pick<Work, 'book' | 'evidence'>;

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
export const leastOf = (works: readonly Work[]): Work | undefined =>
  works
    .filter(({ isDone }) => !isDone)
    .reduce<Work | undefined>(
      (least, work) => (least === undefined || work.book.pages() < least.book.pages() ? work : least),
      undefined,
    );

/** Writes a page to each sink that does not have it. */
export async function writeTo(works: readonly Work[], page: Page): Promise<void> {
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
    else if (differs(book.last(checkpoint.call), checkpoint))
      throw new FatalError('RESUME', MOVED, { job: page.job, destination: sink.name });
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
