/** Lines of JSON as DuckDB reads them, without loss of digits. */
import type { DuckDBConnection } from '@duckdb/node-api';
import { literal, quoted } from '../../sinks/duckdb/sql';

const HOW = "format = 'newline_delimited', maximum_object_size = 268435456";
/** The most digits of a decimal of DuckDB. */
const MOST_DIGITS = 38;
/** An integer that a double may not hold, where no string has it; the pattern has no look-around, which DuckDB lacks. */
const LONG_INTEGER = '(?:^|[^0-9.eE])[0-9]{16,}(?:$|[^0-9.eE])';
const STRING = '"(?:[^"\\\\]|\\\\.)*"';

interface Column {
  readonly name: string;
  readonly type: string;
}

/**
 * The call of `read_json` that has the rows of these files. DuckDB takes doubles for a column where integers of any size and
 * other numbers are mixed, and doubles end the digits of integers beyond 2^53: such a column becomes decimals where all of its
 * numbers fit, else texts of its digits; lists and objects with such integers become JSON.
 *
 * @param list the files, as a list in SQL
 */
export async function linesReader(list: string, connection: DuckDBConnection): Promise<string> {
  const found = `read_json(${list}, ${HOW}, sample_size = -1, union_by_name = true)`;
  const columns = await columnsOf(found, connection);
  const doubtful = columns.filter(({ type }) => type.includes('DOUBLE'));
  if (doubtful.length === 0) return found;
  const texts = readerWith(
    list,
    doubtful.map(({ name }) => ({ name, type: 'JSON' })),
  );
  const types = new Map<string, string>();
  for (const column of doubtful) {
    const type = await typeWithoutLoss(column, texts, connection);
    if (type !== column.type) types.set(column.name, type);
  }
  if (types.size === 0) return found;
  return readerWith(
    list,
    columns.map(({ name, type }) => ({ name, type: types.get(name) ?? type })),
  );
}

const readerWith = (list: string, columns: readonly Column[]): string =>
  `read_json(${list}, ${HOW}, columns = {${columns.map(({ name, type }) => `${literal(name)}: ${literal(type)}`).join(', ')}})`;

async function columnsOf(reader: string, connection: DuckDBConnection): Promise<readonly Column[]> {
  const rows = (await connection.runAndReadAll(`DESCRIBE SELECT * FROM ${reader}`)).getRows();
  return rows.map(([name, type]) => ({ name: String(name), type: String(type) }));
}

async function typeWithoutLoss({ name, type }: Column, texts: string, connection: DuckDBConnection): Promise<string> {
  const text = `CAST(${quoted(name)} AS VARCHAR)`;
  const bare = `regexp_replace(${text}, ${literal(STRING)}, '', 'g')`;
  const loses = `coalesce(bool_or(regexp_matches(${bare}, ${literal(LONG_INTEGER)})), false)`;
  const whole = `max(length(regexp_extract(${text}, '^-?0*([0-9]+)', 1)))`;
  const fraction = `max(length(regexp_extract(${text}, '\\.([0-9]+)$', 1)))`;
  const isPlain = `bool_and(${text} = 'null' OR regexp_full_match(${text}, '-?[0-9]+([.][0-9]+)?'))`;
  const asked = `SELECT ${loses}, ${whole}, ${fraction}, ${isPlain} FROM ${texts}`;
  const [row = []] = (await connection.runAndReadAll(asked)).getRows();
  if (row[0] !== true) return type;
  if (type !== 'DOUBLE') return 'JSON';
  const [before, after] = [Number(row[1]), Number(row[2])];
  return row[3] === true && before + after <= MOST_DIGITS ? `DECIMAL(${MOST_DIGITS},${after})` : 'VARCHAR';
}
