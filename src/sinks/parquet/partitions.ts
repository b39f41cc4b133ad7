/** Rows into files by the values of columns. */
import { FatalError } from '../../core/errors/errors';
import type { Database } from '../duckdb/connection';
import { firstLine } from '../duckdb/connection';
import { listOf } from '../duckdb/merge';
import { literal, quoted } from '../duckdb/sql';
import type { Column } from '../../tables/schema/schema';
import { NO_VALUE } from './files';
import type { TableForm } from './files';

/** Bytes that the name of a folder has at most, on the file systems that are common. */
const MOST_BYTES = 255;
/** This tells our own refusals from what DuckDB says. */
const REFUSED = 'headwater partition:';

/**
 * Copies rows into a folder for each value of the columns of the partitions.
 *
 * @param query the rows, in `columns`
 * @returns how many rows were written
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
  /** The folder of the table, which is not there. */
  readonly target: string;
  readonly form: TableForm;
  readonly columns: readonly Column[];
  /** Further options of COPY. */
  readonly options: string;
}

/** A column whose values can all name folders, or else an error: it may quote no value, which may be long, or a secret. */
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
