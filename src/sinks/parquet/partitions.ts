/** The files of a table: one, or those of its partitions. */
import { quoted } from '../../core/json/sql-name';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { unescape } from 'node:querystring';
import { ConfigurationError, FatalError } from '../../core/errors/errors';
import type { TableOfBuckets } from '../../tables/mapping/mapping';
import { placeOf } from '../../tables/mapping/reader';
import type { Column } from '../../tables/schema/schema';
import { firstLine } from '../duckdb/connection';
import type { Database } from '../duckdb/connection';
import { listOf } from '../stores/merge';
import { fileNameFor, safeFileName } from '../files/durable-files';
import { filesIn } from '../files/folder-commit';
import { literal } from '../sql';

/** The files of a table from earlier runs, by their paths within the destination. */
export interface OldFiles {
  readonly files: readonly string[];
  /** True if they are in folders by the values of the partition columns of this run; for a run without any, if it is a single file. */
  readonly isInForm: boolean;
}

/** The form in which a table is stored. */
export interface TableForm {
  readonly table: string;
  /** The columns of the partitions; empty: it is one file. */
  readonly partitionBy: readonly string[];
}

/** @example nameOf({ table: 'orders', partitionBy: [] }) // 'orders.parquet' */
export const nameOf = ({ table, partitionBy }: TableForm): string =>
  safeFileName(fileNameFor(partitionBy.length === 0 ? `${table}.parquet` : table));

/** The folder name of DuckDB and hive for a missing value. */
const NO_VALUE = '__HIVE_DEFAULT_PARTITION__';

/** Returns the file of a table without rows, which has its columns. */
export const nameOfEmpty = (form: TableForm): string =>
  form.partitionBy.length === 0
    ? nameOf(form)
    : [
        nameOf(form),
        ...form.partitionBy.map((column) => `${encodeURIComponent(column)}=${NO_VALUE}`),
        'data_0.parquet',
      ].join('/');

/**
 * Finds the files of a table.
 *
 * @param isOwn whether the last run made a file: other folders are no tables
 */
export async function oldFilesOf(folder: string, form: TableForm, isOwn: (file: string) => boolean): Promise<OldFiles> {
  const single = nameOf({ ...form, partitionBy: [] });
  const isPartitioned = form.partitionBy.length > 0;
  const parts = isPartitioned ? nameOf(form) : fileNameFor(form.table);
  const found = parts !== '' && existsSync(join(folder, parts)) ? await filesIn(join(folder, parts)) : [];
  const inParts = found.filter((file) => file.endsWith('.parquet')).map((file) => `${parts}/${file}`);
  const counted = isPartitioned || inParts.some(isOwn) ? inParts : [];
  const files = [...(existsSync(join(folder, single)) ? [single] : []), ...counted];
  const isInForm = files.every((file) => (isPartitioned ? isBy(file, form.partitionBy) : file === single));
  return { files, isInForm };
}

function isBy(file: string, columns: readonly string[]): boolean {
  const folders = file.split('/').slice(1, -1);
  const names = folders.map((name) => unescape(name.slice(0, Math.max(0, name.indexOf('=')))));
  return names.length === columns.length && names.every((name, at) => name === columns[at]);
}

/** @throws FatalError DESTINATION_INCOMPATIBLE when a table exists both as one file and in partitions */
export function checkOneForm(folder: string, table: string, files: readonly string[]): void {
  const single = files.find((file) => !file.includes('/'));
  const other = files.find((file) => file.includes('/'));
  if (single === undefined || other === undefined) return;
  const both = [single, other].map((file) => JSON.stringify(join(folder, file))).join(' and ');
  const message = `There are ${both}, and rows can be added to one of them only. Move away what is no table of yours.`;
  throw new FatalError('DESTINATION_INCOMPATIBLE', message, { table });
}

/**
 * Refuses mappings of items without a partition column, before anything is requested.
 *
 * @param tables the mapped tables; child tables stay one file each
 * @throws ConfigurationError
 */
