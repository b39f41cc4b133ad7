import { FatalError } from '../../core/errors/errors';
import { keysOf } from '../../core/json/keys';
import { objectOf } from '../../core/json/literals';
import { objectIn } from './cell';
import type { Operation } from './cell';

/** `rename` (docs/language/items.md#rename): fields keep their place, values and digits. */
export const renamed = (names: ReadonlyMap<string, string>, path: string): Operation => {
  return (cell) => {
    const item = objectIn(cell, 'rename', path);
    const keys = keysOf(item);
    if (!keys.some((key) => names.has(key))) return [cell];
    const fields = keys.map((from) => ({ key: names.get(from) ?? from, holder: item, from }));
    const taken = new Set<string>();
    for (const { key } of fields) {
      if (taken.has(key))
        throw new FatalError(
          'API_SHAPE',
          `${path}.rename: it would give an item two fields with the name '${key}': choose another name.`,
        );
      taken.add(key);
    }
    return [{ item: objectOf(fields) }];
  };
};
