/** A run that several processes make, each some parts of it (docs/scale.md): what the parts are, and how one is delivered. */
import { EMPTY, asyncScheduler } from 'rxjs';
import type { DurableSink, PartJournal, RunManifest, WritePage } from '../../core/durable-sink';
import { FatalError, HeadwaterError, IncompleteError } from '../../core/errors/errors';
import type { RunEvent } from '../../core/events';
import { warnTo } from '../../core/log';
import type { Checkpoint, Json, JsonObject, Page, PagesHere, Progress } from '../../core/model';
import { ownsCall, partName, partsBefore } from '../../core/run-parts';
import type { ParentPage, RestPart, RunPart } from '../../core/run-parts';
import { maskedError } from '../../core/secrets/masking';
import { Secrets } from '../../core/secrets/secrets';
import type { Destination } from '../../language/parts/sink';
import { toAsyncIterable } from '../../operators/interop/iterable';
import type { IterationPlan, JobPlan, RunTimes } from '../../plan/plan';
import { needsAllPages } from '../../sources/call-state';
import { extractPrepared, watchOf } from '../extract';
import type { ExtractOptions } from '../extract';
import { RunCounter } from '../run-snapshot';
import type { SharedSession } from '../sessions/shared-session';
import { createProgressTracker } from '../state/progress';
import type { TuneSettings } from '../tuning';
import { prepare } from '../validate';
import { firstPages, notThere, startOf, startOfRest } from './known-pages';
import { emptyBooks } from './sink-progress';
import { stampedPages, writePages } from './write-pages';

/** Windows and partitions are shared by at most so many parts. */
const MOST_SHARES = 500;

/**
 * Returns the parts with which a run begins. Those without `below` are followed by parts for their pages, see `partsBelow`.
 *
 * @param times the start of the run and of the one before
 * @example partsOf(planned.iterations, { currentStart: 1700000000, previousStart: 0 })
 */
export const partsOf = (iterations: readonly IterationPlan[], times: RunTimes): readonly RunPart[] =>
  iterations.flatMap(({ jobs }, iteration) => jobs.flatMap((job, at) => partsOfJob(job, [iteration, at], times)));

function partsOfJob(job: JobPlan, call: Checkpoint['call'], times: RunTimes): readonly RunPart[] {
  const slices = job.slices?.(times).slices ?? [];
  // The pages of a result that is asked for, and the halves of a window that is capped, are numbered in ways of their own.
  const isWhole = job.asynchronous !== undefined || slices.some(({ cap }) => cap !== undefined);
  const below = isWhole || job.children.length === 0;
  if (isWhole || slices.length < 2) return [{ kind: 'job', call, below }];
  const of = Math.min(slices.length, MOST_SHARES);
  return Array.from({ length: of }, (_, at) => ({ kind: 'job', call, below, share: { at, of } }));
}

/** What a part is delivered with. */
export interface PartOptions extends Pick<
  ExtractOptions,
  'components' | 'env' | 'lenient' | 'onEvent' | 'ownConnections' | 'proxies' | 'secretFiles' | 'signal'
> {
  readonly manifest: RunManifest;
  /** The state that the run began with. */
  readonly state: JsonObject;
  /** A number that is higher for later attempts. */
  readonly attempt: number;
  /** Returns what the processes of the run share at an API, by its base URL; absent: nothing. */
  readonly sessionAt?: (baseUrl: string) => SharedSession;
  /** Settings that were changed while the run went on. */
  readonly tuned?: readonly TuneSettings[];
  /** Is called with each page that was taken, with the numbers so far. */
  readonly written?: (pages: number, items: number) => void;
  /**
   * Is called with each stored page for whose items children have to be called, once its job cannot begin again; absent, and for other jobs:
   * these pages come with the end of the part.
   */
  readonly found?: (page: ParentPage) => void;
}

/** The end of a part. */
export interface PartEnd {
  readonly pages: number;
  readonly items: number;
  readonly requests: number;
  readonly retries: number;
  readonly logins: number;
  /** The pages for whose items children have to be called; none where the part has made these calls. */
  readonly parents: readonly ParentPage[];
  /** The rest of the call, which is made when the parts before it are over (`partsBefore`); absent: the part has read the whole call. */
  readonly rest?: RestPart;
  /** True for a rest that has read the whole call: its pages take the place of all others. */
  readonly isAnew?: true;
  /** The warnings of the part, not those about its end: the run is judged when all parts are there. */
  readonly warnings: readonly string[];
}

