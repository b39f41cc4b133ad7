import * as t from 'io-ts';
import { isObject } from '../../../core/json/objects';
import { isBlank } from '../../../core/json/scalars';
import { codec, expected, noting } from '../../codec/codec';
import type { Codec } from '../../codec/codec';
import {
  flag,
  integerFrom,
  objectOrScalar,
  oneOf,
  oneOrList,
  string,
  text,
  valueOf,
  zeroCounts,
} from '../../codec/primitives';
import { always, optional, record, required, requiredUnless, withDefault } from '../../codec/record';
import { blank, tolerant } from '../../codec/schema';
import { concurrency, endpoint, path, pathNotes, prefetch } from '../../codec/values';
import type { Parts } from '../../parts/parts';
import { expressions, body, jobHeaders } from '../request';
import { jobRateLimits } from '../api/rate-limit';
import { responseRules } from '../api/rules';
import type { Job } from '../configuration';
import { asynchronous } from './asynchronous';
import { batchFields, placeholders } from './placeholders';
import { completeness, equalPages, jobTotal } from '../pagination';
import { responseFormat, stream, rows } from './format';
import { graphqlFields, jobMethod } from './graphql';
import { listOf, recursionFilter, shapingFields } from './shaping';
import { incremental, sliceFields } from './slices';
import { columnTypes, load, nesting, primaryKey, tableName } from './table';

const DELIMITER = '.';

const withDelimiter = record('DataFieldObject', {
  path: required(string, 'the path of the items in the response', {
    about: 'The path in the answer of the array of items.',
    example: 'data/ships',
  }),
  delimiter: withDefault(text, DELIMITER, { about: 'What separates the keys of the path.', example: '/' }),
});

/**
 * `dataField` of a job (docs/language/responses.md#where-the-items-are): a path, or an object with a path and its
 * delimiter.
 */
const dataField: Codec<NonNullable<Job['dataField']>> = codec(
  'DataField',
  () => ({ anyOf: [{ type: 'string' }, withDelimiter.schema()] }),
  (input, context) => {
    if (typeof input === 'string') return t.success({ path: input, delimiter: DELIMITER });
    return isObject(input)
      ? withDelimiter.validate(input, context)
      : expected('a path as a string, or an object with "path"', input, context);
  },
  (input, path) => {
    if (typeof input === 'string') return pathNotes(input, path);
    const inside =
      valueOf(input, 'delimiter') === undefined ? pathNotes(valueOf(input, 'path'), [...path, 'path']) : [];
    return [...inside, ...withDelimiter.notes(input, path)];
  },
);

/** The keys of a job, all but `children` (docs/language/jobs.md#a-job). */

/** Names of the scrollers; `undefined` when the pagination method is not `multiple`. */
export type ScrollerNames = readonly string[] | undefined;

/** The values that jobs read from elsewhere. */
export interface JobSurroundings {
  readonly parts: Parts;
  readonly scrollers: ScrollerNames;
}

/** The most requests of one call of a job. */
export const requestLimit = integerFrom(1);

const scroller = (names: ScrollerNames): Codec<string> =>
  names === undefined
    ? noting(text, (input, path) =>
        isBlank(input) ? [] : [{ path, message: 'has no effect: api.pagination.method is not multiple' }],
      )
    : oneOf('Scroller', names);

const oneOrMorePaths = oneOrList(string);
const responseFilter: Codec<readonly string[]> = codec(
  'ResponseFilter',
  () => tolerant(oneOrMorePaths.schema(), blank),
  (input, context) => (isBlank(input) ? t.success([]) : oneOrMorePaths.validate(input, context)),
);

/**
 * Returns the keys of a job.
 *
 * @param depth the number of jobs above
 */
