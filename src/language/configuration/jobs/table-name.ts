import * as t from 'io-ts';
import { refine, refuse, type Codec } from '../../codec/codec';
import { string } from '../../codec/primitives';
import { isTableName, tableNameOf } from '../../../core/json/sql-name';

/** The name of a table as SQL takes it without quotes. */
export const tableName: Codec<string> = refine('TableName', string, (name, context, input) =>
  isTableName(name)
    ? t.success(name)
    : refuse(
        input,
        context,
        'expected a name of letters, digits and "_", at most 63 bytes, that begins with no digit, ' +
          `for example ${JSON.stringify(tableNameOf(name))}`,
      ),
);
