/** An item → rows, as planned (docs/language/mappings.md#a-mapping). */
import { isBlankData } from '../../json/blank';
import { isList } from '../../json/keys';
import { withAllDigits } from '../../json/literals';
import type { Json } from '../../model';
import { cellText, requireScalarKey, rowDigest, type CellContext } from './cell';
import { exactValueAtPath } from './path';
import type { PathTracker } from '../automatic/path-tracker';
import type { CellPlan, ChildTablePlan, RowPlan } from './plan';

/** Takes a row: the number of its table, and one string a column. */
export type EmitRow = (table: number, cells: readonly string[]) => void;

/** What all rows of one item share. */
export interface RowContext extends CellContext {
  /** Parent and user columns of the job by raw name. */
  readonly extra: ReadonlyMap<string, string>;
  readonly emit: EmitRow;
  readonly paths: PathTracker;
}

/**
 * Emits the rows of an item: those below it first, then its own.
 *
 * @param parentKey the key of the row above; `undefined` when the table has no column for it
 * @throws FatalError `API_SHAPE` for a value that fits no cell or no key
 */
export function writeRow(plan: RowPlan, item: Json, parentKey: string | undefined, context: RowContext): void {
  const cells = new Array<string>(plan.width).fill('');
  for (const cell of plan.cells) cells[cell.at] = cellOf(cell, item, parentKey, context);
  let key: string | undefined;
  for (const child of plan.children) {
    const elements = elementsOf(child, item, plan);
    if (child.kind !== 'self') context.paths.see(child, item);
    if (elements.length === 0) continue;
    if (child.kind === 'self') {
      writeRows(plan, elements, parentKey, context);
    } else if (child.kind === 'loose') {
      writeRows(child.plan, elements, undefined, context);
    } else {
      key ??= keyOf(plan, item, cells, parentKey, context);
      if (child.linkAt !== undefined) cells[child.linkAt] = key;
      writeRows(child.plan, elements, key, context);
    }
  }
  context.emit(plan.table, cells);
}

function writeRows(plan: RowPlan, items: readonly Json[], parentKey: string | undefined, context: RowContext): void {
  for (const item of items) writeRow(plan, item, parentKey, context);
}

function cellOf({ source }: CellPlan, item: Json, parentKey: string | undefined, context: RowContext): string {
  if (source.kind === 'column') {
    context.paths.see(source, item);
    return cellText(item, source, context);
  }
  if (source.kind === 'user') return context.extra.get(source.name) ?? context.extra.get(otherName(source.name)) ?? '';
  return parentKey ?? '';
}

/** Mappings may name the column of a parent that is a scalar as the language does. */
const otherName = (column: string): string => (column === 'parent_.' ? 'parent_value' : column);

const NOTHING: readonly Json[] = [];
/** A child row without values, which only says that the parent exists. */
const EMPTY_ROW: readonly Json[] = [null];

/** The items of a child table (docs/language/mappings.md#child-tables). */
function elementsOf(child: ChildTablePlan, item: Json, parent: RowPlan): readonly Json[] {
  const value = exactValueAtPath(item, child.path);
  if (isList(value)) return withAllDigits(value);
  const hasPrimaryKey = parent.key.length > 0;
  // Without a link, an empty row would say nothing at all, and in the self form it would have one below itself for ever.
  if (value === undefined || value === null) return hasPrimaryKey && child.kind === 'linked' ? EMPTY_ROW : NOTHING;
  return hasPrimaryKey || !isBlankData(value) ? [value] : NOTHING;
}

/** What links the rows of child tables to a row (docs/language/mappings.md#child-tables). */
function keyOf(
  plan: RowPlan,
  item: Json,
  cells: readonly string[],
  parentKey: string | undefined,
  context: RowContext,
): string {
  if (plan.key.length === 0) return rowDigest(item, parentKey, context.extra);
  for (const { source } of plan.key) if (source.kind === 'column') requireScalarKey(item, source, context);
  return plan.key.map(({ at }) => cells[at]).join(',');
}
