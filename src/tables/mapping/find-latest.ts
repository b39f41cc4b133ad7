import type { JsonArray } from '../../core/model';
import { JSON_VALUES } from './cell';
import { LatestRows } from './latest';
import type { Mapping } from './mapping';

/** Items that are mapped into tables which are merged. */
export interface MergedItems {
  readonly mapping: Mapping;
  readonly items: JsonArray;
  /** Parent and user columns of the job by raw name. */
  readonly extra: ReadonlyMap<string, string>;
}

/**
 * Finds which rows count where rows are merged.
 *
 * @param mappings those of the items
 * @param itemsOf reads the items of some of them in their order
 * @throws FatalError `API_SHAPE` for a value that fits no key
 */
export async function findLatest(
  mappings: readonly Mapping[],
  itemsOf: (isWanted: (mapping: Mapping) => boolean) => AsyncIterable<MergedItems>,
): Promise<LatestRows> {
  const latest = new LatestRows();
  const depths = new Set(mappings.flatMap(({ keyedDepths }) => keyedDepths));
  for (const depth of [...depths].sort((a, b) => a - b)) {
    latest.begin(depth);
    for await (const { mapping, items, extra } of itemsOf(({ keyedDepths }) => keyedDepths.includes(depth)))
      for (const key of items.keys())
        mapping.write({ holder: items, key }, { extra, cells: JSON_VALUES, emit: () => undefined, latest });
  }
  latest.begin();
  return latest;
}
