/** The items of a run as rows of linked tables: what sinks of flat tables read in place of pages. */
import { entriesOf, ownValue } from '../../core/json/keys';
import { withMember } from '../../core/json/literals';
import type { JsonObject } from '../../core/model';
import type { ChosenColumn } from '../../language/parts/output-plan';
import type { OutputPlan } from '../../plan/plan';
import { keptTable, recallTable } from '../../tables/linked/kept';
import { LinkedTable, Names } from '../../tables/linked/places';
import { pagesAt } from '../journal/reader';
import type { PagesInFiles, PlaceOfItems } from '../journal/journal';
import { Family } from './family';
import type { Relative, SplitOptions } from './family';
import type { ObservedItems } from './observed-rows';

/** Items that were split into rows. */
export interface SplitItems {
  /** Items that are left as they are: see {@link SplitOptions.observes}. */
  readonly observed: readonly ObservedItems[];
  readonly places: readonly PlaceOfItems[];
  /** All tables that were split, parents before their children; those without rows, too. */
  readonly relatives: readonly Relative[];
  /** What the next run has to know of the tables, by dataType. */
  readonly structure: JsonObject;
  /** Chosen types of values that no item has. */
  readonly unmet: readonly ChosenColumn[];
}

/**
 * Splits items into rows of linked tables, in files.
 *
 * @example
 * const split = await splitItems({ ...journal, outputs, folder, dataTypes: new Set(['orders']), structure: {}, lastRow });
 * split.relatives; // [{ name: 'orders', … }, { name: 'orders_lines', parent: 'orders', … }]
 */
export async function splitItems(options: SplitOptions): Promise<SplitItems> {
  const { dataTypes, structure, folder, outputs } = options;
  const names = new Names();
  const runs = new Map<string, number>();
  for await (const { dataType, run } of options.places()) {
    names.take(dataType);
    if (!runs.has(dataType)) runs.set(dataType, run);
  }
  // Tables that this run has no items for keep their names, and those of their lists.
  for (const [dataType, kept] of entriesOf(structure))
    if (!runs.has(dataType) && names.take(dataType))
      recallTable(new LinkedTable(dataType, undefined, 0, false), kept, names);
  const families: Family[] = [];
  for (const [at, dataType] of [...dataTypes].entries()) {
    const output = outputs[runs.get(dataType) ?? 0] as OutputPlan;
    families.push(new Family(dataType, output, ownValue(structure, dataType) ?? null, names, `${folder}/${at}`));
  }
  for (const family of families) await family.split(options);
  return {
    places: families.flatMap(({ rows }) => rows.places()),
    relatives: families.flatMap(({ relatives }) => relatives()),
    observed: families.flatMap(({ observed = [] }) => observed),
    unmet: families.flatMap(({ unmet }) => unmet()),
    structure: families.reduce((kept, { root }) => withMember(kept, root.name, keptTable(root)), structure),
  };
}

/** The pages of tables that were split, beside those of others as they are in the journal. */
export function withSplitItems(
  journal: PagesInFiles,
  { places }: SplitItems,
  dataTypes: ReadonlySet<string>,
): PagesInFiles {
  const isLeft = ({ dataType }: Pick<PlaceOfItems, 'dataType'>): boolean => !dataTypes.has(dataType);
  return {
    places: async function* () {
      for await (const place of journal.places()) if (isLeft(place)) yield place;
      yield* places;
    },
    pages: async function* (isWanted = () => true) {
      yield* journal.pages((place) => isLeft(place) && isWanted(place));
      yield* pagesAt(places.filter(isWanted));
    },
  };
}
