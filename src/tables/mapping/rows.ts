import { hash } from 'node:crypto';
import { FatalError } from '../../core/errors/errors';
import { exactAt } from '../../core/json/literals';
import { isList } from '../../core/json/objects';
import { isBlankData, isScalar, textOf, typeName } from '../../core/json/scalars';
import { stringifyAt } from '../../core/json/stringify';
import type { Place } from '../../core/json/path';
import type { Json, JsonScalar } from '../../core/model';
import { parseTime } from '../../language/expressions/dates/parse-time';
import { contentText } from '../automatic/rows';
import type { CellPlan, ChildTablePlan, RowPlan } from './plan';
import { BAD_MAPPING, placeAt, valueAt } from './reader';
import type { ColumnEntry, PathTracker } from './reader';

const DIGEST_DIGITS = 32;

/** Writes cells; a missing value is empty. */
export interface CellWriter {
  /** Writes a string that is in no item. */
  readonly text: (text: string) => string;
  readonly scalar: (place: Place) => string;
}

/** Returns the string of a scalar, with all digits of a number. */
export const plainText = ({ holder, key }: Place): string => textOf((exactAt(holder, key) ?? null) as JsonScalar);

/** Writes cells as the strings of CSV (docs/language/tables.md#columns). */
export const STRINGS: CellWriter = { text: (text) => text, scalar: plainText };

/** Writes cells as JSON: numbers and booleans stay, with all digits. */
export const JSON_VALUES: CellWriter = {
  text: (text) => JSON.stringify(text),
  scalar: (place) => (valueAt(place) === null ? '' : stringifyAt(place.holder, place.key)),
};

/**
 * Returns the cell of a `column` or `date` entry (docs/language/mappings.md#types-of-entries).
 *
 * @throws FatalError `API_SHAPE` for an array or an object without `forceType`
 */
function cellAt(item: Place, entry: ColumnEntry, { cells, dataType, baseSeconds }: RowContext): string {
  const place = placeAt(item, entry.path);
  const value = valueAt(place);
  if (place === undefined || value === undefined) return '';
  if (entry.date && typeof value === 'string') {
    const seconds = parseTime(value, baseSeconds);
    return seconds === undefined ? cells.text(value) : String(seconds);
  }
  if (isScalar(value)) return cells.scalar(place);
  if (entry.forceType) return stringifyAt(place.holder, place.key);
  throw new FatalError(
    'API_SHAPE',
    `Error saving '${dataType}' data to CSV column: Error writing '${entry.column}' column: ` +
      `the API gave a value of type ${typeName(value)} for ${entry.place}. ` +
      `Set "forceType": true there to keep it as JSON text, or map it with "type": "table".`,
    { table: dataType },
  );
}

/**
 * Refuses an array or an object as a part of a row's key, which `forceType` lets into the cell.
 *
 * @throws FatalError `API_SHAPE`
 */
function requireScalarKey(item: Place, entry: ColumnEntry, { dataType }: RowContext): void {
  const value = valueAt(placeAt(item, entry.path));
  if (value === undefined || isScalar(value)) return;
  throw new FatalError(
    'API_SHAPE',
    `${BAD_MAPPING}Only scalar values are allowed in primary key. ` +
      `The API gave a value of type ${typeName(value)} for ${entry.place}. Choose other columns as primary key.`,
    { table: dataType },
  );
}

/**
 * Returns the key of a row without primary key: 32 lowercase hexadecimal digits, the same for the same content.
 *
 * @param parentKey the key of the parent row, for rows of child tables
 * @param extra parent and user columns of the job
 */
function rowDigest(item: Json, parentKey: string | undefined, extra: ReadonlyMap<string, string>): string {
  const content = contentText([item, parentKey ?? null, ...[...extra].flat()]);
  return hash('sha256', content).slice(0, DIGEST_DIGITS);
}

/**
 * Decides which rows count: of those with the same key the last one, with its child rows. Rows are numbered in their order, table by table
 * from the top, since the child rows of a row that does not count do not exist. Keeps a digest for each key.
 */
export class LatestRows {
  readonly #last = new Map<RowPlan, Map<string, number>>();
  readonly #met = new Map<RowPlan, number>();
  #depth = Infinity;

