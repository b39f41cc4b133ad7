/** `rows` of a job (docs/language/rows.md): how the value at `dataField` is made rows, where it is no list of objects. */
import type * as t from 'io-ts';
import { codec } from '../../codec/codec';
import type { Codec } from '../../codec/codec';
import { dictionary, flag, list, string, text } from '../../codec/primitives';
import { always, optional, record } from '../../codec/record';
import { path, pathNotes } from '../../codec/values';

/** As written: the plan knows what goes together (plan/jobs/rows.ts). */
export interface Rows {
  readonly keys?: string;
  readonly names?: readonly string[] | string;
  readonly header: boolean;
  readonly columns: boolean;
  readonly add: Readonly<Record<string, string>>;
}

const someNames = list(text, 'an array of names');
const names: Codec<readonly string[] | string> = codec(
  'RowNames',
  () => ({ anyOf: [string.schema(), someNames.schema()] }),
  (input, context): t.Validation<readonly string[] | string> =>
    typeof input === 'string' ? text.validate(input, context) : someNames.validate(input, context),
  (input, at) => (typeof input === 'string' ? pathNotes(input, at) : []),
);

/** The codec of `rows`. */
export const rows: Codec<Rows> = record('Rows', {
  keys: optional(text, {
    about: 'The value is an object, each of whose members is a row; its key stands in the column of this name.',
    example: 'id',
  }),
  names: optional(names, {
    about: 'Each row is an array: the names of its elements, or the path of these names in the response.',
    example: ['time', 'value'],
  }),
  header: always(flag(false), {
    about: 'Whether each row is an array, and the first one has the names.',
    example: true,
  }),
  columns: always(flag(false), {
    about: 'Whether the value is an object of arrays, each of which is a column; other members stand on each row.',
    example: true,
  }),
  add: always(dictionary(path, true), {
    about: 'Members of the response that stand on each row: their paths, by the names of their columns.',
    example: { symbol: 'meta.symbol' },
  }),
});
