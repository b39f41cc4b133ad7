import { addsRows, keyPlaceOf } from '../../tables/table';
import { join } from 'node:path';
import { HeadwaterError } from '../../core/errors/errors';
import { learnTables } from './learn';
import type { Learned, LearnedTable } from './learn';
import { lineRewriter } from './lines';
import { queryOf } from './query';
import { surveyTables, writeLines } from './survey';
import type { SurveyOptions, TableLines } from './survey';
import type { Load } from '../../language/configuration/jobs/table';
import type { OutputPlan } from '../../plan/plan';
import type { ListTable } from '../state';
import type { TableLink } from '../../tables/table';
import type { AlikeKeys, ColumnNames } from '../../tables/schema/column-names';
import type { Column, TableSchema } from '../../tables/schema/schema';

/** What a run writes to one table, whose columns are known. */
export interface TableWrite {
  readonly table: string;
  /** `replace`: the rows replace those of the table; `append`: they are added; `merge`: they are added, and replace rows with the same key. */
  readonly mode: Load;
  /** The table of the items that its rows are lists of, by `_row_id` and `_parent_row_id`; absent: they are items themselves. */
  readonly parent?: string;
  /** The link of its rows to those of a parent by the values of a mapping; absent: there is none. */
  readonly link?: TableLink & {
    /** The file of the keys of parents that came; absent: none came with a key. */
    readonly file?: string;
  };
  /** The columns of the primary key; empty if there is none. Of rows of the run with the same key, the last one counts in any mode. */
  readonly keys: readonly string[];
  /** The place of the primary key in the configuration. */
  readonly keyPlace: string;
  /** The number of its rows, those with repeated keys included. */
  readonly rows: number;
  /** The columns of the table that the rows are added to, in their order and perhaps with wider types, and new ones behind them. */
  readonly columns: readonly Column[];
  /** The members that its columns belong to; absent: no rows came. */
  readonly names?: Required<ColumnNames>;
  /** The keys that a reader may take for one another; absent: no rows came. */
  readonly alike?: readonly AlikeKeys[];
  /** True for a table of items whose objects and lists are columns and tables: its rows have ids of the run. */
  readonly isLinked?: true;
}

/** Returns the tables with a parent: those of lists, and child tables of mappings. */
export const listsAmong = (loads: readonly TableWrite[]): readonly ListTable[] =>
  loads.flatMap(({ table, parent, link, rows }) => {
    const above = parent ?? link?.parent;
    return above === undefined ? [] : [{ table, parent: above, rows }];
  });

/**
 * Returns whether rows of a table of lists may have lost their parent rows: to rows of the run where rows are merged, and to later rows of
 * the same run where the table is replaced.
 *
 * @param hasLost the tables of the run that have lost rows to later ones
 */
export const mayLose = ({ parent, mode }: TableWrite, hasLost: ReadonlySet<string>): boolean =>
  parent !== undefined && (mode !== 'replace' || hasLost.has(parent));

/** Rows in a file that DuckDB reads. */
export interface QueryWrite extends TableWrite {
  /** The approximate bytes of its lines. */
  readonly bytes: number;
  /** A query that returns the columns in their types. */
  readonly query: string;
  /** Returns how many values of each column are not null in the pages; rejects if the columns turn out to be wrong. */
  readonly filled: () => Promise<readonly number[]>;
}

/** Stores all tables or none. */
export type Store<T, L extends TableWrite = QueryWrite> = (loads: readonly L[]) => Promise<T>;

export interface FlatOptions extends SurveyOptions {
  /** Checks the columns of tables as soon as they are learned, and throws if they may not be stored. */
  readonly check: (learned: Learned) => void;
  /** Returns the columns of a table that are created only if they have values, since there were objects or lists at their places. */
  readonly optional: (table: string) => readonly string[];
}

/** The bytes of each table from which its columns are learned before rows are stored. */
const SAMPLE_BYTES = 16 * 1024 * 1024;

/**
 * Learns the columns of all tables from their pages, and passes the rows to `store`. It begins to store long tables while most of their
 * pages are still examined, with the columns of the first pages, and repeats that if it was too early. DuckDB reads the lines of most
 * tables as the API wrote them. If it cannot, or the lines are unusual, they are rewritten first.
 *
 * @param store is called again when it has failed because of columns or lines that may have been wrong
 */
