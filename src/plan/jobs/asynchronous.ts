import * as Ap from 'fp-ts/Apply';
import * as E from 'fp-ts/Either';
import { pipe } from 'fp-ts/function';
import type { AnsweredRequest } from '../../language/configuration/jobs/asynchronous';
import type { Job } from '../../language/configuration/configuration';
import { validation } from '../../language/codec/codec';
import type { Checked } from '../../language/codec/codec';
import type { AnsweredRequestPlan, AsynchronousPlan, JobPlan } from '../plan';
import { endpointBinder, compileJobValues } from './values';
import type { JobAddress, JobInput } from './values';
import { planEndpoint } from './fill';
import type { JobSurroundings } from '../defaults';

type Step = 'submit' | 'poll';

/** Compiles the requests that create the result of a job before it is fetched (docs/language/asynchronous-jobs.md). */
export function asynchronousOf(
  job: Job,
  surroundings: JobSurroundings,
  { method }: JobPlan['pagination'],
): Checked<AsynchronousPlan | undefined> {
  const { asynchronous } = job;
  if (asynchronous === undefined) return E.right(undefined);
  const { submit, poll } = asynchronous;
  return pipe(
    Ap.sequenceS(validation)({
      submit: request('submit', submit, job, surroundings, [poll.endpoint, job.endpoint]),
      poll: request('poll', poll, job, surroundings, [job.endpoint]),
      downloads: checkDownloads(job, method),
    }),
    E.map((plans) => ({
      submit: plans.submit,
      poll: {
        ...plans.poll,
        everyMilliseconds: poll.everySeconds * 1000,
        timeoutMilliseconds: poll.timeoutSeconds * 1000,
        until: poll.until,
        ...(poll.failed === undefined ? {} : { failed: poll.failed }),
        ...(poll.running === undefined ? {} : { running: poll.running }),
      },
    })),
  );
}

/** @param endpoints the endpoints that may be one of its values */
function request(
  step: Step,
  { endpoint, method, params, headers, body, values }: AnsweredRequest,
  job: Job,
  surroundings: JobSurroundings,
  endpoints: readonly string[],
): Checked<AnsweredRequestPlan> {
  const path = `${job.path}.asynchronous.${step}`;
  const { id, batch, lists, functionsInLists, placeholdersInParams } = job;
  const own: JobAddress & JobInput = {
    id,
    path,
    endpoint,
    method,
    params,
    headers,
    functionsInLists,
    placeholdersInParams,
    ...(batch === undefined ? {} : { batch }),
    ...(lists === undefined ? {} : { lists }),
    ...(body === undefined ? {} : { body }),
  };
  return pipe(
    Ap.sequenceS(validation)({
      endpoint: planEndpoint(endpoint, `${path}.endpoint`, surroundings),
      evaluate: compileJobValues(own, surroundings),
    }),
    E.map(({ endpoint: filled, evaluate }) => {
      const bind = endpointBinder({ ...own, endpoint: filled }, surroundings, step);
      return {
        path,
        bind: (call) => bind(evaluate(call)),
        values: Object.entries(values).map(([key, place]) => {
          const name = `${step}.${key}`;
          return { name, place, isAddress: endpoints.includes(`{${name}}`) };
        }),
      };
    }),
  );
}

/** Refuses pagination for a job that sends only the address: it cannot request another page. */
function checkDownloads({ path, asynchronous }: Job, method: string): Checked<void> {
  if (asynchronous === undefined || asynchronous.downloadHosts.length === 0 || method === 'none')
    return E.right(undefined);
  const message =
    `needs a job without pagination, and this one has ${method}: at such a host a result is one file, ` +
    'since nothing is sent there but its address';
  return E.left([{ path: `${path}.asynchronous.downloadHosts`, message }]);
}
