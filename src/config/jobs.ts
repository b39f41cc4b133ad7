import { createHash } from 'node:crypto';
import * as t from 'io-ts';
import { isBlank } from '../json/blank';
import { isList } from '../json/keys';
import { stringifyJson } from '../json/stringify';
import { isScalar, textOf } from '../json/text';
import { batchFields, batchNotes, withBatch } from './batch';
import { body } from './body';
import { codec, lazy, noting, refine, withSchema, type Codec, type Input } from '../codec/codec';
import { completeness, equalPages, totalPlace } from './completeness';
import type { Job } from './configuration';
import { dataField } from './data-field';
import { endpoint } from '../codec/endpoint';
import type { Finding, Path } from '../codec/finding';
import { responseFormat } from './format';
import { requestHeaders } from './headers';
import { concurrency, prefetch } from '../codec/flow';
import { httpMethod } from '../codec/http-method';
import { incremental } from './incremental';
import { literalListNotes } from './literal-lists';
import type { Parts } from './parts';
import { placeholders, unusedPlaceholders } from './placeholders';
import {
  flag,
  integerFrom,
  list,
  object,
  objectOrScalar,
  oneOf,
  oneOrList,
  string,
  text,
  valueOf,
  zeroCounts,
} from '../codec/primitives';
import { always, optional, record, required, withDefault } from '../codec/record';
import { blank, named, tolerant } from '../codec/schema';
import { primaryKey } from './primary-keys';
import { jobRateLimits } from './rate-limit';
import { recursionFilter } from './recursion-filter';
import { unknownKey } from '../codec/unknown-key';

/** A job before it knows its place: see {@link placeJobs}. */
export interface JobDraft extends Omit<Job, 'path' | 'requestLimit' | 'children'> {
  readonly requestLimit?: number;
  readonly children: readonly JobDraft[];
}

/** Names of the scrollers; `undefined` when the pagination method is not `multiple`. */
export type ScrollerNames = readonly string[] | undefined;

/** What jobs take from elsewhere. */
export interface JobSurroundings {
  readonly parts: Parts;
  readonly scrollers: ScrollerNames;
}

/** A limit of requests of one job run. */
export const requestLimit = integerFrom(1);

const CHILDREN_ONLY = ['placeholders', 'recursionFilter', 'batch'] as const;

const scroller = (names: ScrollerNames): Codec<string> =>
  names === undefined
    ? noting(text, (input, path) =>
        isBlank(input) ? [] : [{ path, message: 'has no effect: api.pagination.method is not multiple' }],
      )
    : oneOf('Scroller', names);

const CHILDREN_DOC = {
  about: 'Jobs that are called for each item of this one.',
  example: [{ endpoint: 'ships/{id}/crew', placeholders: { id: 'id' } }],
};

const oneOrMorePaths = oneOrList(string);
const responseFilter: Codec<readonly string[]> = codec(
  'ResponseFilter',
  () => tolerant(oneOrMorePaths.schema(), blank),
  (input, context) => (isBlank(input) ? t.success([]) : oneOrMorePaths.validate(input, context)),
);

