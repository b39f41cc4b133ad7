import * as Ap from 'fp-ts/Apply';
import * as E from 'fp-ts/Either';
import { pipe } from 'fp-ts/function';
import type { Api, Job, Settings } from '../../language/configuration/configuration';
import { checkBatch } from './batch';
import { asynchronousOf } from './asynchronous';
import { bindEndpoint } from './bind';
import { checkEndpoint } from './endpoint';
import { compileJobValues } from './values';
import { jobPagination, laterValues, withLaterRequests } from './pagination';
import { planPlaceholders } from './placeholders';
import type { GraphqlRequest } from '../../language/requests/graphql/request';
import type { ChildJobPlan, GraphqlPlan, JobPlan, StopsPlan } from '../plan';
import type { JobSurroundings } from './surroundings';
import { shapingOf } from './shaping';
import { streamOf } from './stream';
import { scopeOfJob, slicesOf } from './slices';
import { checkWindowNames } from './window-names';
import { userDataOf } from './user-data';
import { allOf, validation } from '../../language/codec/checked';
import type { Checked } from '../../language/codec/checked';

/** Compiles a job and its children (docs/language/jobs.md). */
export function planJob(job: Job, around: JobSurroundings, isChild = false): Checked<JobPlan> {
  const surroundings = { ...around, scope: scopeOfJob(job, around.scope) };
  const { api, settings, baseUrl, parts, scope } = surroundings;
  return pipe(
    Ap.sequenceS(validation)({
      endpoint: checkEndpoint(baseUrl, job.endpoint, `${job.path}.endpoint`),
      values: compileJobValues(job, surroundings),
      pagination: jobPagination(api.pagination, job, baseUrl, parts),
      userData: userDataOf(job, settings, isChild, scope),
      shaping: shapingOf(job, scope),
      slices: slicesOf(job, around),
      windowNames: checkWindowNames(job, scope.known),
      children: allOf(job.children.map((child) => planChild(child, surroundings))),
    }),
    E.bind('streamed', ({ pagination }) => streamOf(job, api, pagination.pagination)),
    E.bind('asynchronous', ({ pagination }) => asynchronousOf(job, surroundings, pagination.pagination)),
    E.map(
      ({
        values,
        pagination: { pagination, stops, laterJob },
        asynchronous,
        userData,
        shaping,
        slices,
        children,
        streamed,
      }) => ({
        id: job.id,
        name: job.name,
        path: job.path,
        endpoint: job.endpoint,
        dataType: job.dataType,
        table: surroundings.tables.get(job.dataType) ?? job.dataType,
        bind: (call) => {
          const ready = values(call);
          const bound = bindEndpoint(job, surroundings, ready);
          if (laterJob === undefined) return bound;
          return withLaterRequests(bound, bindEndpoint(laterJob, surroundings, laterValues(pagination, ready)));
        },
        ...(streamed === undefined ? formatOf(job, api) : {}),
        items: job.dataField ?? { delimiter: '.' },
        ...(job.graphql === undefined ? {} : { graphql: responsesTo(job.graphql) }),
        responseFilter: {
          paths: job.responseFilter,
          delimiter: job.responseFilterDelimiter,
          keepScalars: settings.compatLevel <= 2,
        },
        ...(shaping === undefined ? {} : { shaping }),
        ...(slices === undefined ? {} : { slices }),
        pagination,
        stops,
        requestLimit: job.requestLimit,
        concurrency: job.concurrency,
        ...(job.incremental === undefined
          ? {}
          : { incremental: { ...job.incremental, iteration: surroundings.iteration } }),
        ...(job.prefetch === undefined ? {} : { prefetch: job.prefetch }),
        ...completenessOf(job, settings, stops),
        userData,
        children,
        ...(asynchronous === undefined ? {} : { asynchronous }),
        ...streamed,
      }),
    ),
  );
}

const responsesTo = ({ edges }: GraphqlRequest): GraphqlPlan => (edges === undefined ? {} : { edges });

/** The format of the job, or the one for all jobs. */
function formatOf({ format: own }: Job, { http }: Api): Pick<JobPlan, 'format'> {
  const format = own ?? http.format;
  return format === undefined ? {} : { format };
}

/** What the job says counts, then what stands beside its pagination, then what `config` says. */
function completenessOf(
  { completeness: own, total: ownTotal, equalPages, optionalFields }: Job,
  settings: Settings,
  stops: readonly StopsPlan[],
): Pick<JobPlan, 'completeness' | 'total' | 'hasNoTotal' | 'equalPages' | 'optionalFields'> {
  const completeness = own ?? settings.completeness;
  const total =
    ownTotal === 'none' ? undefined : (ownTotal ?? stops.findLast((each) => each.total !== undefined)?.total);
  return {
    ...(completeness === undefined ? {} : { completeness }),
    ...(total === undefined ? {} : { total }),
    ...(ownTotal === 'none' ? { hasNoTotal: true } : {}),
    equalPages,
    ...(optionalFields.length === 0 ? {} : { optionalFields }),
  };
}

const planChild = (job: Job, surroundings: JobSurroundings): Checked<ChildJobPlan> =>
  pipe(
    Ap.sequenceS(validation)({
      job: planJob(job, surroundings, true),
      placeholders: planPlaceholders(job.placeholders, job.path, surroundings.scope),
      batch: checkBatch(job),
    }),
    E.map(({ batch, ...child }) => ({
      ...child,
      ...(job.recursionFilter === undefined ? {} : { filter: job.recursionFilter }),
      ...(batch === undefined ? {} : { batch }),
    })),
  );
