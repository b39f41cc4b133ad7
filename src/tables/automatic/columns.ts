/** The columns of one table: which there are, and their names (docs/language/tables.md#names-of-columns). */
import { numberedName, safeColumnName, safeName, uniqueName } from '../names';
import type { TreeNode } from './node';

/** A column whose value goes to another one, and which stays empty itself. */
export interface ColumnMove {
  readonly from: number;
  readonly to: number;
}

/** How the tables of a run are named. */
export interface Naming {
  /** The name of the table of an array, of its dataType and keys joined with `.`. */
  readonly tableName: (path: string) => string;
  /** Gives names to the nodes that have none, after each page. */
  readonly nameNodes: (list: TreeNode) => void;
  /** The columns of a table: those of the data, then the extra ones by raw name. Asked in order of creation. */
  readonly columns: (element: TreeNode, extra: readonly string[]) => readonly string[];
  /** What {@link columns} would give now. */
  readonly expectedColumns: (element: TreeNode, extra: readonly string[]) => readonly string[];
  /** The columns whose values go elsewhere. */
  readonly moves: (element: TreeNode, extra: readonly string[]) => readonly ColumnMove[];
}

/** The only column of an array of scalars. */
export const DATA = 'data';

/**
 * The naming rules of docs/language/tables.md#names-of-columns.
 *
 * @param aliases names of extra columns that had to give way to a key, by raw name; grows
 */
export const createNaming = (aliases: Map<string, string>): Naming => ({
  tableName: safeName,
  nameNodes,
  columns: (element, extra) => columnsOf(element, extra, aliases),
  expectedColumns: (element, extra) => columnsOf(element, extra, new Map(aliases)),
  moves: () => [],
});

function columnsOf(element: TreeNode, extra: readonly string[], aliases: Map<string, string>): readonly string[] {
  const taken = takenNames(element);
  return [...dataColumns(element), ...extra.map((raw) => extraColumn(raw, element, taken, aliases))];
}

/**
 * Names each node of a table that has no name yet, in tree order, object nodes included; then those of inner arrays.
 */
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

/** All names of a table's nodes. */
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

/** The names of the leaves, depth first in tree order. */
function dataColumns(node: TreeNode): readonly string[] {
  if (node.isElement && node.kind === 'null') return [];
  if (node.kind !== 'object') return [node.name ?? DATA];
  return [...node.children.values()].flatMap(dataColumns);
}

/** An extra column gives way to a key of the same name, which all later tables remember, or to a taken name. */
function extraColumn(raw: string, element: TreeNode, taken: Set<string>, aliases: Map<string, string>): string {
  const isKey = element.children.has(raw);
  const plain = safeName(raw);
  const wanted = aliases.get(raw) ?? (isKey ? '' : plain);
  const name = wanted === '' || taken.has(wanted) ? numberedName(plain, taken) : wanted;
  taken.add(name);
  if (isKey) aliases.set(raw, name);
  return name;
}