export const jobFields = (depth: number, { parts, scrollers }: JobSurroundings) => ({
  endpoint: requiredUnless(endpoint, 'query', 'the path or URL that the job requests', {
    about: 'A path relative to the base URL, or a URL. Required without `query`.',
    example: 'ships',
    default: '`graphql` with `query`',
  }),
  params: always(expressions, {
    about: 'Parameters: the query, or the body of `POST` and `FORM`.',
    example: { status: 'open', since: { time: 'previousStart' } },
  }),
  paramsIn: optional(oneOf('ParamsIn', ['query']), {
    about: '`query`: parameters go to the query, not to a body.',
    example: 'query',
    default: 'the body, unless the method is GET',
  }),
  method: optional(jobMethod, {
    about: '`FORM` POSTs a form, `graphql` a [document](graphql.md).',
    example: 'POST',
    default: '`api.http.defaultOptions.method`, or GET',
  }),
  headers: always(jobHeaders, { about: 'Headers of the requests.', example: { Accept: 'text/csv' } }),
  body: always(body, {
    about: 'The JSON body. Parameters then go to the query.',
    example: { river: 'ALD' },
  }),
  bodyAs: optional(oneOf('BodyAs', ['form']), {
    about: '`form`: the body is a form.',
    example: 'form',
    default: 'JSON',
  }),
  ...graphqlFields,
  functionsInLists: always(flag(false), {
    about: 'Evaluates functions in parameters that are arrays.',
    example: true,
  }),
  placeholdersInParams: always(flag(true), {
    about: 'Fills placeholders in `params`, `variables` and `body`.',
    example: false,
  }),
  ...batchFields,
  dataField: optional(dataField, {
    about: 'The path of the items, or an object with `path` and `delimiter`.',
    example: 'data.ships',
    default: 'the only array of the response',
  }),
  rows: optional(rows, {
    about: 'Makes items of a map, of arrays, or of columns: [rows](rows.md).',
    example: { names: ['time', 'value'] },
  }),
  dataType: optional(text, {
    about: "The name of the items' table and mapping.",
    example: 'ship',
    default: 'the endpoint, or that of `submit`',
  }),
  load: optional(load, {
    about: 'What a run does to [rows of earlier runs](../sinks.md#tables).',
    example: 'append',
    default: '`config.load`',
  }),
  tableName: optional(tableName, {
    about: 'The name of the table: letters, digits and `_`, at most 63 bytes.',
    example: 'ships',
    default: 'from `dataType`',
  }),
  format: optional(responseFormat(parts), {
    about: 'How bodies are read.',
    example: { type: 'csv', delimiter: ';' },
    default: '`api.http.format`',
  }),
  primaryKey: optional(primaryKey, {
    about: 'The key columns of a table without a mapping.',
    example: ['id'],
  }),
  nested: optional(nesting, {
    about:
      'Objects and arrays: columns and child tables, JSON columns, or STRUCT and LIST columns (only DuckDB and Parquet).',
    example: 'json',
    default: '`tables` in most destinations',
  }),
  columnTypes: always(columnTypes, {
    about: 'Types of columns in typed tables, by path.',
    example: { price: 'decimal(12,2)', 'address.zip': 'string' },
  }),
  responseFilter: always(responseFilter, {
    about: 'Paths of values that are kept as JSON strings.',
    example: ['attributes', 'legs[].ports'],
  }),
  responseFilterDelimiter: withDefault(text, '.', {
    about: 'The delimiter of `responseFilter`.',
    example: '/',
  }),
  ...shapingFields,
  optionalFields: always(listOf(path), {
    about: 'Paths that all items may lack.',
    example: ['deleted_at'],
  }),
  ...sliceFields,
  scroller: optional(scroller(scrollers), {
    about: 'The scroller, with the pagination `multiple`.',
    example: 'feed',
    default: '`api.pagination.default`',
  }),
  userData: optional(objectOrScalar, {
    about: 'Columns added to each row.',
    example: { loaded: { time: 'currentStart' } },
  }),
  placeholders: always(placeholders(depth), {
    about: 'Paths in the parent item, by name.',
    example: { id: 'id' },
  }),
  recursionFilter: optional(recursionFilter, {
    about: 'The parent items that get a call.',
    example: 'status==open&kind!=test',
  }),
  id: optional(text, {
    about: 'The id of the job.',
    example: 'ships',
    default: 'a digest of the job',
  }),
  requestLimit: optional(requestLimit, {
    about: 'The most pages of a call; more are an error.',
    example: 500,
    default: '`config.requestLimit`',
  }),
  rateLimit: jobRateLimits,
  rules: optional(responseRules, {
    about: '[Rules](responses.md#rules) for responses, before those of `api.http`.',
    example: [{ when: { status: 404 }, do: 'skip' }],
  }),
  incremental: optional(incremental, {
    about: 'Requests only new items.',
    example: { field: 'updated_at', param: 'since' },
  }),
  completeness: optional(completeness, {
    about: 'What to do about an incomplete job.',
    example: 'warn',
    default: '`config.completeness`',
  }),
  total: optional(jobTotal, {
    about:
      'The number of items: a path, or an object with `path` or `header`. `none`: a field such as `count` is no total.',
    example: 'meta.total',
    default: '`api.pagination.total`',
  }),
  equalPages: withDefault(equalPages, 'stop', {
    about: 'Whether a page that equals the one before ends the pagination.',
    example: 'keep',
  }),
  stream: always(stream, {
    about: 'Cuts a [large response](large-responses.md) into pages.',
    example: true,
    default: '`false`',
  }),
  asynchronous: optional(asynchronous, {
    about: '[Submits](asynchronous-jobs.md) a job and waits for its result.',
    example: {
      submit: { endpoint: 'exports', values: { id: 'id' } },
      poll: { endpoint: 'exports/{submit.id}', until: { field: 'status', is: 'done' } },
    },
  }),
  concurrency: withDefault(concurrency, 1, {
    about:
      'How many calls of children, windows and partitions run at once; [`"auto"`](concurrency.md#as-many-as-the-api-takes) finds the number.',
    example: 4,
  }),
  prefetch: always(zeroCounts<number | undefined>(prefetch, undefined), {
    about: 'How many pages may wait.',
    example: 3,
    default: '`config.prefetch`',
  }),
});