export function checkMappedPartitions(tables: Iterable<TableOfBuckets>, partitionBy: readonly string[]): void {
  const faults = [...tables].flatMap(({ name, columns, isRoot }) => {
    const missing = isRoot ? partitionBy.find((column) => !columns.includes(column)) : undefined;
    if (missing === undefined) return [];
    const what = `has no column ${JSON.stringify(missing)}, which partitionBy of the destination names`;
    return [{ path: placeOf('config.mappings', name), message: `${what}. Add it, or correct partitionBy.` }];
  });
  if (faults.length > 0) throw new ConfigurationError(faults);
}

/** @throws FatalError DESTINATION_INCOMPATIBLE when a table lacks a partition column */
export function checkPartitions({ table, partitionBy }: TableForm, columns: readonly string[]): void {
  const missing = partitionBy.find((column) => !columns.includes(column));
  if (missing === undefined) return;
  const what = `The table ${JSON.stringify(table)} does not have the column ${JSON.stringify(missing)}, which partitionBy names`;
  const message = `${what}; it has ${columns.join(', ')}. Nothing was stored. Correct partitionBy, then let the run go on with --resume.`;
  throw new FatalError('DESTINATION_INCOMPATIBLE', message, { table });
}

/** The maximum bytes of the name of a folder on common file systems. */
const MOST_BYTES = 255;
/** The prefix that distinguishes our own refusals from errors of DuckDB. */
const REFUSED = 'headwater partition:';

/**
 * Copies rows into a folder for each value of the partition columns.
 *
 * @param query the rows, in `columns`
 * @returns the number of rows
 * @throws FatalError DESTINATION_INCOMPATIBLE for a string that cannot name a folder
 */
export async function copyPartitions(
  database: Database,
  query: string,
  { target, form, columns, options }: PartitionedTarget,
): Promise<number> {
  const { table, partitionBy } = form;
  const cells = columns.map((column) =>
    column.type === 'text' && partitionBy.includes(column.name) ? checked(column.name) : quoted(column.name),
  );
  const by = `PARTITION_BY (${listOf(partitionBy)}), WRITE_PARTITION_COLUMNS true`;
  try {
    const [[rows] = []] = await database.rows(
      `COPY (SELECT ${cells.join(', ')} FROM (${query})) TO ${literal(target)} (FORMAT parquet, COMPRESSION zstd, ${options}, ${by})`,
    );
    return Number(rows);
  } catch (cause) {
    const [, reason] = firstLine(cause).split(REFUSED, 2);
    if (reason === undefined) throw cause;
    const what = `The table ${JSON.stringify(table)} cannot be put into partitions: ${reason}`;
    throw new FatalError('DESTINATION_INCOMPATIBLE', `${what}. Nothing was stored. ${REMEDY}`, { table });
  }
}

const REMEDY =
  'Name a column of shorter values in partitionBy, such as a country or a date, and run again without --resume: it has the same pages.';

export interface PartitionedTarget {
  /** The folder of the table, which does not exist. */
  readonly target: string;
  readonly form: TableForm;
  readonly columns: readonly Column[];
  /** Further options of COPY. */
  readonly options: string;
}

/**
 * Returns the SQL of a column whose values can all name folders, and which fails otherwise; the error quotes no value, which may be long,
 * or a secret.
 */
function checked(name: string): string {
  const column = quoted(name);
  const most = MOST_BYTES - Buffer.byteLength(encodeURIComponent(name)) - 1;
  const of = `a value of ${JSON.stringify(name)}`;
  const tooLong = refused(`${of} is too long for the name of a folder`);
  const taken = refused(`${of} is ${NO_VALUE}, which stands for rows without a value`);
  return (
    `CASE WHEN ${column} = ${literal(NO_VALUE)} THEN ${taken} ` +
    `WHEN strlen(url_encode(${column})) > ${String(most)} THEN ${tooLong} ELSE ${column} END AS ${column}`
  );
}

const refused = (reason: string): string => `error(${literal(`${REFUSED}${reason}`)})`;
