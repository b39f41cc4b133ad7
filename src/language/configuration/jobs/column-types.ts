import * as t from 'io-ts';
import { codec, expected, type Codec } from '../../codec/codec';
import { dictionary } from '../../codec/primitives';
import { CHOSEN_TYPES, chosenTypeOf, EXPECTED_TYPE } from '../../../core/json/column-type';
import type { ChosenType } from '../../../core/json/column-type';

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
