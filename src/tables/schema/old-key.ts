import { FatalError } from '../../core/errors/errors';

/**
 * Refuses to merge into a table that has rows and lacks a column of the primary key: no row of the run would take the place of one of
 * them, and all of these would stay beside the new ones.
 *
 * @param table the name, for people
 * @param key the columns of the primary key; none: nothing is refused
 * @param columns the names of the columns that the table has
 * @param hasRows is asked where a column is missing
 * @param hint what may be the reason, as a sentence
 * @throws FatalError DESTINATION_INCOMPATIBLE
 * @example await checkOldKey('orders', ['id'], ['number', 'state'], () => true)
 */
export async function checkOldKey(
  table: string,
  key: readonly string[],
  columns: readonly string[],
  hasRows: () => boolean | Promise<boolean>,
  hint = '',
): Promise<void> {
  const missing = key.find((name) => !columns.includes(name));
  if (missing === undefined || !(await hasRows())) return;
  const what =
    `The table ${JSON.stringify(table)} has rows, but no column ${JSON.stringify(missing)}, which its primary key names: ` +
    'rows of the run would not take the place of those that are there';
  const remedy = 'Give the column its name back, or move the table away, and run again.';
  const message = [`${what}.`, ...(hint === '' ? [] : [hint]), 'Nothing was stored.', remedy].join(' ');
  throw new FatalError('DESTINATION_INCOMPATIBLE', message, { table });
}

/** The names of columns. */
export const namesOf = (columns: readonly { readonly name: string }[]): readonly string[] =>
  columns.map(({ name }) => name);