  /**
   * Starts to read all items once more.
   *
   * @param depth the depth of the tables whose keys are learned: those above are known; absent: all are known
   */
  begin(depth = Infinity): void {
    this.#depth = depth;
    this.#met.clear();
  }

  /** @param key the key of the row; `undefined`: it has none, so that it counts */
  counts(plan: RowPlan, key: string | undefined): boolean {
    if (plan.depth > this.#depth) return false;
    const number = this.#met.get(plan) ?? 0;
    this.#met.set(plan, number + 1);
    if (key === undefined) return plan.depth < this.#depth;
    const last = this.#last.get(plan) ?? new Map<string, number>();
    this.#last.set(plan, last);
    const digest = hash('sha1', key, 'base64');
    if (plan.depth < this.#depth) return last.get(digest) === number;
    last.set(digest, number);
    return false;
  }
}

/** Receives a row: the number of its table, and one string for each column. */
type EmitRow = (table: number, cells: readonly string[]) => void;

/** The target of the rows of an item, and the form of their cells. */
export interface RowOutput {
  /** Parent and user columns of the job by raw name. */
  readonly extra: ReadonlyMap<string, string>;
  readonly cells: CellWriter;
  readonly emit: EmitRow;
  /** Is called with the link value of each row with a primary key, whether it has child rows or not; absent: not needed. */
  readonly link?: (table: number, cell: string) => void;
  /** Is called with the value of an item for each empty cell of a key; absent: not needed. */
  readonly emptyKey?: (table: number, column: string, value: Json | undefined) => void;
  /** Decides which rows count, of those with the same key; absent: all do. */
  readonly latest?: LatestRows | undefined;
  /** True if rows take the place of those of earlier runs, which lead to their child rows by the texts of their keys. */
  readonly isMerged?: boolean;
}

/** What all rows of one item share. */
export interface RowContext extends RowOutput {
  readonly paths: PathTracker;
  /** The dataType for errors. */
  readonly dataType: string;
  /** The base of relative dates in Unix seconds. */
  readonly baseSeconds: number;
}

/** The link of child rows to a row: the cell in these, and the string that it comes from. */
interface RowKey {
  readonly text: string;
  readonly cell: string;
}

/**
 * Emits the rows of an item (docs/language/mappings.md#a-mapping): its child rows first, then its own; none if a later row has its key.
 *
 * @param parent the key of the parent row; `undefined` when the table has no column for it
 * @throws FatalError `API_SHAPE` for a value that fits no cell or no key
 */
export function writeRow(plan: RowPlan, item: Place, parent: RowKey | undefined, context: RowContext): void {
  const { latest } = context;
  const isAsked = latest !== undefined && plan.key.length > 0 && plan.children.length > 0;
  if (isAsked && !latest.counts(plan, rowKey(plan, item, parent, context))) return;
  writeRowAnyway(plan, item, parent, context);
}

function writeRowAnyway(plan: RowPlan, item: Place, parent: RowKey | undefined, context: RowContext): void {
  const cells = new Array<string>(plan.width).fill('');
  for (const cell of plan.cells) cells[cell.at] = cellOf(cell, item, parent, context);
  let key: RowKey | undefined;
  for (const child of plan.children) {
    const elements = elementsOf(child, item, plan);
    if (child.kind !== 'self') context.paths.see(child, valueAt(item) ?? null);
    const link = child.kind === 'linked' && plan.key.length > 0 ? context.link : undefined;
    if (elements.length === 0 && link === undefined) continue;
    if (child.kind === 'self') {
      for (const element of elements) writeRowAnyway(plan, element, parent, context);
      continue;
    }
    if (child.kind === 'linked') {
      key ??= keyOf(plan, item, cells, parent, context);
      link?.(child.plan.table, key.cell);
      if (child.linkAt !== undefined) cells[child.linkAt] = key.cell;
    }
    const above = child.kind === 'linked' ? key : undefined;
    for (const element of elements) writeRow(child.plan, element, above, context);
  }
  if (context.emptyKey !== undefined)
    for (const { at, source } of plan.key)
      if (source.kind === 'column' && cells[at] === '')
        context.emptyKey(plan.table, source.column, valueAt(placeAt(item, source.path)));
  context.emit(plan.table, cells);
}

/** Returns the key of the row of an item; `undefined` if it is empty. */
function rowKey(plan: RowPlan, item: Place, parent: RowKey | undefined, context: RowContext): string | undefined {
  const texts = keyTexts(plan, item, parent, context);
  return texts.every((text) => text === '') ? undefined : JSON.stringify(texts);
}

function cellOf({ source }: CellPlan, item: Place, parent: RowKey | undefined, context: RowContext): string {
  if (source.kind === 'column') {
    context.paths.see(source, valueAt(item) ?? null);
    return cellAt(item, source, context);
  }
  if (source.kind === 'parent') return (context.cells === STRINGS ? parent?.text : parent?.cell) ?? '';
  const text = context.extra.get(source.name) ?? context.extra.get(otherName(source.name));
  return text === undefined ? '' : context.cells.text(text);
}

/** Returns the other name of the column of a parent that is a scalar, which mappings may use as in the language. */
const otherName = (column: string): string => (column === 'parent_.' ? 'parent_value' : column);

const NOTHING: readonly Place[] = [];
/** A child row without values, which only shows that the parent exists. */
const EMPTY_ROW: readonly Place[] = [{ holder: [null], key: 0 }];

/** Returns the items of a child table (docs/language/mappings.md#child-tables). */
function elementsOf(child: ChildTablePlan, item: Place, parent: RowPlan): readonly Place[] {
  const place = placeAt(item, child.path);
  const value = valueAt(place);
  if (isList(value)) return value.map((_, key) => ({ holder: value, key }));
  const hasPrimaryKey = parent.key.length > 0;
  // Without a link, an empty row would have no meaning, and in the self form it would have an endless chain of child rows.
  if (place === undefined || value === undefined || value === null)
    return hasPrimaryKey && child.kind === 'linked' ? EMPTY_ROW : NOTHING;
  return hasPrimaryKey || !isBlankData(value) ? [place] : NOTHING;
}

/** Returns the link of the rows of child tables to a row (docs/language/mappings.md#child-tables). */
function keyOf(
  plan: RowPlan,
  item: Place,
  cells: readonly string[],
  parent: RowKey | undefined,
  context: RowContext,
): RowKey {
  const [first] = plan.key;
  if (first === undefined) {
    const digest = rowDigest(exactAt(item.holder, item.key) ?? null, parent?.text, context.extra);
    return { text: digest, cell: context.cells.text(digest) };
  }
  const texts = context.cells === STRINGS ? undefined : keyTexts(plan, item, parent, context);
  for (const { source } of plan.key) if (source.kind === 'column') requireScalarKey(item, source, context);
  const parts = texts ?? plan.key.map(({ at }) => cells[at] ?? '');
  if (context.isMerged === true && parts.length > 1 && parts.some((part) => part.includes(',')))
    throw unclearLink(plan, parts);
  const text = parts.join(',');
  // The value of a single column keeps its type.
  return { text, cell: plan.key.length === 1 ? (cells[first.at] ?? '') : context.cells.text(text) };
}

/** Returns the error for two keys with one text: the child rows of one would be removed with the other. */
function unclearLink({ key }: RowPlan, parts: readonly string[]): FatalError {
  const at = parts.findIndex((part) => part.includes(','));
  const columns = key.map(({ source }) => JSON.stringify(source.column)).join(', ');
  const what =
    `Rows are merged by a primary key of several columns (${columns}), and ${JSON.stringify(key[at]?.source.column)} has a value with a comma in it: ` +
    'what leads to them from the rows of their child tables, the values with commas between them, would be that of other rows, too';
  const remedy =
    'Make one column the primary key of the mapping, or set "parentKey": {"disable": true} in its child tables, and run again.';
  return new FatalError('API_SHAPE', `${what}. Nothing was stored. ${remedy}`);
}

const keyTexts = (plan: RowPlan, item: Place, parent: RowKey | undefined, context: RowContext): readonly string[] =>
  plan.key.map((cell) => cellOf(cell, item, parent, { ...context, cells: STRINGS }));
