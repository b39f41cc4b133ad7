/** How a run judges whether its jobs are complete (docs/completeness.md). */
import * as t from 'io-ts';
import { isObject } from '../../json/keys';
import type { Completeness } from '../../evidence';
import { codec, expected, map, refine, refuse, type Codec } from '../../codec/codec';
import { oneOf, string, text } from '../../codec/primitives';
import { optional, record } from '../../codec/record';

/** Where a response says how many items there are: at a path of its body, or in a header, by lower-case name. */
export type TotalPlace = { readonly path: string } | { readonly header: string };

/** `completeness`, of `config` or of a job. */
export const completeness: Codec<Completeness> = oneOf('Completeness', ['error', 'warn', 'off']);

/** `equalPages` of a job: what becomes of a page that equals the one before it. */
export const equalPages: Codec<'stop' | 'keep'> = oneOf('EqualPages', ['stop', 'keep']);

const written = refine(
  'TotalPlaceWritten',
  record('TotalPlaceAsWritten', {
    path: optional(text, { about: 'The path in the answer of the number.', example: 'meta.total' }),
    header: optional(string, { about: 'The header of the answer that has the number.', example: 'X-Total-Count' }),
  }),
  ({ path, header }, context, input): t.Validation<TotalPlace> => {
    if (path !== undefined && header !== undefined)
      return refuse(input, context, 'both "path" and "header" are given: write only one of them');
    if (path !== undefined) return t.success({ path });
    if (header !== undefined) return t.success({ header: header.toLowerCase() });
    return refuse(input, context, 'required: one of "path" and "header"');
  },
);

const atPath: Codec<TotalPlace> = map('TotalPath', text, (path) => ({ path }));

/** `total`, of a job or of `api.pagination`: a path in the response, or `{"path": …}`, or `{"header": …}`. */
export const totalPlace: Codec<TotalPlace> = codec(
  'TotalPlace',
  () => ({ anyOf: [string.schema(), written.schema()] }),
  (input, context) => {
    if (typeof input === 'string') return atPath.validate(input, context);
    return isObject(input)
      ? written.validate(input, context)
      : expected('a path, or an object with "path" or "header"', input, context);
  },
  (input, path) => (isObject(input) ? written.notes(input, path) : []),
);
