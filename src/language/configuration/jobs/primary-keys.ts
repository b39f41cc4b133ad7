import * as t from 'io-ts';
import { isBlank } from '../../../core/json/blank';
import { expected, refine, refuse, type Codec } from '../../codec/codec';
import { dictionary, oneOrList, string } from '../../codec/primitives';

/** The columns of a primary key: one name, or an array of names that differ. */
export const primaryKey: Codec<readonly string[]> = refine(
  'PrimaryKey',
  oneOrList(string),
  (columns, context, input) => {
    if (isBlank(input)) return expected('the name of a column, or an array of names', input, context);
    const again = columns.findIndex((column, at) => columns.indexOf(column) < at);
    if (again < 0) return t.success(columns);
    const first = columns.indexOf(columns[again] ?? '');
    return refuse(input, context, `expected names that differ: entries ${first} and ${again} are equal`);
  },
);

/** `config.primaryKeys`: the key of each table that has no mapping, by dataType. */
export const primaryKeys: Codec<Readonly<Record<string, readonly string[]>>> = dictionary(primaryKey);
