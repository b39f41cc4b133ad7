import * as t from 'io-ts';
import { CHOSEN_TYPES, EXPECTED_TYPE, chosenTypeOf } from '../../../core/json/column-type';
import type { ChosenType } from '../../../core/json/column-type';
import { isBlank } from '../../../core/json/scalars';
import { isTableName, tableNameOf } from '../../../core/json/sql-name';
import { codec, expected, refine, refuse } from '../../codec/codec';
import type { Codec } from '../../codec/codec';
import { dictionary, oneOf, oneOrList, string } from '../../codec/primitives';

/**
 * The treatment of existing rows: they are removed; they stay; or rows with the key of a new row are removed
 * (docs/sinks.md#tables).
 */
export type Load = 'replace' | 'append' | 'merge';

export const load = oneOf<Load>('Load', ['replace', 'append', 'merge']);

/**
 * The treatment of objects and arrays in items: columns and tables of their own, JSON, or columns of STRUCT and LIST.
 */
export type Nesting = 'tables' | 'json' | 'struct';

export const nesting = oneOf<Nesting>('Nesting', ['tables', 'json', 'struct']);

/** A type of a column. */
export const columnType: Codec<ChosenType> = codec(
  'ColumnType',
  { type: 'string', pattern: CHOSEN_TYPES },
  (input, context) => {
    const type = typeof input === 'string' ? chosenTypeOf(input) : undefined;
    return type === undefined ? expected(EXPECTED_TYPE, input, context) : t.success(type);
  },
);

/** `columnTypes` of a job: path in an item → type. */
export const columnTypes: Codec<Readonly<Record<string, ChosenType>>> = dictionary(columnType, true);

/** The columns of a primary key: one name, or an array of different names. */
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

/** The name of a table that SQL accepts without quotes. */
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

/** The settings of a job for the table of its items (docs/sinks.md#tables). */
export interface TableOfItems {
  /** The treatment of existing rows; if absent, the one of the settings. */
  readonly load?: Load;
  /** The name of the table; if absent, derived from the dataType. */
  readonly tableName?: string;
  /** The columns of the key of its table (docs/sinks.md#primary-keys). */
  readonly primaryKey?: readonly string[];
  /** The treatment of objects and arrays in destinations with tables. */
  readonly nested?: Nesting;
  /** The types of columns in typed tables, by paths in items. */
  readonly columnTypes: Readonly<Record<string, ChosenType>>;
}
