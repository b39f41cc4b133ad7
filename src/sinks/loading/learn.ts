import { losesDigits } from '../../core/json/literals';
import { isList, isObject } from '../../core/json/objects';
import type { Json } from '../../core/model';
import { addedColumns } from '../../tables/run-columns';
import { limitOf } from '../../tables/schema/column-names';
import { isDecimal, isNestedType } from '../../tables/schema/column-type';
import type { DecimalLimit } from '../../tables/schema/column-type';
import { createSchema } from '../../tables/schema/schema';
import type { LearnedColumn } from '../../tables/schema/learned-column';
import type { TableSchema } from '../../tables/schema/schema';
import { LineLearner } from '../../tables/schema/schema-lines';
import { bytesOf, itemsOf } from '../journal/journal';
import type { PageOfItems, PlaceOfItems } from '../journal/journal';
import type { SurveyOptions, TableLines } from './survey';

type LearnedFor = Pick<TableLines, 'known' | 'dataType' | 'output'>;

interface LearnOptions extends Pick<SurveyOptions, 'pages' | 'empty' | 'chosen' | 'names' | 'hasStructs'> {
  /** The digits of decimal columns; absent: those of DuckDB. */
  readonly decimals?: DecimalLimit;
}

/** The learned tables by dataType. */
export type Learned = ReadonlyMap<string, LearnedTable>;

/**
 * Learns the columns of tables from their pages.
 *
 * @param upTo pages that begin at or behind this offset in their file are left out
 */
export async function learnTables(
  { pages, empty = () => [], chosen, names, hasStructs = () => false, decimals }: LearnOptions,
  tables: readonly LearnedFor[],
  upTo = Infinity,
): Promise<Learned> {
  const learned = new Map(
    tables.map(({ dataType, known, output }) => {
      const limit = limitOf(output, dataType);
      const isTyped = hasStructs(dataType);
      const schema = createSchema(known, limit, decimals, chosen?.(dataType), names?.(dataType), isTyped);
      return [dataType, new LearnedTable(schema, isTyped || known.some(({ type }) => isNestedType(type)))];
    }),
  );
  const isWanted = ({ dataType, offset }: PlaceOfItems): boolean => offset < upTo && learned.has(dataType);
  for await (const page of pages(isWanted)) learned.get(page.dataType)?.add(page);
  for (const [dataType, { schema }] of learned) for (const name of empty(dataType)) schema.columnFor(name);
  return learned;
}

/** The columns of a table, learned from its pages. */
export class LearnedTable {
  readonly #lines: LineLearner;
  #isPlain = true;
  /** True if there may be numbers with more digits than DuckDB keeps in JSON. */
  #manyDigits = false;
  /** True if there may be integers of many digits with a point or an exponent, which DuckDB reads as doubles. */
  #hasPoints = false;

  /** @param isRead whether items are parsed, since the content of their objects and lists counts */
  constructor(
    readonly schema: TableSchema,
    private readonly isRead: boolean,
  ) {
    this.#lines = new LineLearner(schema);
  }

  add(page: PageOfItems): void {
    const { count, isPlain = false } = page;
    if (count === 0) return;
    const added = addedColumns(page);
    if (isPlain && !this.isRead) {
      const isOdd = this.#lines.learn(bytesOf(page));
      this.schema.seeRows(count, added);
      this.#isPlain &&= !isOdd;
    } else {
      const items = itemsOf(page);
      this.schema.see(items, added);
      this.#isPlain &&= items.every(isObject);
      this.#manyDigits ||= losesDigits(items) || items.some(isBeyond64Bits);
      this.#hasPoints ||= (bytesOf(page).toString('latin1').match(MANY_DIGITS) ?? []).some((text) => POINT.test(text));
    }
    this.#isPlain &&= added.size === 0;
  }

  /** Returns whether DuckDB can read the lines as the API wrote them. */
  get isPlain(): boolean {
    // Items without members make a column of nulls.
    const isAsWritten = ({ name, columnType: type, filled, mixed, isChosen }: LearnedColumn, at: number): boolean =>
      filled === 0 ||
      (this.schema.indexOf(name) === at &&
        !mixed &&
        !isChosen &&
        !isDecimal(type) &&
        !isNestedType(type) &&
        !(type === 'json' && (this.#manyDigits || this.#hasPoints)) &&
        !(type === 'bigint' && this.#hasPoints));
    return this.#isPlain && this.schema.learned().every(isAsWritten);
  }
}

/** Matches more digits than a double has, with any point or exponent. */
const MANY_DIGITS = /[\d.]{16,}[eE]?/g;
const POINT = /[.eE]/;

/** Returns whether a value has integers that DuckDB rounds in JSON: it keeps those that fit 64 bits, signed or unsigned. */
function isBeyond64Bits(value: Json): boolean {
  if (typeof value === 'bigint') return BigInt.asIntN(64, value) !== value && BigInt.asUintN(64, value) !== value;
  return isList(value) ? value.some(isBeyond64Bits) : isObject(value) && Object.values(value).some(isBeyond64Bits);
}