const MOST_WARNINGS = 20;

/**
 * Delivers one part of a begun run into the journal of its destination, which other processes write to as well. Pages that an earlier
 * attempt has written are not requested again.
 *
 * @throws FatalError PART_TAKEN; whatever `extract` throws, except for an incomplete end
 * @example await deliverPart(config, sinks.postgres('postgres://…'), part, { manifest, state, attempt: 1 })
 */
export async function deliverPart(
  config: Json,
  destination: Destination,
  part: RunPart,
  { manifest, state, attempt, sessionAt, tuned = [], written, found, ...options }: PartOptions,
): Promise<PartEnd> {
  const prepared = prepare(config, { ...options, tableNaming: 'sql' });
  const secrets = new Secrets(prepared.secrets);
  const counter = new RunCounter();
  const warnings: string[] = [];
  const onEvent = (event: RunEvent): void => {
    counter.add(event, asyncScheduler.now());
    options.onEvent?.(event);
    if (event.type === 'warning' && event.isExpected !== true && warnings.length < MOST_WARNINGS)
      warnings.push(event.message);
  };
  const outputs = prepared.planned.iterations.map(({ output }) => output);
  const sink = destination(outputs, warnTo(onEvent));
  const { shared } = sink;
  if (shared === undefined) throw notShared(sink);
  try {
    const journal = await shared.take(manifest, partName(part), attempt);
    const parents: ParentPage[] = [];
    const plan = planOf(prepared.planned.iterations, part);
    const first = firstPages(part.kind === 'job' ? plan : undefined);
    const isKnownAtOnce = found !== undefined && part.kind === 'job' && neverRestarts(plan);
    const noteStored = (checkpoint: Checkpoint): void => {
      if (ownsChildren(part) || checkpoint.parents === undefined) return;
      addParent(parents, checkpoint);
      if (isKnownAtOnce && !first.mayBeShared(checkpoint.pages)) for (const page of parents.splice(0)) found(page);
    };
    const { progress, isAnew } = await progressOf(journal, part, plan, (checkpoint) => {
      first.had(checkpoint);
      noteStored(checkpoint);
    });
    const last = progress.get(part.call.join('.'));
    const isRead = part.kind === 'pages' && (last?.pages ?? 0) >= part.pages.to;
    const pagesHere: PagesHere = (key, reached) =>
      part.kind === 'pages' ? part.pages.to - reached.pages : first.pagesHere(key, reached);
    const { startedAt, previousStart, id } = manifest;
    const [baseUrl] = prepared.planned.iterations.map(({ http }) => http.baseUrl);
    const extraction = extractPrepared(
      prepared,
      {
        ...options,
        ...{ state, previousStart, onEvent },
        resume: {
          ...{ id, startedAt, progress, owns: (key) => ownsCall(part, key), pagesHere },
          ...(sessionAt === undefined || baseUrl === undefined ? {} : { shared: sessionAt(baseUrl) }),
        },
      },
      undefined,
      { ...watchOf(options, undefined), tally: counter },
    );
    for (const settings of tuned) extraction.tune(settings);
    const arriving = toAsyncIterable(isRead || first.left() !== undefined ? () => EMPTY : extraction.pagesBehind);
    let [pages, items] = [0, 0];
    const ofPart = { sink: { ...sink, write: noting(journal.write, noteStored) }, ...emptyBooks(), isDone: false };
    const { failure } = await writePages(
      manifest.runColumns === true ? stampedPages(arriving, id) : arriving,
      [ofPart],
      (page) => {
        pages += 1;
        items += page.count;
        written?.(pages, items);
      },
    );
    // A part alone may look incomplete; whether the run is, is judged by all of its parts.
    if (failure !== undefined && !(failure.error instanceof IncompleteError || isBehindEnd(part, failure.error)))
      throw failure.error;
    const { requests, retries, logins } = counter.snapshot();
    const behind = first.left();
    const rest: RestPart | undefined = behind && { kind: 'rest', call: part.call, behind };
    if (rest !== undefined) await shared.reserve?.(manifest, [...partsBefore(rest), rest].map(partName));
    return {
      ...{ pages, items, requests, retries, logins, parents, warnings },
      ...(rest === undefined ? {} : { rest }),
      ...(isAnew ? { isAnew } : {}),
    };
  } catch (error) {
    throw maskedError(error, secrets);
  } finally {
    await shared.close();
  }
}