const ownFields = (depth: number, { parts, scrollers }: JobSurroundings) => ({
  endpoint: required(endpoint, 'the path or URL that the job requests', {
    about:
      'The path that is requested, relative to the base URL, or a URL. In children it may have placeholders: `ships/{id}`.',
    example: 'ships',
  }),
  params: always(object, {
    about: 'Parameters of the request: its query, or the body of `POST` and `FORM`. Values may be expressions.',
    example: { status: 'open', since: { time: 'previousStart' } },
  }),
  method: optional(httpMethod, {
    about: 'The method. `FORM` is a POST whose parameters are sent as a form.',
    example: 'POST',
    default: '`api.http.defaultOptions.method`, or GET',
  }),
  headers: always(requestHeaders, { about: 'Headers of the requests of this job.', example: { Accept: 'text/csv' } }),
  body: always(body, {
    about: 'What is sent as a JSON body. The parameters are then sent as the query.',
    example: { query: '{ ships { id } }' },
  }),
  functionsInLists: always(flag(false), {
    about: 'Whether functions inside parameters that are arrays are evaluated.',
    example: true,
  }),
  placeholdersInParams: always(flag(true), {
    about: 'Whether placeholders in `params` and `body` are filled in.',
    example: false,
  }),
  ...batchFields,
  dataField: optional(dataField, {
    about: 'The path in the answer of the array of items, or an object with `path` and `delimiter`.',
    example: 'data.ships',
    default: 'the only array of the answer',
  }),
  dataType: optional(text, {
    about: 'The kind of the items: it names their table and their mapping.',
    example: 'ship',
    default: 'the endpoint',
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
  responseFilter: always(responseFilter, {
    about: 'Paths in an item of values that are kept as JSON text, in place of columns or child tables.',
    example: ['attributes', 'legs[].ports'],
  }),
  responseFilterDelimiter: withDefault(text, '.', {
    about: 'What separates the keys of `responseFilter`.',
    example: '/',
  }),
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
  incremental: optional(incremental, {
    about: 'How the job asks only for what is new since the last run.',
    example: { field: 'updated_at', param: 'since' },
  }),
  completeness: optional(completeness, {
    about: 'What to do when the job turns out to be incomplete: fail, warn, or not look.',
    example: 'warn',
    default: '`config.completeness`',
  }),
  total: optional(totalPlace, {
    about: 'Where the answer says how many items there are: a path, or an object with `path` or `header`.',
    example: 'meta.total',
    default: '`api.pagination.total`',
  }),
  equalPages: withDefault(equalPages, 'stop', {
    about: 'What becomes of a page that equals the one before it: it ends the paging, or it is kept.',
    example: 'keep',
  }),
  concurrency: withDefault(concurrency, 1, {
    about: 'How many calls of the children of this job run at once.',
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

const unknown = unknownKey({
  dataMapping: 'mappings are written in config.mappings, under the dataType of the job',
  mapping: 'mappings are written in config.mappings, under the dataType of the job',
  mappings: 'mappings are written in config.mappings, under the dataType of the job',
  query: 'parameters of a job are written as "params"',
});

function jobNotes(input: Input, path: Path, depth: number): readonly Finding[] {
  const everywhere = [...literalListNotes(input, path), ...batchNotes(input, path), ...concurrencyNotes(input, path)];
  if (depth > 0) return [...everywhere, ...unusedPlaceholders(input, path)];
  const misplaced = CHILDREN_ONLY.filter((key) => !isBlank(valueOf(input, key))).map((key) => ({
    path: [...path, key],
    message: 'has no effect here: this job is no child of another, so it has no parent item',
  }));
  return [...everywhere, ...misplaced];
}

const concurrencyNotes = (input: Input, path: Path): readonly Finding[] =>
  isBlank(valueOf(input, 'concurrency')) || !isBlank(valueOf(input, 'children'))
    ? []
    : [{ path: [...path, 'concurrency'], message: 'has no effect: it counts calls of children, and there are none' }];

const contentHash = (input: Input): string =>
  createHash('sha1')
    .update(stringifyJson(input ?? null))
    .digest('hex');

/** The `id` of a job, or a hash of its content (language 6.1). */
function idOf(input: Input): string {
  const id = valueOf(input, 'id');
  return isBlank(id) || !isScalar(id) ? contentHash(input) : textOf(id);
}

/** A later job replaces an earlier one of the same id: worth a warning at the earlier place. */
function replacedJobs(input: Input, path: Path): readonly Finding[] {
  if (!isList(input)) return [];
  const lastOf = new Map(input.map((job, at) => [idOf(job), at] as const));
  return input.flatMap((job, at) => {
    const last = lastOf.get(idOf(job));
    return last === at
      ? []
      : [
          {
            path: [...path, String(at)],
            message: `has no effect: entry ${last} of the list is the same job (equal id or equal content)`,
          },
        ];
  });
}

const jobList = (job: Codec<JobDraft>): Codec<readonly JobDraft[]> => noting(list(job, 'a list of jobs'), replacedJobs);

/** @param depth how many jobs stand above */
function jobAt(depth: number, around: JobSurroundings): Codec<JobDraft> {
  const children = jobList(
    withSchema(
      lazy('ChildJob', () => jobAt(depth + 1, around)),
      (inner) => named('childJob', inner),
    ),
  );
  const written = record(
    'JobAsWritten',
    { ...ownFields(depth, around), children: always(children, CHILDREN_DOC) },
    unknown,
  );
  return noting(
    refine('Job', written, ({ body, prefetch: pages, ...job }, _, input) =>
      t.success({
        ...withBatch(job),
        ...(body === undefined ? {} : { body }),
        ...(pages === undefined ? {} : { prefetch: pages }),
        rateLimit: job.rateLimit ?? [],
        dataType: job.dataType ?? job.endpoint,
        id: idOf(input),
      }),
    ),
    (input, path) => jobNotes(input, path, depth),
  );
}

/** The jobs of `config` (language 6.1). */
export const jobs = (around: JobSurroundings): Codec<readonly JobDraft[]> => jobList(jobAt(0, around));
