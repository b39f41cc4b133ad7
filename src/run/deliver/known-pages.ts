/** A long list that several processes read: its first pages say how many there are, and the others are shared (docs/scale.md). */
import type { PartJournal } from '../../core/durable-sink';
import { FatalError } from '../../core/errors/errors';
import type { EvidenceFacts } from '../../core/evidence';
import type { Checkpoint, PagesHere, Reached } from '../../core/model';
import { partName, partsBefore, positionBehind } from '../../core/run-parts';
import type { KnownPages, PagesPart, RestPart } from '../../core/run-parts';
import type { JobPlan } from '../../plan/plan';
import { needsAllPages } from '../../sources/call-state';
import { knownFrom } from '../../sources/completeness/facts';

/** Two pages show how far their positions are apart, and the judge that the API heeds them. */
const FIRST_PAGES = 2;
/** The pages of one part: enough for some seconds of work, and few enough to share them well. */
const LEAST_PAGES = 20;
const MOST_PARTS = 500;

/** Returns whether pages of a job may be shared: each is a request of its own, and none depends on what others contain. */
const isShareable = (plan: JobPlan): boolean =>
  plan.pagination.runsAhead === true &&
  !needsAllPages({ plan }) &&
  plan.stops.length === 0 &&
  plan.incremental?.older !== 'end' &&
  (plan.slices ?? plan.stream ?? plan.asynchronous) === undefined;

/**
 * Returns the pages of a call that can be shared; `undefined` if they are too few, or not known. The last page of the list is not among them:
 * at the end of a call, one process judges it.
 *
 * @param first what the call has reached after one page
 * @param second after two pages
 * @example knownPages(plan, { pages: 1, items: 10, position: 10 }, { pages: 2, items: 20, position: 20, total })
 */
export function knownPages(plan: JobPlan, first: Reached, second: Reached): KnownPages | undefined {
  const { total, position } = second;
  const size = first.items;
  if (total?.isSteady !== true || !total.isOfAll || size === 0 || second.items !== FIRST_PAGES * size) return undefined;
  if (typeof position !== 'number' || typeof first.position !== 'number') return undefined;
  const stride = position - first.position;
  if (stride !== size && stride !== 1) return undefined;
  const all = Math.ceil(total.value / size);
  const count = all - 1 - FIRST_PAGES;
  if (!isShareable(plan) || count < 2 * LEAST_PAGES || all > plan.requestLimit) return undefined;
  const every = Math.max(LEAST_PAGES, Math.ceil(count / MOST_PARTS));
  return { from: FIRST_PAGES, to: all - 1, position, stride, every };
}

export const notThere = (what: string): FatalError =>
  new FatalError('JOURNAL_DAMAGED', `${what} is not in the journal.`);

/** The first pages of a call, after which others may read the rest. */
export interface FirstPages {
  readonly pagesHere: PagesHere;
  /** Takes a page that an earlier attempt has stored. */
  readonly had: (checkpoint: Checkpoint) => void;
  /** Returns whether the pages of a call, so many, may be replaced: nothing may be made of them yet. */
  readonly mayBeShared: (pages: number) => boolean;
  /** Returns the pages that are left to others; `undefined`: none. */
  readonly left: () => KnownPages | undefined;
}

/**
 * @param plan the job of the call; absent: none of its pages are left to others
 * @example const first = firstPages(plan); first.pagesHere([0, 0], { pages: 0, items: 0 }) // 2
 */
export function firstPages(plan: JobPlan | undefined): FirstPages {
  let before: Reached | undefined;
  let left: KnownPages | undefined;
  const reach = (reached: Reached): number => {
    if (plan === undefined || !isShareable(plan)) return Infinity;
    const { pages } = reached;
    left = pages === FIRST_PAGES && before?.pages === 1 ? knownPages(plan, before, reached) : undefined;
    before = reached;
    if (pages < FIRST_PAGES) return FIRST_PAGES - pages;
    return left === undefined ? Infinity : 0;
  };
  return {
    pagesHere: (_, reached) => reach(reached),
    had: (checkpoint) => {
      const { total } = knownFrom(checkpoint);
      reach({ ...checkpoint, ...(total === undefined ? {} : { total }) });
    },
    mayBeShared: (pages) => plan !== undefined && isShareable(plan) && pages <= FIRST_PAGES,
    left: () => left,
  };
}

/**
 * Returns the checkpoint with which a part of known pages begins.
 *
 * @throws FatalError JOURNAL_DAMAGED where the first pages of the call are not there
 */
export async function startOf({ call, pages }: PagesPart, journal: PartJournal): Promise<Checkpoint> {
  const last = await firstOf(call, journal);
  if (last === undefined) throw notThere(`The last of the first pages of call ${call.join('.')}`);
  const { from, position } = pages;
  return { ...plain(last), ...{ pages: from, items: (last.items / FIRST_PAGES) * from, position } };
}

/** Returns the checkpoint of the first pages of a call. */
const firstOf = (call: Checkpoint['call'], journal: PartJournal): Promise<Checkpoint | undefined> =>
  journal.lastOf(partName({ kind: 'job', call, below: false }));

/**
 * Returns the checkpoint with which the rest of a call begins: the facts of all parts before it, as those of one call; `undefined` if one of
 * them did not find what was expected.
 */
export async function startOfRest(
  { call, behind }: RestPart,
  plan: JobPlan | undefined,
  journal: PartJournal,
): Promise<Checkpoint | undefined> {
  const first = await firstOf(call, journal);
  if (first === undefined) return undefined;
  const size = first.items / FIRST_PAGES;
  const prints = new Set([first.evidence?.print]);
  let [facts, total] = [first.evidence?.facts ?? {}, first.evidence?.total ?? 0];
  let last = first;
  for (const part of partsBefore({ call, behind })) {
    const { to } = part.pages;
    const found = await journal.lastOf(partName(part));
    const isExpected =
      found?.pages === to && found.items === to * size && found.position === positionBehind(part.pages);
    if (!isExpected) return undefined;
    // The API gives one page for several positions.
    const { print } = found.evidence ?? {};
    if (plan?.equalPages !== 'keep' && print !== undefined && prints.has(print)) return undefined;
    prints.add(print);
    facts = joined(first.evidence?.facts ?? {}, facts, found.evidence?.facts ?? {});
    total = Math.max(total, found.evidence?.total ?? 0);
    last = found;
  }
  const { print } = last.evidence ?? {};
  return {
    ...plain(last),
    ...(last.position === undefined ? {} : { position: last.position }),
    evidence: { total, facts, ...(print === undefined ? {} : { print }) },
  };
}

/**
 * Joins what parts have met. Each begins with what the first pages had.
 *
 * @param first what the first pages had
 * @param before what the parts before had, the first pages included
 */
const joined = (first: EvidenceFacts, before: EvidenceFacts, { ...own }: EvidenceFacts): EvidenceFacts => {
  const repeated = countOf(before) + countOf(own) - countOf(first);
  return { ...before, ...own, ...(repeated === 0 ? {} : { repeated }) };
};

const countOf = ({ repeated }: EvidenceFacts): number => (typeof repeated === 'number' ? repeated : 0);

/** Returns a checkpoint without what belongs to the one page that it is of. */
function plain({ call, job, pages, items, volume, evidence }: Checkpoint): Checkpoint {
  const { total, facts, columns } = evidence ?? {};
  const kept = {
    ...(total === undefined ? {} : { total }),
    ...(facts === undefined ? {} : { facts }),
    ...(columns === undefined ? {} : { columns }),
  };
  return { call, job, pages, items, volume, evidence: kept };
}