const ownsChildren = (part: RunPart): boolean => part.kind === 'children' || (part.kind === 'job' && part.below);

const planOf = (
  iterations: readonly IterationPlan[],
  { call: [iteration = 0, at = 0] }: RunPart,
): JobPlan | undefined => iterations[iteration]?.jobs[at];

/** Returns whether the calls of a job, once they are broken off, go on in any case: their children may be called before they end. */
const neverRestarts = (plan: JobPlan | undefined): boolean =>
  plan?.pagination.runsAhead === true && !needsAllPages({ plan });

/** The statuses by which an API says that it has no such page. One process that reads the call as a whole may never ask for it. */
const NO_PAGE: ReadonlySet<unknown> = new Set([400, 404, 410, 416, 422]);
const isBehindEnd = ({ kind }: RunPart, error: unknown): boolean =>
  kind === 'pages' && error instanceof HeadwaterError && NO_PAGE.has(error.status);

/** Returns what writes pages, and notes each that is stored. */
const noting = (write: WritePage, note: (checkpoint: Checkpoint) => void): WritePage => {
  const { together } = write;
  const noted =
    <T>(store: (pages: T) => Promise<void>, all: (pages: T) => readonly Page[]) =>
    async (pages: T): Promise<void> => {
      await store(pages);
      for (const { checkpoint } of all(pages)) note(checkpoint);
    };
  const one = noted(write, (page) => [page]);
  return together === undefined ? one : Object.assign(one, { together: noted(together, (pages) => pages) });
};

/** A call that begins again replaces its pages. */
function addParent(parents: ParentPage[], checkpoint: Checkpoint): void {
  const key = checkpoint.call.join('.');
  if (checkpoint.pages === 1)
    parents.splice(0, parents.length, ...parents.filter((each) => each.call.join('.') !== key));
  parents.push(...parentsIn(checkpoint));
}

/** Returns the page of a checkpoint, if it has items for which children are called. */
function parentsIn({ call, pages, parents: lines = '' }: Checkpoint): readonly ParentPage[] {
  const items = lines.split('\n').length - 1;
  return items > 0 ? [{ call, page: pages - 1, items }] : [];
}

/** What is there of a part before it goes on. */
interface PartStart {
  readonly progress: Progress;
  /** True if it reads a whole call in place of other parts. */
  readonly isAnew: boolean;
}

/** Returns the progress of the calls of a part: what its earlier attempts have written, below the page that it belongs to. */
async function progressOf(
  journal: PartJournal,
  part: RunPart,
  plan: JobPlan | undefined,
  notes: (checkpoint: Checkpoint) => void,
): Promise<PartStart> {
  const tracker = createProgressTracker();
  let first: Checkpoint | undefined;
  for await (const checkpoint of journal.checkpoints()) {
    first ??= checkpoint;
    tracker.add(checkpoint);
    notes(checkpoint);
  }
  const progress = new Map(tracker.progress());
  const { call } = part;
  if (part.kind === 'job') return { progress, isAnew: false };
  if (part.kind === 'children') {
    const parent = await journal.checkpointOf(call, part.page);
    if (parent === undefined) throw notThere(`Page ${part.page + 1} of call ${call.join('.')}`);
    // As after its last page, so that the call goes on with the children of this page, and then ends.
    const ended: Partial<Record<keyof Checkpoint, unknown>> = { ...parent };
    delete ended.position;
    delete ended.digest;
    return { progress: progress.set(call.join('.'), ended as Checkpoint), isAnew: false };
  }
  if (first !== undefined) return { progress, isAnew: part.kind === 'rest' && first.pages === 1 };
  const start = await (part.kind === 'rest' ? startOfRest(part, plan, journal) : startOf(part, journal));
  if (start !== undefined) progress.set(call.join('.'), start);
  return { progress, isAnew: start === undefined };
}

/** Returns the error for a destination that only one process can write to. */
export const notShared = ({ name }: Pick<DurableSink, 'name'>): FatalError =>
  new FatalError(
    'DESTINATION_INCOMPATIBLE',
    `${name} belongs to one machine, or to one process at a time: workers cannot write to it together. Take a PostgreSQL database, ` +
      'postgres://…, files in a bucket (parquet:s3://…, csv:s3://…, ndjson:s3://…) or a NATS stream, nats://…, or run it here, by ' +
      '"headwater run".',
    { destination: name },
  );
