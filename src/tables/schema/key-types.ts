import { FatalError } from '../../core/errors/errors';
import type { Column } from './schema';

/**
 * Refuses to merge by a column of moments that becomes one of texts: nobody knows how the API has spelled those that are there, so that
 * rows with the same key would stay beside each other.
 *
 * @param before the columns that the table has
 * @param after those that the run needs
 * @throws FatalError DESTINATION_INCOMPATIBLE
 */
export function checkKeyTypes(
  table: string,
  key: readonly string[],
  before: readonly Column[],
  after: readonly Column[],
): void {
  const typeIn = (columns: readonly Column[], name: string): Column['type'] | undefined =>
    columns.find((column) => column.name === name)?.type;
  const lost = key.find((name) => {
    const had = typeIn(before, name);
    return (had === 'timestamp' || had === 'timestamptz') && typeIn(after, name) === 'text';
  });
  if (lost === undefined) return;
  const what =
    `The column ${JSON.stringify(lost)} of the primary key of the table ${JSON.stringify(table)} has times, and the run a value that is none: ` +
    'as texts, the times that are there would not be found by the spelling of the API';
  const remedy =
    'Take such items out of the response, or fill a new table ("tableName") with the type "string" for this column ("columnTypes"), and run again.';
  throw new FatalError('DESTINATION_INCOMPATIBLE', `${what}. Nothing was stored. ${remedy}`, { table });
}
