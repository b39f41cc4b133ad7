/** A structure tree compiled for making rows: indexes of columns instead of names, and buffers for the current row. */
import type { ColumnMove, Naming } from './columns';
import { RowOfCells, csvLine } from '../csv-lines';
import { Spellings } from '../linked/bytes';
import type { TreeNode } from './structure';
import type { Spool } from '../spool';

/** The extra column of the rows of an array: the id of the object that has the array. */
const PARENT_ID = 'JSON_parentId';

/** The creation time of a table, by its first row: tables are created in this order. */
export interface CreationOrder {
  readonly page: number;
  /** The position among the tables of that page. */
  readonly order: number;
}

/** The target of a key of an object: a cell, the cells of a nested object, or a cell and the rows of an array. */
export type Field = CellField | ObjectField | ListField;

interface FieldPlace {
  /** The index of its first column. */
  readonly column: number;
  /** The number of the last object that has the key; where its value begins and ends, and whether it is a string with escapes. */
  metIn: number;
  from: number;
  end: number;
  isEscaped: boolean;
}
interface CellField extends FieldPlace {
  readonly kind: 'cell';
  readonly node: TreeNode;
}
interface ObjectField extends FieldPlace {
  readonly kind: 'object';
  readonly object: ObjectPlan;
}
export interface ListField extends FieldPlace {
  readonly kind: 'list';
  readonly table: TablePlan;
}

/** The objects at one place, and the one of the current row. */
export interface ObjectPlan {
  /** The dataType and the keys joined with `.`. */
  readonly path: string;
  /** The plan of the parent object, in the same row. */
  readonly enclosing: ObjectPlan | undefined;
  readonly table: TablePlan;
  readonly fields: readonly Field[];
  readonly keys: Spellings<Field | undefined>;
  /** The range of its columns: the first index is included, the second is not. */
  readonly columns: readonly [number, number];
  /** Where its JSON text is. */
  from: number;
  end: number;
  /** The row id, or empty if it was not needed yet. */
  id: string;
}

/** One table, and its current row. */
export interface TablePlan {
  readonly name: string;
  readonly element: TreeNode;
  /** Raw names of the extra columns. */
  readonly extraNames: readonly string[];
  dataColumns: number;
  /** Only tables of objects have one. */
  object: ObjectPlan | undefined;
  readonly moves: readonly ColumnMove[];
  readonly row: RowOfCells;
  readonly lines: Spool;
  /** Values of the extra columns. */
  extra: readonly string[];
  /** Distinguishes the row from equal ones beside it; empty: equal rows have equal ids. */
  place: string;
  created: CreationOrder | undefined;
}

/** The input of a plan. */
export interface Planning {
  readonly naming: Naming;
  /** Returns the spool for the rows of a table, by its name; the header is the most likely first line. */
  readonly spoolOf: (tableName: string, header: string) => Spool;
}

/**
 * Returns the plans of the table of an array and of all arrays below it.
 *
 * @param extraNames raw names of the extra columns of the first table
 * @returns the table of the array itself first
 */
export function planTables(
  list: TreeNode,
  extraNames: readonly string[],
  planning: Planning,
): readonly [TablePlan, ...TablePlan[]] {
  const below: TablePlan[] = [];
  return [planTable(list.path, list, extraNames, planning, below), ...below];
}

function planTable(
  path: string,
  list: TreeNode,
  extraNames: readonly string[],
  planning: Planning,
  below: TablePlan[],
): TablePlan {
  const element = list.elementNode();
  const { naming, spoolOf } = planning;
  const name = naming.tableName(path);
  const table: TablePlan = {
    name,
    element,
    extraNames,
    dataColumns: element.kind === 'scalar' ? 1 : 0,
    object: undefined,
    moves: naming.moves(element, extraNames),
    row: new RowOfCells(),
    lines: spoolOf(name, csvLine(naming.expectedColumns(element, extraNames))),
    place: '',
    extra: [],
    created: undefined,
  };
  if (element.kind === 'object') {
    table.object = planObject(path, element, { table, enclosing: undefined, column: 0 }, planning, below);
    table.dataColumns = table.object.columns[1];
  }
  for (let at = table.dataColumns + extraNames.length; at > 0; at -= 1) table.row.text(at - 1, '');
  return table;
}

interface Surroundings {
  readonly table: TablePlan;
  readonly enclosing: ObjectPlan | undefined;
  readonly column: number;
}

function planObject(
  path: string,
  node: TreeNode,
  { table, enclosing, column: first }: Surroundings,
  planning: Planning,
  below: TablePlan[],
): ObjectPlan {
  const fields: Field[] = [];
  const columns: [number, number] = [first, first];
  const byKey = new Map<string, Field>();
  const keys = new Spellings((key) => byKey.get(key));
  const object: ObjectPlan = { path, enclosing, table, fields, keys, columns, from: 0, end: 0, id: '' };
  for (const [key, child] of node.children) {
    const column = columns[1];
    const place = { column, metIn: 0, from: 0, end: 0, isEscaped: false };
    const inner = `${path}.${key}`;
    if (child.kind === 'object') {
      const nested = planObject(inner, child, { table, enclosing: object, column }, planning, below);
      fields.push({ ...place, kind: 'object', object: nested });
      columns[1] = nested.columns[1];
    } else {
      if (child.kind === 'array') {
        const table = planTable(inner, child, [PARENT_ID], planning, below);
        below.push(table);
        fields.push({ ...place, kind: 'list', table });
      } else fields.push({ ...place, kind: 'cell', node: child });
      columns[1] += 1;
    }
    byKey.set(key, fields.at(-1) as Field);
  }
  return object;
}
