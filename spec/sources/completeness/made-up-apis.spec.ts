/** Runs against APIs that are made up, with their truth: what is complete, and what nobody can see (docs/completeness.md). */
import fc from 'fast-check';
import { lastValueFrom, tap } from 'rxjs';
import { extract } from '../../../src';
import type { Checkpoint, Item, Page, RunEvent } from '../../../src';
import { createProgressTracker } from '../../../src/run/state/progress';
import { createEvidenceTracker } from '../../../src/sources/completeness/judgement';
import { ALL_CASES } from '../../support/cases';
import { configurationOf, countOf, defective, fetchOf, honest, pagesOf, rowsOf } from './made-up-apis';
import type { World } from './made-up-apis';

/** From the best one on; a run that an error ends has none. */
const OUTCOMES = ['complete', 'doubtful', 'incomplete', 'failed'];
/** HEADWATER_MADE_UP=10000 takes six minutes. */
const RUNS = Number(process.env.HEADWATER_MADE_UP ?? (ALL_CASES ? 2_000 : 500));

/** @param before the pages that an interrupted run has had */
async function run(world: World, before: readonly Page[] = []) {
  const pages: Page[] = [];
  const warnings: string[] = [];
  let outcome = 'failed';
  const onEvent = (event: RunEvent): void => {
    if (event.type === 'warning' && event.isExpected !== true) warnings.push(event.code);
    if (event.type === 'run.finished') ({ outcome } = event);
  };
  try {
    const { pages$ } = extract(configurationOf(world), {
      ...{ fetch: fetchOf(world), onEvent },
      ...(before.length === 0 ? {} : { resume: resumeBehind(before) }),
    });
    await lastValueFrom(pages$.pipe(tap((page) => pages.push(page))), { defaultValue: undefined });
  } catch {
    if (outcome === 'complete') outcome = 'failed';
  }
  return { items: pages.flatMap(({ items }): readonly Item[] => items), pages, warnings, outcome };
}

/** Returns where a run goes on, by the checkpoints of its pages as a journal has them. */
function resumeBehind(pages: readonly Page[]) {
  const [book, evidence] = [createProgressTracker(), createEvidenceTracker()];
  for (const { checkpoint } of pages) {
    const read = JSON.parse(JSON.stringify(checkpoint)) as Checkpoint;
    book.add(read);
    evidence.addCheckpoint(read);
  }
  return { startedAt: 1, progress: book.progress(), evidence };
}

const countsPositions = ({ method }: World): boolean => method === 'offset' || method === 'pagenum';
const saysNothing = ({ total, flag, links }: World): boolean => total === 'none' && flag === 'none' && !links;

/** The ends of honest APIs that are worth a warning, where nothing proves them. */
function mayWarnOf({ end, rows, size, ...world }: World): readonly string[] {
  if (!countsPositions({ end, rows, size, ...world }) || rows === 0 || rows % size > 0) return [];
  return end === '404' ? ['PAGE_REFUSED'] : end === 'no-list' ? ['LIST_MISSING', 'NO_DATA'] : [];
}

/** What an API does wrong and nobody can see: the page of completeness lists it. */
function isUnseen(world: World, items: number): boolean {
  const { defect, total, flag, links, hasIds, at, end } = world;
  const byPosition = countsPositions(world);
  if (total === 'declared' && hasIds) return false;
  // The last page again, without ids, makes up the difference.
  const isMadeUp = byPosition && !hasIds && end === 'stays' && items === countOf(world);
  switch (defect) {
    case 'short-page':
    case 'clamped-page':
      return total !== 'declared' || isMadeUp;
    case 'page-lost':
      return total === 'none' || !byPosition || flag !== 'none' || links;
    case 'early-end':
      // The last page says that it is the last one.
      return (
        total !== 'declared' &&
        (!byPosition || saysNothing(world) || (at === pagesOf(world) - 1 && (flag !== 'none' || links)))
      );
    case 'page-doubled':
      return byPosition ? (saysNothing(world) && at > 1) || (!hasIds && total !== 'none') : !hasIds;
    case 'position-ignored':
      return !hasIds && (!byPosition || total !== 'none');
    case 'wrong-total':
      return isMadeUp;
    case 'message':
      return world.method === 'response.link' && total !== 'declared';
    default:
      return false;
  }
}

describe('runs against APIs that are made up', () => {
  it('are complete, and have all rows, where the API means well', async () => {
    await fc.assert(
      fc.asyncProperty(honest, async (world) => {
        const { items, warnings, outcome } = await run(world);
        expect(items).toEqual(rowsOf(world));
        const known = mayWarnOf(world);
        expect(warnings.filter((code) => !known.includes(code) && !(code === 'NO_DATA' && world.rows === 0))).toEqual(
          [],
        );
        expect(['complete', ...(known.length > 0 ? ['doubtful'] : [])]).toContain(outcome);
      }),
      { numRuns: RUNS },
    );
  }, 1_200_000);

  it('are not complete where rows are missing or doubled, but for what nobody can see', async () => {
    let seen = 0;
    await fc.assert(
      fc.asyncProperty(defective, async (world) => {
        const { items, outcome } = await run(world);
        if (JSON.stringify(items) === JSON.stringify(rowsOf(world))) return;
        if (outcome === 'complete') expect(isUnseen(world, items.length)).toBe(true);
        else seen += 1;
      }),
      { numRuns: RUNS },
    );
    // Most defects are seen: a judge that says complete of everything does not pass.
    expect(seen).toBeGreaterThan(RUNS / 5);
  }, 1_200_000);

  /** The ids of items before an interruption are forgotten, so that a total may not be matched by distinct items: the run is looked at twice. */
  it('end no better than without an interruption, and the same where the API means well', async () => {
    await fc.assert(
      fc.asyncProperty(fc.oneof(honest, defective), fc.nat(), async (world, at) => {
        const { outcome, pages, warnings } = await run(world);
        if (pages.length < 2) return;
        const before = pages.slice(0, 1 + (at % (pages.length - 1)));
        const rest = await run(world, before);
        expect(OUTCOMES.indexOf(rest.outcome)).toBeGreaterThanOrEqual(OUTCOMES.indexOf(outcome));
        if (world.defect !== undefined) return;
        expect(rest.pages.map(({ count }) => count)).toEqual(pages.slice(before.length).map(({ count }) => count));
        expect([rest.outcome, rest.warnings]).toEqual([outcome, warnings]);
      }),
      { numRuns: RUNS / 5 },
    );
  }, 1_200_000);

  it('have pages at all', () => {
    expect(fc.sample(honest, 100).some((world) => pagesOf(world) > 3)).toBe(true);
  });
});
