/** An extraction into sinks that survive: every page arrives in each of them, once, whatever becomes of the process. */
import { randomUUID } from 'node:crypto';
import { FatalError } from './errors';
import { extract } from './extract';
import type { ExtractOptions } from './extract';
import { merge } from './json/merge';
import type { Checkpoint, DurableSink, Json, JsonObject, Page, RunHead, Standing, Stored } from './model';
import type { OutputPlan } from './plan/plan';
import { withOwnState } from './state/by-configuration';
import { createCursors } from './state/cursors';
import { commonState } from './state/common-state';
import { fingerprintOf } from './state/fingerprint';
import { withoutKeptValues } from './state/kept-credentials';
import { reserve } from './state/reserve';
import { nextState, previousStartOf } from './state/next-state';
import { createProgress } from './state/progress';
import type { ProgressBook } from './state/progress';

/** Makes a sink, once it is known how the runs of the configuration write. */
export type Destination = (outputs: readonly OutputPlan[]) => DurableSink;

export interface DeliverOptions extends Omit<ExtractOptions, 'resume'> {
  /** Goes on with a run that was broken off, if there is one; default: such a run is dropped, and a new one begins. */
  readonly resume?: boolean;
}

/** What became of a run. */
export interface Delivery {
  /** For each sink, what it stored. */
  readonly stored: readonly { readonly sink: string; readonly tables: readonly Stored[] }[];
  /** Pages that were safe before, of a run that went on. */
  readonly resumedPages: number;
  /** What the next run needs (language 8.13). The sinks keep it, too. */
  readonly state: JsonObject;
}

/** A sink at work on a run. */
interface Work {
  readonly sink: DurableSink;
  /** What it has. */
  readonly book: ProgressBook;
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
 * @throws ConfigurationError before any request; FatalError RESUME when the configuration is not that of the run that was
 * broken off; DESTINATION, SINK_FAILED of a sink; whatever `extract` throws
 * @example
 * await deliver(config, [sinks.duckdb('items.duckdb'), sinks.ndjson('items')], { resume: true });
 */
export async function deliver(
  config: Json,
  destinations: readonly Destination[],
  options: DeliverOptions = {},
): Promise<Delivery> {
  const { resume = false, state: given, onCredentials, ...extractOptions } = options;
  const { outputs } = extract(config);
  const sinks = destinations.map((destination) => destination(outputs));
  const release = reserve(sinks.map(({ name }) => name));
  try {
    const standings: Standing[] = [];
    for (const sink of sinks) standings.push(await sink.open());
    if (resume) refuseDamaged(standings);
    const fingerprint = fingerprintOf(config);
    let state = given ?? commonState(sinks, standings, config, fingerprint);
    const cursors = createCursors(state);
    const { head, works } = await begin(sinks, standings, {
      resume,
      fingerprint,
      previousStart: options.previousStart ?? previousStartOf(state),
      seen: cursors.add,
      warn: (message) => void options.logger?.log('warn', message, { event: 'warning', code: 'RUN_DROPPED' }),
    });
    const extraction = extract(config, {
      ...extractOptions,
      state,
      previousStart: head.previousStart,
      resume: { startedAt: head.startedAt, progress: leastOf(works)?.book.progress() ?? new Map() },
      onCredentials: (next) => {
        state = next;
        return onCredentials?.(next);
      },
    });
    if (works.some(({ isDone }) => !isDone))
      for await (const page of extraction.pages()) {
        await writeTo(works, page);
        cursors.addPage(page);
      }
    let next = cursors.into(nextState(state, head.startedAt));
    const stored: { sink: string; tables: readonly Stored[] }[] = [];
    for (const [at, { sink, isDone }] of works.entries())
      if (!isDone) {
        const kept = withOwnState(standings[at]?.state ?? {}, fingerprint, withoutKeptValues(next));
        stored.push({ sink: sink.name, tables: await sink.commit(kept) });
        next = merge(next, sink.kept?.() ?? {});
      }
    return { stored, resumedPages: leastOf(works)?.book.pages() ?? 0, state: next };
  } finally {
    await closeAll(sinks);
    release();
  }
}

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
      works.push({ sink, book: await bookOf(standings[at], seen), isDone: standings[at]?.finished === known.id });
    return { head: known, works };
  }
  for (const [at, { name }] of sinks.entries())
    if (standings[at]?.unfinished !== undefined || standings[at]?.damage !== undefined) warn(dropped(name, resume));
  const head = { id: randomUUID(), fingerprint, startedAt: Math.floor(Date.now() / 1000), previousStart };
  for (const sink of sinks) await sink.begin(head);
  return { head, works: sinks.map((sink) => ({ sink, book: createProgress(), isDone: false })) };
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

async function bookOf(standing: Standing | undefined, seen: (checkpoint: Checkpoint) => void): Promise<ProgressBook> {
  const book = createProgress();
  if (standing?.unfinished !== undefined)
    for await (const checkpoint of standing.unfinished.checkpoints()) {
      book.add(checkpoint);
      seen(checkpoint);
    }
  return book;
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
