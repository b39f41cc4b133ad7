/** Options for the completeness of jobs (docs/completeness.md). */
import * as t from 'io-ts';
import { isObject } from '../../../core/json/objects';
import type { Completeness } from '../../../core/evidence';
import { codec, expected, map, type Codec } from '../../codec/codec';
import { onlyOneOf, optional, record } from '../../codec/record';
import { path as pathText } from '../../codec/values';
import { oneOf, string } from '../../codec/primitives';

/** The place of the total number of items in a response: a path of its body, or a header by lower-case name. */
export type TotalPlace = { readonly path: string } | { readonly header: string };

/** `completeness`, of `config` or of a job. */
export const completeness: Codec<Completeness> = oneOf('Completeness', ['error', 'warn', 'off']);

/** `equalPages` of a job: the treatment of a page that equals the one before it. */
export const equalPages: Codec<'stop' | 'keep'> = oneOf('EqualPages', ['stop', 'keep']);

/** A header that has a total, by lower-case name. */
export const totalHeader: Codec<string> = map('TotalHeader', string, (name) => name.trim().toLowerCase());

const written = onlyOneOf(
  'TotalPlaceWritten',
  record('TotalPlaceAsWritten', {
    path: optional(pathText, { about: 'The path of the number.', example: 'meta.total' }),
    header: optional(totalHeader, {
      about: 'The header with the number, alone or behind a slash as in `items 0-24/66`.',
      example: 'X-Total-Count',
    }),
  }),
  ['path', 'header'],
  ({ path, header }): TotalPlace | undefined =>
    path !== undefined ? { path } : header !== undefined ? { header } : undefined,
);

const atPath: Codec<TotalPlace> = map('TotalPath', pathText, (path) => ({ path }));

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
  (input, path) => (isObject(input) ? written : atPath).notes(input, path),
);

/** `total` of a job: {@link totalPlace}, or that a field resembling a total is not one. */
export const jobTotal: Codec<TotalPlace | 'none'> = codec(
  'JobTotal',
  () => totalPlace.schema(),
  (input, context) => (input === 'none' ? t.success<TotalPlace | 'none'>('none') : totalPlace.validate(input, context)),
  (input, path) => (input === 'none' ? [] : totalPlace.notes(input, path)),
);
