/** Runs against APIs that are made up, with their truth: what is complete, and what nobody can see (docs/completeness.md). */
import fc from 'fast-check';
import { extract } from '../../../src';
import type { Item, RunEvent } from '../../../src';
import { ALL_CASES } from '../../support/cases';
import { configurationOf, defective, fetchOf, honest, pagesOf, rowsOf } from './made-up-apis';
import type { World } from './made-up-apis';

const RUNS = ALL_CASES ? 10_000 : 500;

async function run(world: World) {
  const items: Item[] = [];
  const warnings: string[] = [];
  let outcome = 'failed';
  const onEvent = (event: RunEvent): void => {
    if (event.type === 'warning' && event.isExpected !== true) warnings.push(event.code);
    if (event.type === 'run.finished') ({ outcome } = event);
  };
  try {
    for await (const item of extract(configurationOf(world), { fetch: fetchOf(world), onEvent })) items.push(item);
  } catch {
    if (outcome === 'complete') outcome = 'failed';
  }
  return { items, warnings, outcome };
}

const countsPositions = ({ method }: World): boolean => method === 'offset' || method === 'pagenum';
const saysNothing = ({ total, flag, links }: World): boolean => total === 'none' && flag === 'none' && !links;

/** The ends of honest APIs that are worth a warning, where nothing proves them. */
function mayWarnOf({ end, rows, size, ...world }: World): readonly string[] {
  if (!countsPositions({ end, rows, size, ...world }) || rows === 0 || rows % size > 0) return [];
  return end === '404' ? ['PAGE_REFUSED'] : end === 'no-list' ? ['LIST_MISSING', 'NO_DATA'] : [];
}

/** What an API does wrong and nobody can see: the page of completeness lists it. */
function isUnseen(world: World): boolean {
  const { defect, total, flag, links, hasIds, at, end } = world;
  const byPosition = countsPositions(world);
  if (total === 'declared' && hasIds) return false;
  switch (defect) {
    case 'short-page':
    case 'clamped-page':
      return total !== 'declared';
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
      // The last page again, without ids, makes up the difference.
      return byPosition && !hasIds && end === 'stays';
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
  }, 300_000);

  it('are not complete where rows are missing or doubled, but for what nobody can see', async () => {
    let seen = 0;
    await fc.assert(
      fc.asyncProperty(defective, async (world) => {
        const { items, outcome } = await run(world);
        if (JSON.stringify(items) === JSON.stringify(rowsOf(world))) return;
        if (outcome === 'complete') expect(isUnseen(world)).toBe(true);
        else seen += 1;
      }),
      { numRuns: RUNS },
    );
    // Most defects are seen: a judge that says complete of everything does not pass.
    expect(seen).toBeGreaterThan(RUNS / 5);
  }, 300_000);

  it('have pages at all', () => {
    expect(fc.sample(honest, 100).some((world) => pagesOf(world) > 3)).toBe(true);
  });
});
