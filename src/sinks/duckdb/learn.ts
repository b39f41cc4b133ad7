import { isObject } from '../../json/keys';
import { readLines } from './items';
import type { SurveyOptions, TableLines } from './survey';
import type { PageOfItems, PlaceOfItems } from '../journal/journal';
import { createSchema } from '../schema/schema';
import type { Column, ColumnFacts, TableSchema } from '../schema/schema';
import { isDecimal } from '../schema/decimal-type';
import { lineLearner } from '../schema/schema-lines';

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
  { pages, empty = () => [] }: Pick<SurveyOptions, 'pages' | 'empty'>,
  tables: readonly TableLines[],
  upTo = Infinity,
): Promise<ReadonlyMap<string, LearnedTable>> {
  const learning = new Map(tables.map((table) => [table.dataType, new Learning(table)]));
  const isWanted = ({ dataType, offset }: PlaceOfItems): boolean => offset < upTo && learning.has(dataType);
  for await (const page of pages(isWanted)) learning.get(page.dataType)?.add(page);
  for (const [dataType, { schema }] of learning) for (const name of empty(dataType)) schema.columnFor(name);
  return learning;
}

class Learning implements LearnedTable {
  readonly schema: TableSchema;
  readonly #learn: ReturnType<typeof lineLearner>;
  #isPlain = true;
  /** Whether there may be numbers with more digits than DuckDB keeps in JSON. */
  #manyDigits = false;

  constructor({ known, dataType, output: { maxColumns = Infinity } }: TableLines) {
    this.schema = createSchema(known, { table: dataType, most: maxColumns });
    this.#learn = lineLearner(this.schema);
  }

  add({ lines, extra, count, isPlain = false }: PageOfItems): void {
    if (count === 0) return;
    const bytes = Buffer.from(lines.buffer, lines.byteOffset, lines.byteLength);
    if (isPlain) {
      const { shapes } = this.#learn(bytes);
      this.schema.seeRows(count, extra);
      this.#isPlain &&= !shapes;
    } else {
      const { items, manyDigits } = readLines(bytes.toString('utf8'));
      this.schema.see(items, extra);
      this.#isPlain &&= items.every(isObject);
      this.#manyDigits ||= manyDigits;
    }
    this.#isPlain &&= extra.size === 0;
  }

  get isPlain(): boolean {
    const facts = this.schema.facts();
    const isAsWritten = ({ name, type }: Column, at: number): boolean => {
      // Items without any member make a column of nothing.
      const { filled = 0, mixed = false }: Partial<ColumnFacts> = facts[at] ?? {};
      return (
        filled === 0 ||
        (this.schema.indexOf(name) === at && !mixed && !isDecimal(type) && !(type === 'json' && this.#manyDigits))
      );
    };
    return this.#isPlain && this.schema.columns().every(isAsWritten);
  }
}
