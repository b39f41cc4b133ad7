import { isNestedType } from '../../tables/schema/column-type';
import { isObject } from '../../core/json/keys';
import { readLines } from './items';
import type { SurveyOptions, TableLines } from './survey';
import type { PageOfItems, PlaceOfItems } from '../journal/journal';
import { addedColumns } from '../../tables/run-columns';
import type { ColumnNames } from '../../tables/schema/column-names';
import { createSchema } from '../../tables/schema/schema';
import type { Column, ColumnFacts, TableSchema } from '../../tables/schema/schema';
import type { ChosenTypes } from '../../tables/schema/chosen-type';
import { isDecimal } from '../../tables/schema/decimal-type';
import { limitOf } from '../../tables/schema/limited-output';
import { lineLearner } from '../../tables/schema/schema-lines';

/** The columns of a table, as its pages have them. */
export interface LearnedTable {
  readonly schema: TableSchema;
  /** Whether DuckDB can read the lines as the API wrote them. */
  readonly isPlain: boolean;
}

/**
 * Learns the columns of tables from their pages.
 *
 * @param upTo pages that begin at or behind this offset in their file are left out
 * @returns the columns by dataType
 */
export async function learnTables(
  {
    pages,
    empty = () => [],
    chosen,
    names,
    hasStructs = () => false,
  }: Pick<SurveyOptions, 'pages' | 'empty' | 'chosen' | 'names' | 'hasStructs'>,
  tables: readonly TableLines[],
  upTo = Infinity,
): Promise<ReadonlyMap<string, LearnedTable>> {
  const learning = new Map(
    tables.map((table) => {
      const { dataType } = table;
      return [dataType, new Learning(table, chosen?.(dataType), names?.(dataType), hasStructs(dataType))];
    }),
  );
  const isWanted = ({ dataType, offset }: PlaceOfItems): boolean => offset < upTo && learning.has(dataType);
  for await (const page of pages(isWanted)) learning.get(page.dataType)?.add(page);
  for (const [dataType, { schema }] of learning) for (const name of empty(dataType)) schema.columnFor(name);
  return learning;
}

class Learning implements LearnedTable {
  readonly schema: TableSchema;
  readonly #learn: ReturnType<typeof lineLearner>;
  /** Whether items are parsed, since what stands within their objects and lists counts. */
  readonly #isRead: boolean;
  #isPlain = true;
  /** Whether there may be numbers with more digits than DuckDB keeps in JSON. */
  #manyDigits = false;
  #hasPoints = false;

  constructor(
    { known, dataType, output }: TableLines,
    chosen: ChosenTypes | undefined,
    names: ColumnNames | undefined,
    hasStructs: boolean,
  ) {
    this.schema = createSchema(known, limitOf(output, dataType), undefined, chosen, names, hasStructs);
    this.#isRead = hasStructs || known.some(({ type }) => isNestedType(type));
    this.#learn = lineLearner(this.schema);
  }

  add(page: PageOfItems): void {
    const { lines, count, isPlain = false } = page;
    if (count === 0) return;
    const added = addedColumns(page);
    const bytes = Buffer.from(lines.buffer, lines.byteOffset, lines.byteLength);
    if (isPlain && !this.#isRead) {
      const { shapes } = this.#learn(bytes);
      this.schema.seeRows(count, added);
      this.#isPlain &&= !shapes;
    } else {
      const { items, manyDigits, hasPoints } = readLines(bytes.toString('utf8'));
      this.schema.see(items, added);
      this.#isPlain &&= items.every(isObject);
      this.#manyDigits ||= manyDigits;
      this.#hasPoints ||= hasPoints;
    }
    this.#isPlain &&= added.size === 0;
  }

  get isPlain(): boolean {
    const facts = this.schema.facts();
    const isAsWritten = ({ name, type }: Column, at: number): boolean => {
      // Items without any member make a column of nothing.
      const { filled = 0, mixed = false, isChosen = false }: Partial<ColumnFacts> = facts[at] ?? {};
      return (
        filled === 0 ||
        (this.schema.indexOf(name) === at &&
          !mixed &&
          !isChosen &&
          !isDecimal(type) &&
          !isNestedType(type) &&
          !(type === 'json' && (this.#manyDigits || this.#hasPoints)) &&
          !(type === 'bigint' && this.#hasPoints))
      );
    };
    return this.#isPlain && this.schema.columns().every(isAsWritten);
  }
}
