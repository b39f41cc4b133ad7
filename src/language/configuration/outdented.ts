/** Keys that stand beside the object that they were meant for: in YAML two spaces are enough. */
import type { Path } from '../codec/finding';
import { entriesOf, isList, isObject, ownValue } from '../../core/json/keys';
import type { Json } from '../../core/model';

/**
 * The key without a value that an unknown key stands below, if there is one: the unknown key, and those between, were
 * probably meant inside of it (docs/extensions/misspelled-keys.md).
 *
 * @param document the whole configuration
 * @param unknown the paths of all unknown keys, as JSON
 * @example emptyKeyAbove({ api: { pagination: null, method: 'offset' } }, ['api', 'method'], new Set(['["api","method"]'])) // 'pagination'
 */
export function emptyKeyAbove(document: Json, path: Path, unknown: ReadonlySet<string>): string | undefined {
  const around = path.slice(0, -1);
  let value: Json | undefined = document;
  for (const step of around)
    value = isList(value) ? value[Number(step)] : isObject(value) ? ownValue(value, step) : undefined;
  if (!isObject(value)) return undefined;
  const entries = entriesOf(value);
  const at = entries.findIndex(([key]) => key === path.at(-1));
  const above = entries.slice(0, Math.max(at, 0)).findLast(([key]) => !unknown.has(JSON.stringify([...around, key])));
  return above !== undefined && above[1] === null ? above[0] : undefined;
}
