/** Rows of flat tables for SQLite: their columns are learned first, then each page is read again. */
import { learnTables } from '../duckdb/learn';
import type { FlatLoader } from '../duckdb/load';
import { learnedLoad } from '../duckdb/load-flat';
import type { LearnedLoad } from '../duckdb/load-flat';
import { surveyTables } from '../duckdb/survey';
import { rowsOf } from './cells';
import type { Cell } from './driver';

/** One table of a run, whose rows can be read once. */
export interface RowLoad extends LearnedLoad {
  /** The rows in their order, those of a page at a time. */
  readonly pages: () => AsyncIterable<readonly (readonly Cell[])[]>;
  /** How many values of each column are not null. */
  readonly filled: readonly number[];
}

/** How rows come to SQLite. */
export const BY_ROWS: FlatLoader<RowLoad> = {
  load: async (options, store) => {
    const tables = await surveyTables(options);
    const learned = await learnTables(options, tables);
    options.check(learned);
    const loads = tables.flatMap((table): RowLoad[] => {
      const schema = learned.get(table.dataType)?.schema;
      if (schema === undefined) return [];
      const pages = async function* (): AsyncGenerator<readonly (readonly Cell[])[]> {
        const isWanted = (place: { readonly dataType: string; readonly count: number }): boolean =>
          place.dataType === table.dataType && place.count > 0;
        for await (const page of options.pages(isWanted)) yield rowsOf(page, schema, table.dataType);
      };
      return [{ ...learnedLoad(table, schema), pages, filled: schema.facts().map(({ filled }) => filled) }];
    });
    return store(loads);
  },
  withoutRows: (load) => ({ ...load, pages: async function* () {}, filled: [] }),
};
