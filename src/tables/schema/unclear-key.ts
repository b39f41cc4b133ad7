import { FatalError } from '../../core/errors/errors';

/**
 * The error for a column of a key whose name two columns want: rows without one of them would take the place of each other.
 *
 * @param other the name that the column of the placeholder, or of the user data, has in the table; absent: it has none
 */
export const unclearKey = (table: string, column: string, other?: string): FatalError => {
  const named = JSON.stringify(column);
  const what =
    `The primary key of the table ${JSON.stringify(table)} names the column ${named}, which is that of a placeholder or of userData, ` +
    `and some items have a key ${named} of their own, and others have none`;
  const remedy =
    other === undefined
      ? 'Say with a mapping which of them is meant, and run again.'
      : `Write ${JSON.stringify(other)} in the primaryKey of the job, which is the placeholder in this table, or say with a mapping which is meant, and run again.`;
  return new FatalError('DESTINATION_INCOMPATIBLE', `${what}. Nothing was stored. ${remedy}`, { table });
};
