import { FatalError } from '../../core/errors/errors';
import type { ColumnType } from '../../tables/schema/column-type';

/** A key of several columns is a string in the rows below it, which cannot be made again of every type. */
export const keyOfType = (table: string, column: string, type: ColumnType): FatalError =>
  new FatalError(
    'DESTINATION_INCOMPATIBLE',
    `Rows below those of ${JSON.stringify(table)} cannot be found: its key of several columns has ${JSON.stringify(column)} of the type ${type}. ` +
      'Set "parentKey.disable" below it, or "type": "string" for that column, in a new table.',
    { table },
  );