export async function loadFlat<T>(options: FlatOptions, store: Store<T>): Promise<T> {
  const tables = await surveyTables(options);
  const sample = await learnTables(options, tables, SAMPLE_BYTES);
  options.check(sample);
  const long = tables.filter(({ lastOffset }) => lastOffset >= SAMPLE_BYTES);
  if (long.length === 0) return storeLearned(options, tables, sample, store);

  const learning = learnTables(options, long).then((rest): Learned => {
    options.check(rest);
    return new Map([...sample, ...rest]);
  });
  // Storing early may fail before learning does.
  learning.catch(() => undefined);
  const early = tables.map((table) => loadAsWritten(table, sample, learning));
  if (!early.every((load) => load !== undefined)) return storeLearned(options, tables, await learning, store);
  try {
    return await store(early);
  } catch (error) {
    const learned = await learning;
    const isRight = tables.every((table, at) => loadAsWritten(table, learned)?.query === early[at]?.query);
    if (!isRight) return storeLearned(options, tables, learned, store);
    if (!mayBeOverLines(error)) throw error;
    return storeLearned(options, tables, learned, store, true);
  }
}

/** Returns whether rows that failed may be stored if DuckDB reads their lines in another way. */
export const mayBeOverLines = (error: unknown): boolean =>
  !(error instanceof HeadwaterError) || error.code === 'SINK_FAILED';

/** @param areRewritten whether the lines of all tables are, since DuckDB has refused some as the API wrote them */
async function storeLearned<T>(
  options: SurveyOptions,
  tables: readonly TableLines[],
  learned: Learned,
  store: Store<T>,
  areRewritten = false,
): Promise<T> {
  const loads: QueryWrite[] = [];
  let anyIsAsWritten = false;
  for (const [at, table] of tables.entries()) {
    const asWritten = areRewritten ? undefined : loadAsWritten(table, learned);
    anyIsAsWritten ||= asWritten !== undefined;
    const file = join(options.folder, `${at}.rewritten.ndjson`);
    loads.push(asWritten ?? (await loadRewritten(options, table, learnedOf(learned, table.dataType), file)));
  }
  try {
    return await store(loads);
  } catch (error) {
    if (!anyIsAsWritten || !mayBeOverLines(error)) throw error;
    return storeLearned(options, tables, learned, store, true);
  }
}

/** Rewrites the lines of a table into a file, so that DuckDB reads them without loss. */
async function loadRewritten(
  { pages }: SurveyOptions,
  table: TableLines,
  { schema }: LearnedTable,
  file: string,
): Promise<QueryWrite> {
  const largest = await writeLines(pages, table.dataType, file, lineRewriter(schema, table.dataType));
  return loadOf(table, schema, queryOf({ file, largest, schema, isRewritten: true }));
}

/**
 * @param learned what is known of the columns
 * @param complete what will be known of them; absent: nothing more
 */
function loadAsWritten(table: TableLines, learned: Learned, complete?: Promise<Learned>): QueryWrite | undefined {
  const { schema, isPlain } = learnedOf(learned, table.dataType);
  if (!isPlain) return undefined;
  const query = queryOf({ ...table, schema, isRewritten: false });
  if (complete === undefined) return loadOf(table, schema, query);
  return loadOf(table, schema, query, async () => {
    const then = loadAsWritten(table, await complete);
    if (then?.query !== query) throw new Error('The columns are others.');
    return then.filled();
  });
}

/** @param filled see {@link QueryWrite.filled}; absent: the columns are known */
export const loadOf = (
  table: TableLines,
  schema: TableSchema,
  query: string,
  filled: QueryWrite['filled'] = () => Promise.resolve(schema.learned().map((column) => column.filled)),
): QueryWrite => ({ ...writeOf(table, schema), bytes: table.lastOffset + table.largest, query, filled });

/** Returns the load of a table whose columns are known. */
export function writeOf(
  { dataType, output, rows }: Pick<TableLines, 'dataType' | 'output' | 'rows'>,
  schema: TableSchema,
): TableWrite {
  const columns = schema.columns();
  const nameOf = (field: string): string => columns[schema.indexOfField(field) ?? -1]?.name ?? field;
  const fields = output.primaryKeys?.get(dataType) ?? [];
  const keyPlace = keyPlaceOf(output, dataType);
  schema.checkKey(fields, keyPlace);
  const keys = fields.map(nameOf);
  return {
    table: dataType,
    mode: modeOf(output, dataType, keys),
    keys,
    keyPlace,
    rows,
    columns,
    names: schema.names(),
    alike: schema.alike(),
  };
}

/** Returns how a run writes to a table: the output of its items says it, and the key of the table. */
export const modeOf = (output: OutputPlan, dataType: string, keys: readonly string[]): Load =>
  !addsRows(output, dataType) ? 'replace' : keys.length === 0 ? 'append' : 'merge';

const learnedOf = (learned: Learned, dataType: string): LearnedTable => learned.get(dataType) as LearnedTable;
