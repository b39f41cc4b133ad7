import { tmpdir } from 'node:os';
import { stringifyJson } from '../../src/core/json/stringify';
import type { Item, JsonObject } from '../../src/core/model';
import { createAutomaticTables } from '../../src/tables/automatic/automatic';
import type { AutomaticTables, AutomaticTablesOptions } from '../../src/tables/automatic/automatic';
import type { PageOfLines } from '../../src/tables/automatic/rows';

/** One page of items. */
export const page = (
  dataType: string,
  items: readonly Item[],
  extra: Readonly<Record<string, string>> = {},
): PageOfLines => ({
  dataType,
  items,
  lines: Buffer.from(items.map((item) => `${stringifyJson(item)}\n`).join('')),
  isPlain: false,
  extra: new Map(Object.entries(extra)),
});

export type Cells = Readonly<Record<string, readonly (readonly string[])[]>>;

export interface Made {
  /** Header and rows of each table, cells joined with `|`. */
  readonly tables: Readonly<Record<string, readonly string[]>>;
  /** The same, each cell by itself. */
  readonly cells: Cells;
  readonly state: JsonObject;
  readonly warnings: readonly string[];
}

/** Tables that can read their pages again. */
export function automaticTables(options: Partial<AutomaticTablesOptions>): AutomaticTables {
  const added: PageOfLines[] = [];
  const tables = createAutomaticTables({
    ...{ spoolFolder: tmpdir(), warn: () => undefined, compatLevel: 3, ...options },
    pagesAgain: async function* () {
      for (const page of added) yield await Promise.resolve(page);
    },
  });
  return {
    ...tables,
    add: (batch) => {
      added.push(batch);
      return tables.add(batch);
    },
  };
}

/** Adds the pages one after another and reads all tables. */
export async function makeTables(
  pages: readonly PageOfLines[],
  options: Partial<AutomaticTablesOptions> = {},
): Promise<Made> {
  const warnings: string[] = [];
  const automatic = automaticTables({ warn: (message) => void warnings.push(message), ...options });
  try {
    for (const batch of pages) await automatic.add(batch);
    const cells: Record<string, (readonly string[])[]> = {};
    for (const { name, columns, rows } of await automatic.finish()) {
      const read = [columns];
      for await (const chunk of rows) read.push(...chunk);
      cells[name] = read;
    }
    const tables = Object.fromEntries(
      Object.entries(cells).map(([name, rows]) => [name, rows.map((row) => row.join('|'))]),
    );
    return { tables, cells, state: automatic.state(), warnings };
  } finally {
    await automatic.close();
  }
}

/** The tables with each generated id as its prefix and a number: the first id met is 1. */
export async function numberedTables(
  pages: readonly PageOfLines[],
  options: Partial<AutomaticTablesOptions> = {},
): Promise<Made['tables']> {
  const { tables } = await makeTables(pages, options);
  const numbers = new Map<string, number>();
  const number = (id: string): string => {
    if (!numbers.has(id)) numbers.set(id, numbers.size + 1);
    return String(numbers.get(id));
  };
  const numbered = (line: string): string =>
    line.replace(/[^|]*_[0-9a-f]{32}(?=\||$)/g, (id) => `${id.slice(0, -32)}#${number(id)}`);
  return Object.fromEntries(Object.entries(tables).map(([name, lines]) => [name, lines.map(numbered)]));
}
