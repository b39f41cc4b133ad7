import { createHash } from 'node:crypto';
import * as t from 'io-ts';
import { isBlank, isScalar, textOf } from '../../../core/json/scalars';
import { isList } from '../../../core/json/objects';
import { stringifyJson } from '../../../core/json/stringify';
import { batchNotes, withBatch, unusedPlaceholders } from './placeholders';
import { lazy, noting, refine, withSchema, type Codec, type Input } from '../../codec/codec';
import type { Job } from '../configuration';
import type { Finding, Path } from '../../codec/finding';
import { jobFields, type JobSurroundings } from './fields';
import { graphqlNotes, requiringDocument, withGraphql } from './graphql';
import { literalListNotes } from '../request';
import { withShaping } from './shaping';
import { withSlices } from './slices';
import { list, valueOf } from '../../codec/primitives';
import { always, record } from '../../codec/record';
import { unknownKey } from '../../codec/unknown-key';
import { named } from '../../codec/schema';

/** A job whose place is not known yet: see `placeJobs`. */
export interface JobDraft extends Omit<Job, 'path' | 'requestLimit' | 'children'> {
  readonly requestLimit?: number;
  readonly children: readonly JobDraft[];
}

const CHILDREN_ONLY = ['placeholders', 'recursionFilter', 'batch'] as const;

/** The documentation of `children`. */
export const CHILDREN_DOC = {
  about: 'Jobs that run for each item of this one.',
  example: [{ endpoint: 'ships/{id}/crew', placeholders: { id: 'id' } }],
};

const FILES = 'where items go is said by the destination, as in --to csv:FOLDER, and "dataType" names the table';
const unknown = unknownKey({
  ...Object.fromEntries(['file', 'filename', 'fileName', 'output', 'destination'].map((key) => [key, FILES])),
  async: 'write "asynchronous"',
  dataMapping: 'mappings are written in config.mappings, under the dataType of the job',
  mapping: 'mappings are written in config.mappings, under the dataType of the job',
  mappings: 'mappings are written in config.mappings, under the dataType of the job',
});

function jobNotes(input: Input, path: Path, depth: number): readonly Finding[] {
  const everywhere = [literalListNotes, graphqlNotes, batchNotes, concurrencyNotes].flatMap((notes) =>
    notes(input, path),
  );
  if (depth > 0) return [...everywhere, ...unusedPlaceholders(input, path)];
  const misplaced = CHILDREN_ONLY.filter((key) => !isBlank(valueOf(input, key))).map((key) => ({
    path: [...path, key],
    message: 'has no effect here: this job is no child of another, so it has no parent item',
  }));
  return [...everywhere, ...misplaced];
}

/** Keys that cause several calls, some of which may run at once. */
const SEVERAL_CALLS = ['children', 'partitions', 'window'];

const concurrencyNotes = (input: Input, path: Path): readonly Finding[] =>
  isBlank(valueOf(input, 'concurrency')) || SEVERAL_CALLS.some((key) => !isBlank(valueOf(input, key)))
    ? []
    : [{ path: [...path, 'concurrency'], message: 'has no effect: it counts calls of children, and there are none' }];

const contentHash = (input: Input): string =>
  createHash('sha1')
    .update(stringifyJson(input ?? null))
    .digest('hex');

/** Returns the `id` of a job, or a hash of its content (docs/language/jobs.md#identity). */
function idOf(input: Input): string {
  const id = valueOf(input, 'id');
  return isBlank(id) || !isScalar(id) ? contentHash(input) : textOf(id);
}

/** Warns of jobs that a later job with the same id replaces, at the earlier place. */
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
            message: `has no effect: entry ${last} of the array is the same job (equal id or equal content)`,
          },
        ];
  });
}

const jobList = (job: Codec<JobDraft>): Codec<readonly JobDraft[]> =>
  noting(list(job, 'an array of jobs'), replacedJobs);

/**
 * Returns the codec of a job.
 *
 * @param depth the number of jobs above
 */
function jobAt(depth: number, around: JobSurroundings): Codec<JobDraft> {
  const children = jobList(
    withSchema(
      lazy('ChildJob', () => jobAt(depth + 1, around)),
      (inner) => named('childJob', inner),
    ),
  );
  const written = record(
    'JobAsWritten',
    { ...jobFields(depth, around), children: always(children, CHILDREN_DOC) },
    unknown,
  );
  return noting(
    refine(
      'Job',
      refine('JobAsMeant', requiringDocument(written), withGraphql),
      ({ body, prefetch: pages, stream, ...job }, _, input) =>
        t.success({
          ...withSlices(withShaping(withBatch(job))),
          ...(body === undefined ? {} : { body }),
          ...(pages === undefined ? {} : { prefetch: pages }),
          ...(stream === undefined ? {} : { stream }),
          rateLimit: job.rateLimit ?? [],
          dataType: job.dataType ?? endpointName(job),
          id: idOf(input),
          name: job.id ?? job.dataType ?? endpointName(job),
        }),
    ),
    (input, path) => jobNotes(input, path, depth),
  );
}

/**
 * Returns the endpoint for the name of a job. An asynchronous job is named by the address of its submission if the
 * address of the result is known only from a response.
 */
const endpointName = ({ endpoint, asynchronous }: Pick<JobDraft, 'endpoint' | 'asynchronous'>): string =>
  asynchronous !== undefined && /^\{(?:submit|poll)\./.test(endpoint) ? asynchronous.submit.endpoint : endpoint;

/** Returns the jobs of `config` (docs/language/jobs.md#a-job). */
export const jobs = (around: JobSurroundings): Codec<readonly JobDraft[]> =>
  jobList(withSchema(jobAt(0, around), (inner) => named('job', inner)));
