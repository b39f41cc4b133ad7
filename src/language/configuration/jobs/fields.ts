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
import { expressions } from '../../values/expressions';
import { jobRateLimits } from '../api/rate-limit';
import { responseRules } from '../api/rules';
import type { Job } from '../configuration';
import { body, jobHeaders } from '../request';
import { asynchronous } from './asynchronous';
import { batchFields } from './batch';
import { completeness, equalPages, jobTotal } from './completeness';
import { responseFormat, stream } from './format';
import { graphqlFields, jobMethod } from './graphql';
import { placeholders } from './placeholders';
import { rows } from './rows';
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
    about:
      'The path that is requested, relative to the base URL, or a URL. In children it may have placeholders: `ships/{id}`.',
    example: 'ships',
    default: 'required; `graphql` with the method `graphql`',
  }),
  params: always(expressions, {
    about: 'Parameters of the request: its query, or the body of `POST` and `FORM`. Values may be expressions.',
    example: { status: 'open', since: { time: 'previousStart' } },
  }),
  paramsIn: optional(oneOf('ParamsIn', ['query']), {
    about: 'Where the parameters of a request go that has no body of its own, if not into its body: the `query`.',
    example: 'query',
    default: 'the body, unless the method is GET',
  }),
  method: optional(jobMethod, {
    about:
      'The method. `FORM` is a POST whose parameters are sent as a form, `graphql` one that [sends a document](graphql.md).',
    example: 'POST',
    default: '`api.http.defaultOptions.method`, or GET',
  }),
  headers: always(jobHeaders, { about: 'Headers of the requests of this job.', example: { Accept: 'text/csv' } }),
  body: always(body, {
    about: 'What is sent as a JSON body. The parameters are then sent as the query.',
    example: { query: '{ ships { id } }' },
  }),
  bodyAs: optional(oneOf('BodyAs', ['form']), {
    about: 'How the body is sent, if not as JSON: as a `form`.',
    example: 'form',
    default: 'as JSON',
  }),
  ...graphqlFields,
  functionsInLists: always(flag(false), {
    about: 'Whether functions inside parameters that are arrays are evaluated.',
    example: true,
  }),
  placeholdersInParams: always(flag(true), {
    about: 'Whether placeholders in `params`, `variables` and `body` are filled in.',
    example: false,
  }),
  ...batchFields,
  dataField: optional(dataField, {
    about: 'The path in the answer of the array of items, or an object with `path` and `delimiter`.',
    example: 'data.ships',
    default: 'the only array of the answer',
  }),
  rows: optional(rows, {
    about:
      'How the value at `dataField` is made rows, where it is no list of objects, and what of the response stands on each.',
    example: { names: ['time', 'value'] },
  }),
  dataType: optional(text, {
    about: 'The kind of the items: it names their table and their mapping.',
    example: 'ship',
    default: 'the endpoint; that of `submit`, where the endpoint is a value of an answer',
  }),
  load: optional(load, {
    about: 'What runs do to the rows that the table of the items has: `replace`, `append` or `merge`.',
    example: 'append',
    default: '`config.load`',
  }),
  tableName: optional(tableName, {
    about: 'The name of the table of the items: letters, digits and `_`, at most 63 bytes.',
    example: 'ships',
    default: 'made of `dataType`',
  }),
  format: optional(responseFormat(parts), {
    about: 'How the bodies of the answers are read.',
    example: { type: 'csv', delimiter: ';' },
    default: 'as `api.http.format`',
  }),
  primaryKey: optional(primaryKey, {
    about: 'The columns of the key of the table, if it has no mapping.',
    example: ['id'],
  }),
  nested: optional(nesting, {
    about:
      'What destinations with tables do with objects and lists in items: `tables` makes columns of objects and tables of lists; ' +
      '`json` keeps each as one column of JSON; `struct`, in DuckDB and Parquet only, makes STRUCT and LIST columns of them.',
    example: 'json',
    default: 'as the destination does, usually `tables`',
  }),
  columnTypes: always(columnTypes, {
    about: 'Types of columns in typed tables, by the path of their values in an item.',
    example: { price: 'decimal(12,2)', 'address.zip': 'string' },
  }),
  responseFilter: always(responseFilter, {
    about: 'Paths in an item of values that are kept as JSON text, in place of columns or child tables.',
    example: ['attributes', 'legs[].ports'],
  }),
  responseFilterDelimiter: withDefault(text, '.', {
    about: 'What separates the keys of `responseFilter`.',
    example: '/',
  }),
  ...shapingFields,
  optionalFields: always(listOf(path), {
    about:
      'Fields that items may lack, by their paths as `filter`, `unnest`, `rename` and the like name them: that no item has one is no mistake.',
    example: ['deleted_at'],
  }),
  ...sliceFields,
  scroller: optional(scroller(scrollers), {
    about: 'Which scroller of `api.pagination` the job uses, if its method is `multiple`.',
    example: 'feed',
    default: '`api.pagination.default`',
  }),
  userData: optional(objectOrScalar, {
    about: 'Columns that are added to every row of the job. Values may be expressions.',
    example: { loaded: { time: 'currentStart' } },
  }),
  placeholders: always(placeholders(depth), {
    about: 'In children: what each placeholder of the endpoint stands for, a path in the item of the parent.',
    example: { id: 'id' },
  }),
  recursionFilter: optional(recursionFilter, {
    about: 'In children: which items of the parent the child is called for.',
    example: 'status==open&kind!=test',
  }),
  id: optional(text, {
    about: 'An id of the job. A later job with the same id replaces an earlier one.',
    example: 'ships',
    default: 'a digest of the job',
  }),
  requestLimit: optional(requestLimit, {
    about: 'How many pages a run of this job may have; then it fails.',
    example: 500,
    unit: 'pages',
    default: '`config.requestLimit`',
  }),
  rateLimit: jobRateLimits,
  rules: optional(responseRules, {
    about: 'What is done with answers to this job that look like this. These rules come before `api.http.rules`.',
    example: [{ when: { status: 404 }, do: 'skip' }],
  }),
  incremental: optional(incremental, {
    about: 'How the job asks only for what is new since the last run.',
    example: { field: 'updated_at', param: 'since' },
  }),
  completeness: optional(completeness, {
    about: 'What to do when the job turns out to be incomplete: fail, warn, or not look.',
    example: 'warn',
    default: '`config.completeness`',
  }),
  total: optional(jobTotal, {
    about:
      'Where the answer says how many items there are: a path, or an object with `path` or `header`. ' +
      '`none`: nowhere, and a field such as `count` means something else.',
    example: 'meta.total',
    default: '`api.pagination.total`',
  }),
  equalPages: withDefault(equalPages, 'stop', {
    about: 'What becomes of a page that equals the one before it: it ends the pagination, or it is kept.',
    example: 'keep',
  }),
  stream: always(stream, {
    about: 'Whether the answer is cut into pages as it arrives, because it is too large to be held.',
    example: true,
    default: '`false`',
  }),
  asynchronous: optional(asynchronous, {
    about:
      'How the result of the job is made before it is requested: what to submit, and what to ask until it is there.',
    example: {
      submit: { endpoint: 'exports', values: { id: 'id' } },
      poll: { endpoint: 'exports/{submit.id}', until: { field: 'status', is: 'done' } },
    },
  }),
  concurrency: withDefault(concurrency, 1, {
    about:
      'How many calls of the children of this job run at once; also how many of its windows and partitions; `"auto"`: as many as [the API takes](concurrency.md#as-many-as-the-api-takes).',
    example: 4,
    unit: 'calls',
  }),
  prefetch: always(zeroCounts<number | undefined>(prefetch, undefined), {
    about: 'How many pages may wait for the consumer when another one is requested.',
    example: 3,
    unit: 'pages',
    default: '`config.prefetch`',
  }),
});
