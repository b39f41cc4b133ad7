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
import { literalListNotes } from '../codec/literal-lists';
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

const oneOrMorePaths = oneOrList(string);
const responseFilter: Codec<readonly string[]> = codec(
  'ResponseFilter',
  () => tolerant(oneOrMorePaths.schema(), blank),
  (input, context) => (isBlank(input) ? t.success([]) : oneOrMorePaths.validate(input, context)),
);

const ownFields = (depth: number, { scrollers }: JobSurroundings) => ({
  endpoint: required(endpoint, 'the path or URL that the job requests'),
  params: always(object),
  method: optional(httpMethod),
  headers: always(requestHeaders),
  body: always(body),
  functionsInLists: always(flag(false)),
  placeholdersInParams: always(flag(true)),
  ...batchFields,
  dataField: optional(dataField),
  dataType: optional(text),
  format: optional(responseFormat),
  primaryKey: optional(primaryKey),
  responseFilter: always(responseFilter),
  responseFilterDelimiter: withDefault(text, '.'),
  scroller: optional(scroller(scrollers)),
  userData: optional(objectOrScalar),
  placeholders: always(placeholders(depth)),
  recursionFilter: optional(recursionFilter),
  id: optional(text),
  requestLimit: optional(requestLimit),
  rateLimit: jobRateLimits,
  incremental: optional(incremental),
  completeness: optional(completeness),
  total: optional(totalPlace),
  equalPages: withDefault(equalPages, 'stop'),
  concurrency: withDefault(concurrency, 1),
  prefetch: always(zeroCounts<number | undefined>(prefetch, undefined)),
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
  const written = record('JobAsWritten', { ...ownFields(depth, around), children: always(children) }, unknown);
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
