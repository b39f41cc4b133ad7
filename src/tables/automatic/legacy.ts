/**
 * Names of the legacy table builder (docs/language/tables.md#legacy-tables): a conflict overwrites a column instead of
 * making another.
 */
import { DATA } from './columns';
import type { ColumnMove, Naming } from './columns';
import { bytesOf, md5, shortened, withoutSpecials } from '../names';
import type { TreeNode } from './node';

/** A column, and the column where its value goes. */
interface Header {
  readonly name: string;
  readonly target: string;
}

/** Shortened first, then freed of special characters; runs of `_` are kept. */
const legacyName = (name: string): string => withoutSpecials(shortened(bytesOf(name))).replace(/^_+|_+$/g, '');

/**
 * The naming rules of docs/language/tables.md#legacy-tables.
 *
 * @example legacyNaming.columns(boats, ['owner']) // ['owner', '72122ce96bfec66e2396d2e25225d70a'] when there is a key 'owner'
 */
export const legacyNaming: Naming = {
  tableName: legacyName,
  nameNodes: () => undefined,
  columns: legacyColumns,
  expectedColumns: legacyColumns,
  moves: (element, extra) => movesOf(headers(element, extra)),
};

function legacyColumns(element: TreeNode, extra: readonly string[]): readonly string[] {
  return headers(element, extra).map(({ name }) => name);
}

function headers(element: TreeNode, extra: readonly string[]): readonly Header[] {
  const columns = [...leaves(element), ...extra.map((raw) => ({ name: raw, target: raw }))];
  const taken = new Set<string>();
  return columns.map(({ name: raw, target }) => {
    const safe = legacyName(raw);
    const name = safe === '' || taken.has(safe) ? md5(bytesOf(raw)) : safe;
    taken.add(name);
    return { name, target: legacyName(target) };
  });
}

/** Columns of nested objects join the names of the levels with `_`. */
function leaves(element: TreeNode): readonly Header[] {
  if (element.kind === 'scalar') return [{ name: DATA, target: DATA }];
  return [...element.children].flatMap(([key, child]) => {
    if (child.kind !== 'object') return [{ name: key, target: key }];
    const under = legacyName(key);
    return headers(child, []).map(({ name, target }) => ({ name: `${under}_${name}`, target: `${under}_${target}` }));
  });
}

function movesOf(columns: readonly Header[]): readonly ColumnMove[] {
  const places = new Map(columns.map(({ name }, at) => [name, at]));
  return columns.flatMap(({ target }, from) => {
    const to = places.get(target) ?? from;
    return to === from ? [] : [{ from, to }];
  });
}
