/** `rows` of a job (docs/language/rows.md): how the value at `dataField` is made rows, where it is no list of objects. */
import * as t from 'io-ts';
import { codec, refine, refuse } from '../../codec/codec';
import type { Codec } from '../../codec/codec';
import { dictionary, flag, list, string, text } from '../../codec/primitives';
import { always, optional, record } from '../../codec/record';
import { path, pathNotes } from '../../codec/values';

/** How the value at `dataField` is made rows. */
export type RowsMethod =
  /** Each member of an object is a row; its key is in the column of this name. */
  | { readonly kind: 'keys'; readonly column: string }
  /** Each array is a row, whose elements have these names, or those at this path of the response. */
  | { readonly kind: 'names'; readonly names: readonly string[] | string }
  /** Each array but the first is a row; the first has the names. */
  | { readonly kind: 'header' }
  /** The arrays of an object are columns. */
  | { readonly kind: 'columns' }
  | { readonly kind: 'items' };

/** How rows are made, and the members of the response that stand on each of them, by the names of their columns. */
export interface Rows {
  readonly method: RowsMethod;
  readonly add: Readonly<Record<string, string>>;
}

const differing: Codec<readonly string[]> = refine(
  'Names',
  list(text, 'an array of names'),
  (names, context, input) => {
    const again = names.find((name, at) => names.indexOf(name) < at);
    if (names.length === 0) return refuse(input, context, 'expected at least one name');
    return again === undefined
      ? t.success(names)
      : refuse(input, context, `expected names that differ: ${JSON.stringify(again)} is there twice`);
  },
);

const names: Codec<readonly string[] | string> = codec(
  'RowNames',
  () => ({ anyOf: [string.schema(), differing.schema()] }),
  (input, context): t.Validation<readonly string[] | string> =>
    typeof input === 'string' ? text.validate(input, context) : differing.validate(input, context),
  (input, at) => (typeof input === 'string' ? pathNotes(input, at) : []),
);

const METHODS = ['keys', 'names', 'header', 'columns'] as const;

const written = record('RowsAsWritten', {
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

export const rows: Codec<Rows> = refine(
  'Rows',
  written,
  ({ keys, names: named, header, columns, add }, context, input) => {
    const methods: readonly RowsMethod[] = [
      ...(keys === undefined ? [] : [{ kind: 'keys' as const, column: keys }]),
      ...(named === undefined ? [] : [{ kind: 'names' as const, names: named }]),
      ...(header ? [{ kind: 'header' as const }] : []),
      ...(columns ? [{ kind: 'columns' as const }] : []),
    ];
    const [method = { kind: 'items' as const }] = methods;
    if (methods.length > 1) return refuse(input, context, `expected only one of ${METHODS.join(', ')}`);
    if (method.kind === 'items' && Object.keys(add).length === 0)
      return refuse(input, context, `expected one of ${METHODS.join(', ')}, or add`);
    return t.success({ method, add });
  },
);
