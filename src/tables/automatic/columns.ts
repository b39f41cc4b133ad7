/** The columns of one table, and their names (docs/language/tables.md#names-of-columns). */
import { tooManyColumns } from '../../core/errors/errors';
import { bytesOf, md5, numberedName, safeColumnName, safeName, shortened, uniqueName, withoutSpecials } from '../names';
import type { TreeNode } from './structure';

/** A column whose value moves to another one, and which stays empty itself. */
export interface ColumnMove {
  readonly from: number;
  readonly to: number;
}

/** The naming rules of the tables of a run. */
export interface Naming {
  /** Returns the name of the table of an array, of its dataType and keys joined with `.`. */
  readonly tableName: (path: string) => string;
  /** Names the nodes that have no name yet, after each page. */
  readonly nameNodes: (list: TreeNode) => void;
  /**
   * Returns the columns of a table: those of the data, then the extra ones by raw name. Called in order of creation.
   *
   * @param aliases names of extra columns that were renamed because of a key, by raw name; grows
   */
  readonly columns: (element: TreeNode, extra: readonly string[], aliases: Map<string, string>) => readonly string[];
  /** Returns the columns whose values move. */
  readonly moves: (element: TreeNode, extra: readonly string[]) => readonly ColumnMove[];
}

/** The only column of an array of scalars. */
export const DATA = 'data';

/** The naming rules of docs/language/tables.md#names-of-columns. */
export const NAMING: Naming = {
  tableName: safeName,
  nameNodes,
  columns: (element, extra, aliases) => {
    const taken = takenNames(element);
    return [...dataColumns(element), ...extra.map((raw) => extraColumn(raw, element, taken, aliases))];
  },
  moves: () => [],
};

/** Names each node of a table that has no name yet, in tree order, including object nodes; then those of inner arrays. */
function nameNodes(list: TreeNode): void {
  const element = list.elementNode();
  const taken = takenNames(element);
  const numbers = new Map<string, number>();
  element.name = DATA;
  const visit = (node: TreeNode, prefix: string): void => {
    for (const [key, child] of node.children) {
      const raw = prefix + key;
      child.name ??= uniqueName(safeColumnName(raw), taken, numbers);
      taken.add(child.name);
      if (child.kind === 'array') nameNodes(child);
      else visit(child, `${raw}.`);
    }
  };
  visit(element, '');
}

/** Returns all names of a table's nodes. */
export function takenNames(element: TreeNode): Set<string> {
  const taken = new Set<string>(element.kind === 'scalar' ? [DATA] : []);
  const visit = (node: TreeNode): void => {
    for (const child of node.children.values()) {
      if (child.name !== undefined) taken.add(child.name);
      visit(child);
    }
  };
  visit(element);
  return taken;
}

/** Returns the names of the leaves, depth first in tree order. */
function dataColumns(node: TreeNode): readonly string[] {
  if (node.isElement && node.kind === 'null') return [];
  if (node.kind !== 'object') return [node.name ?? DATA];
  return [...node.children.values()].flatMap(dataColumns);
}

/** Returns the name of an extra column. It is renamed if a key has its name, which all later tables remember, or if the name is taken. */
function extraColumn(raw: string, element: TreeNode, taken: Set<string>, aliases: Map<string, string>): string {
  const isKey = element.children.has(raw);
  const plain = safeName(raw);
  const wanted = aliases.get(raw) ?? (isKey ? '' : plain);
  const name = wanted === '' || taken.has(wanted) ? numberedName(plain, taken) : wanted;
  taken.add(name);
  if (isKey) aliases.set(raw, name);
  return name;
}

/**
 * Checks that the table of an array, and those of arrays in it, do not exceed the maximum number of data columns.
 *
 * @throws FatalError TABLE_COLUMNS
 */
export function checkColumns(list: TreeNode, most: number, naming: Pick<Naming, 'tableName'>, path = list.path): void {
  if (most === Infinity) return;
  let columns = 0;
  const visit = (node: TreeNode, at: string): void => {
    for (const [key, child] of node.children) {
      const place = `${at}.${key}`;
      if (child.kind === 'object') {
        visit(child, place);
        continue;
      }
      columns += 1;
      if (columns > most) throw tooManyColumns(naming.tableName(path), most, [...node.children.keys()]);
      if (child.kind === 'array') checkColumns(child, most, naming, place);
    }
  };
  visit(list.elementNode(), path);
}

/**
 * A column, and the column that its value moves to. In the legacy table builder (docs/language/tables.md#legacy-tables) a conflict
 * overwrites a column instead of making another.
 */
interface Header {
  readonly name: string;
  readonly target: string;
}

/** Returns a legacy name: first shortened, then without special characters; runs of `_` are kept. */
const legacyName = (name: string): string => withoutSpecials(shortened(bytesOf(name))).replace(/^_+|_+$/g, '');

/**
 * The naming rules of docs/language/tables.md#legacy-tables.
 *
 * @example LEGACY_NAMING.columns(boats, ['owner'], new Map()) // ['owner', '72122ce96bfec66e2396d2e25225d70a'] when there is a key 'owner'
 */
export const LEGACY_NAMING: Naming = {
  tableName: legacyName,
  nameNodes: () => undefined,
  columns: (element, extra) => headers(element, extra).map(({ name }) => name),
  moves: (element, extra) => movesOf(headers(element, extra)),
};

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

/** Returns the columns of nested objects, whose names join the names of the levels with `_`. */
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
