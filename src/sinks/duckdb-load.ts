import { open } from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import { isObject } from '../json/keys';
import type { OutputPlan } from '../plan/plan';
import { readLines } from './duckdb-items';
import { lineRewriter } from './duckdb-lines';
import { literal, nullOf, pathLiteral, quoted, typeName } from './duckdb-sql';
import type { JournaledPage } from './journal';
import { createSchema } from './schema';
import type { Column, ColumnFacts, Schema } from './schema';

/** The rows of one table of a run, in a file that DuckDB reads. */
export interface TableLoad {
  readonly dataType: string;
  readonly incremental: boolean;
  /** Columns of the primary key; empty: there is none. */
  readonly keys: readonly string[];
  readonly rows: number;
  /** Those that the table has already, and new ones. */
  readonly columns: readonly Column[];
  readonly facts: readonly ColumnFacts[];
  /** A query that gives the columns in their types. */
  readonly query: string;
}

export interface LoadOptions {
  readonly pages: () => AsyncIterable<JournaledPage>;
  /** Takes the files; it is there, and goes afterwards. */
  readonly folder: string;
  readonly outputs: readonly OutputPlan[];
  /** The columns that a table of the destination has; none: there is no such table. */
  readonly known: (dataType: string) => Promise<readonly Column[]>;
}

/** A table while its pages are read. */
interface Draft {
  readonly dataType: string;
  readonly output: OutputPlan;
  readonly schema: Schema;
  readonly file: string;
  readonly handle: FileHandle;
  rows: number;
  /** Bytes of the largest page: no line is longer. */
  largest: number;
  /** Whether DuckDB can read the lines as the API wrote them. */
  plain: boolean;
  /** Whether there may be numbers with more digits than DuckDB keeps in JSON. */
  manyDigits: boolean;
}

/**
 * Learns the columns of all tables from their pages, and gives the rows to `store`. DuckDB reads the lines of most
 * tables as the API wrote them. Where it cannot, or the lines are unusual, they are rewritten for it first.
 *
 * @param store stores all tables or none: it is called again when it failed over lines that were not rewritten yet
 */
export async function loadTables<T>(
  options: LoadOptions,
  store: (loads: readonly TableLoad[]) => Promise<T>,
): Promise<T> {
  const drafts = await draftTables(options);
  const rewritten = drafts.filter((draft) => !isPlain(draft));
  await rewrite(options, rewritten);
  const loadsOf = (plain: (draft: Draft) => boolean): readonly TableLoad[] =>
    drafts.map((draft) => loadOf(draft, plain(draft)));
  try {
    return await store(loadsOf((draft) => !rewritten.includes(draft)));
  } catch (error) {
    if (rewritten.length === drafts.length) throw error;
    await rewrite(
      options,
      drafts.filter((draft) => !rewritten.includes(draft)),
    );
    return store(loadsOf(() => false));
  }
}

async function draftTables({ pages, folder, outputs, known }: LoadOptions): Promise<readonly Draft[]> {
  const drafts = new Map<string, Draft>();
  const begin = async ({ dataType, run }: JournaledPage): Promise<Draft> => {
    const output = outputs[run] as OutputPlan;
    const schema = createSchema(output.incremental ? await known(dataType) : []);
    const file = join(folder, `${drafts.size}.ndjson`);
    const handle = await open(file, 'w');
    return { dataType, output, schema, file, handle, rows: 0, largest: 0, plain: true, manyDigits: false };
  };
  try {
    for await (const page of pages()) {
      const draft = drafts.get(page.dataType) ?? (await begin(page));
      drafts.set(page.dataType, draft);
      if (page.count === 0) continue;
      const writing = draft.handle.writeFile(page.lines);
      try {
        draft.rows += readPage(draft, page);
      } finally {
        await writing;
      }
    }
  } finally {
    for (const { handle } of drafts.values()) await handle.close();
  }
  return [...drafts.values()];
}

/** @returns the number of items */
function readPage(draft: Draft, { lines, extra }: JournaledPage): number {
  const text = Buffer.from(lines.buffer, lines.byteOffset, lines.byteLength).toString('utf8');
  const { items, manyDigits } = readLines(text);
  draft.schema.see(items, extra);
  draft.largest = Math.max(draft.largest, lines.byteLength);
  draft.plain &&= extra.size === 0 && items.every(isObject);
  draft.manyDigits ||= manyDigits;
  return items.length;
}

function isPlain({ schema, plain, manyDigits }: Draft): boolean {
  const facts = schema.facts();
  const asWritten = ({ name, type }: Column, at: number): boolean => {
    // Items without any member make a column of nothing.
    const { filled = 0, mixed = false }: Partial<ColumnFacts> = facts[at] ?? {};
    return filled === 0 || (schema.indexOf(name) === at && !mixed && !(type === 'json' && manyDigits));
  };
  return plain && schema.columns().every(asWritten);
}

async function rewrite({ pages }: LoadOptions, drafts: readonly Draft[]): Promise<void> {
  if (drafts.length === 0) return;
  const targets = new Map<
    string,
    { readonly draft: Draft; readonly handle: FileHandle; readonly lines: ReturnType<typeof lineRewriter> }
  >();
  try {
    for (const draft of drafts)
      targets.set(draft.dataType, { draft, handle: await open(draft.file, 'w'), lines: lineRewriter(draft.schema) });
    for await (const page of pages()) {
      const target = targets.get(page.dataType);
      if (target === undefined || page.count === 0) continue;
      const lines = target.lines(page);
      target.draft.largest = Math.max(target.draft.largest, lines.byteLength);
      await target.handle.writeFile(lines);
    }
  } finally {
    for (const { handle } of targets.values()) await handle.close();
  }
}

function loadOf(draft: Draft, plain: boolean): TableLoad {
  const { dataType, output, schema, rows } = draft;
  const columns = schema.columns();
  const nameOf = (key: string): string => columns[schema.indexOf(key) ?? -1]?.name ?? key;
  return {
    dataType,
    incremental: output.incremental,
    keys: (output.primaryKeys?.get(dataType) ?? []).map(nameOf),
    rows,
    columns,
    facts: schema.facts(),
    query: queryOf(draft, plain),
  };
}

/** The least that DuckDB has for a line. */
const LINE_BYTES = 16 * 1024 * 1024;

function queryOf({ schema, file, largest }: Draft, plain: boolean): string {
  const facts = schema.facts();
  const columns = schema.columns();
  const isRead = (at: number): boolean => (facts[at]?.filled ?? 0) > 0;
  const source = ({ name }: Column, at: number): string => (plain ? name : String(at));
  const value = (column: Column, at: number): string => {
    if (!isRead(at)) return nullOf(column.type);
    const read = quoted(source(column, at));
    return plain || column.type !== 'json' ? read : `CAST(${read} AS JSON)`;
  };
  const read = columns.flatMap((column, at) => {
    if (!isRead(at)) return [];
    const type = !plain && column.type === 'json' ? 'text' : column.type;
    return [`${literal(source(column, at))}: ${literal(typeName(type))}`];
  });
  // One column at least must be read: rows of nothing but nulls count, too.
  const from = `read_json(${pathLiteral(file)}, format = 'newline_delimited', records = true, compression = 'uncompressed',
    maximum_object_size = ${Math.max(LINE_BYTES, largest)}, columns = {${read.join(', ') || "'_': 'VARCHAR'"}})`;
  return `SELECT ${columns.map((column, at) => `${value(column, at)} AS ${quoted(column.name)}`).join(', ')} FROM ${from}`;
}
