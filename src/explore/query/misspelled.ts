/** What a name in a statement was meant to be, where no table or column has that name. */
import { likelyMeant } from '../../language/codec/suggest';
import { unquoted } from './summary';
import type { SummarySource } from './summary';

/** The tables of the data, as SQL names them, and what tells their columns. */
export interface KnownNames {
  readonly tables: readonly string[];
  readonly columnsOf: SummarySource['columnsOf'];
}

/** How DuckDB and SQLite word that there is no such table. They have no codes for it. */
const TABLE = /(?:^|: )(?:Table with name (.+) does not exist|Referenced table "(.+)" not found|no such table: (.+))/;
const COLUMN =
  /(?:Referenced column "(.+)" not found|have a column named "(.+)"|Column "(.+)" in [A-Z]+ list not found|no such column: (.+))/;
/** The names that are listed where none is alike. */
const MOST_LISTED = 12;

/**
 * The sentence that tells which table or column was likely meant, or which ones there are; `''` for other failures.
 *
 * @param reason how the database words the failure, in one line
 * @param statement its columns are those of the tables that it names
 * @example await meantName('no such table: statons', 'select * from statons', known) // 'Did you mean "stations"?'
 */
export async function meantName(reason: string, statement: string, known: KnownNames): Promise<string> {
  const table = nameIn(TABLE, reason);
  if (table !== undefined) return sentence(table, 'tables', known.tables.map(unquoted));
  const column = nameIn(COLUMN, reason);
  if (column === undefined) return '';
  const named = known.tables.filter((each) => statement.toLowerCase().includes(lastPart(unquoted(each)).toLowerCase()));
  const columns = new Set<string>();
  for (const each of named.length === 0 ? known.tables : named)
    for (const { name } of await known.columnsOf(each)) columns.add(name);
  return sentence(lastPart(column), 'columns', [...columns]);
}

const nameIn = (pattern: RegExp, reason: string): string | undefined => pattern.exec(reason)?.slice(1).find(Boolean);

const lastPart = (name: string): string => name.slice(name.lastIndexOf('.') + 1);

function sentence(written: string, kind: string, names: readonly string[]): string {
  const meant = likelyMeant(written, names) ?? names.find((name) => likelyMeant(written, [lastPart(name)]));
  if (meant !== undefined) return `Did you mean ${JSON.stringify(meant)}?`;
  if (names.length === 0) return `There are no ${kind}.`;
  const more = names.length > MOST_LISTED ? `, and ${names.length - MOST_LISTED} more` : '';
  return `The ${kind} are: ${names.slice(0, MOST_LISTED).join(', ')}${more}.`;
}
