import * as t from 'io-ts';
import { isBlank } from '../json/blank';
import { expected, refine, type Codec } from './codec';
import { dictionary, oneOrList, string } from './primitives';

/** The columns of a primary key: one name, or a list of names that differ. */
export const primaryKey: Codec<readonly string[]> = refine(
  'PrimaryKey',
  oneOrList(string),
  (columns, context, input) => {
    if (isBlank(input)) return expected('the name of a column, or a list of names', input, context);
    const twice = columns.find((column, at) => columns.indexOf(column) < at);
    return twice === undefined ? t.success(columns) : expected('names that differ', twice, context);
  },
);

/** `config.primaryKeys`: the key of each table that has no mapping, by dataType. */
export const primaryKeys: Codec<Readonly<Record<string, readonly string[]>>> = dictionary(primaryKey);
