import * as Ap from 'fp-ts/Apply';
import * as E from 'fp-ts/Either';
import { pipe } from 'fp-ts/function';
import type { AnsweredRequest } from '../../language/configuration/jobs/asynchronous';
import type { Job } from '../../language/configuration/configuration';
import type { Fault } from '../../core/errors/errors';
import { entriesOf, isList, isObject } from '../../core/json/objects';
import type { Json } from '../../core/model';
import { validation } from '../../language/codec/checked';
import type { Checked } from '../../language/codec/checked';
import { didYouMean } from '../../language/codec/finding';
import type { AnsweredRequestPlan, AsynchronousPlan, JobPlan } from '../plan';
import { bindEndpoint } from './bind';
import type { JobAddress } from './bind';
import { checkEndpoint } from './fill';
import type { JobSurroundings } from '../defaults';
import { compileJobValues } from './values';
import type { JobInput } from './values';

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
      names: checkNames(job, submit, poll),
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
      endpoint: checkEndpoint(surroundings.baseUrl, endpoint, `${path}.endpoint`),
      evaluate: compileJobValues(own, surroundings),
    }),
    E.map(({ evaluate }) => ({
      path,
      bind: (call) => bindEndpoint(own, surroundings, evaluate(call), step),
      values: Object.entries(values).map(([key, place]) => {
        const name = `${step}.${key}`;
        return { name, place, isAddress: endpoints.includes(`{${name}}`) };
      }),
    })),
  );
}

const WRITTEN = /\{((?:submit|poll)\.[^{}]+)\}/g;

/** Refuses names of values without a source: they would be sent literally. */
function checkNames({ path, ...job }: Job, submit: AnsweredRequest, poll: AnsweredRequest): Checked<void> {
  const namesOf = (step: Step, { values }: AnsweredRequest): string[] =>
    Object.keys(values).map((name) => `${step}.${name}`);
  const ofSubmit = namesOf('submit', submit);
  const all = [...ofSubmit, ...namesOf('poll', poll)];
  const faults = [
    ...faultsIn(submit, `${path}.asynchronous.submit`, [], 'nothing has been answered yet'),
    ...faultsIn(poll, `${path}.asynchronous.poll`, ofSubmit, 'asynchronous.submit.values has no such name'),
    ...faultsIn(job, path, all, 'the values of asynchronous.submit and asynchronous.poll have no such name'),
  ];
  return faults.length > 0 ? E.left(faults) : E.right(undefined);
}

type Written = Pick<Job, 'endpoint' | 'params' | 'headers' | 'body'>;

const faultsIn = (
  { endpoint, params, headers, body = [] }: Written,
  path: string,
  known: readonly string[],
  why: string,
): readonly Fault[] =>
  Object.entries({ endpoint, params, headers, body }).flatMap(([key, value]) =>
    textsIn(value)
      .flatMap((text) => Array.from(text.matchAll(WRITTEN), ([, name = '']) => name))
      .filter((name) => !known.includes(name))
      .map((name) => ({ path: `${path}.${key}`, message: `{${name}}: ${why}${didYouMean(name, known)}` })),
  );

function textsIn(value: Json): readonly string[] {
  if (typeof value === 'string') return [value];
  if (isList(value)) return value.flatMap(textsIn);
  return isObject(value) ? entriesOf(value).flatMap(([, member]) => textsIn(member)) : [];
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
