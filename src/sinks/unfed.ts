/** Tables of which a run has no page: what they had goes with it. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { OutputPlan } from '../plan/plan';
import type { PagesInFiles, PlaceOfItems } from './journal/journal';

/** What is asked of the run. */
interface Run extends PagesInFiles {
  /** An existing folder for temporary files, which the caller removes. */
  readonly folder: string;
  readonly outputs: readonly OutputPlan[];
  /** The tables that the run replaces although no page is theirs. */
  readonly unfed?: readonly string[];
}

/** The number of the run that a table belongs to. */
export const runOf = (outputs: readonly OutputPlan[], table: string): number =>
  Math.max(
    0,
    outputs.findIndex(({ tables }) => [...(tables?.values() ?? [])].includes(table)),
  );

/**
 * The places of a run, with one without items for each table that no page is of.
 *
 * @example const { places } = { ...run, ...(await withUnfed(run)) };
 */
export async function withUnfed({ places, folder, outputs, unfed = [] }: Run): Promise<Pick<PagesInFiles, 'places'>> {
  if (unfed.length === 0) return { places };
  const path = join(folder, 'unfed.ndjson');
  await writeFile(path, '');
  const placeOf = (dataType: string): PlaceOfItems => ({
    ...{ run: runOf(outputs, dataType), dataType, extra: new Map(), count: 0, path, offset: 0, length: 0, sum: 0 },
  });
  return {
    places: async function* () {
      yield* places();
      for (const table of unfed) yield placeOf(table);
    },
  };
}
