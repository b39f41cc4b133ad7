import { isLeft } from 'fp-ts/Either';
import { validate } from '../../../src';
import type { ConfigurationError } from '../../../src';
import { faultLine } from '../../../src/core/errors/errors';
import type { Job } from '../../../src/language/configuration/configuration';
import type { Pagination, SinglePagination } from '../../../src/language/configuration/pagination';
import { none } from '../../../src/language/parts/pagination/pagination';
import { jobPagination, withLaterRequests } from '../../../src/plan/jobs/pagination';
import type { JobPagination } from '../../../src/plan/jobs/pagination';
import type { BoundJob } from '../../../src/plan/plan';
import { BUILT_IN } from '../../../src/run/built-in-parts';
import * as decoded from '../../language/configuration/support';
import { aRequest } from '../../support/requests';

const BASE = 'https://api.example.com/';
const SURROUNDINGS = {
  parts: BUILT_IN,
  baseUrl: BASE,
  scope: { functions: BUILT_IN.function, known: {} },
  placeholders: ['id'],
};
const paginationOf = (written: object): Pagination =>
  decoded.run(decoded.configuration({ pagination: written })).api.pagination;
const jobOf = (changes: Partial<Job> = {}): Job => ({ ...decoded.job(decoded.configuration()), ...changes });

function plannedFrom(pagination: Pagination, job: Partial<Job> = {}): JobPagination {
  const result = jobPagination(pagination, jobOf(job), SURROUNDINGS);
  if (isLeft(result)) throw new Error(result.left.map(faultLine).join('\n'));
  return result.right;
}
const planned = (written: object, job: Partial<Job> = {}): JobPagination => plannedFrom(paginationOf(written), job);
function faultsFrom(pagination: Pagination, job: Partial<Job> = {}): readonly string[] {
  const result = jobPagination(pagination, jobOf(job), SURROUNDINGS);
  return isLeft(result) ? result.left.map(faultLine) : [];
}
const faults = (written: object, job: Partial<Job> = {}): readonly string[] => faultsFrom(paginationOf(written), job);

const list = { method: 'offset', limit: 2 };
const feed = { method: 'cursor', idKey: 'id', param: 'after' };
const multiple = (changes: object = {}): object => ({ method: 'multiple', scrollers: { list, feed }, ...changes });

describe('jobPagination: one method for all jobs (specification 4.3)', () => {
  it.each([
    ['offset', list],
    ['pagenum', { method: 'pagenum' }],
    ['response.url', { method: 'response.url' }],
    ['response.link', { method: 'response.link', rel: 'more' }],
    ['cursor', feed],
    ['zendesk.response.url', { method: 'zendesk.response.url' }],
    ['none', {}],
  ])('%s is that of each job, with its options', (method, written) => {
    const { pagination } = planned(written);
    expect({ ...pagination.options, method: pagination.method }).toMatchObject({ ...written, method });
    expect(pagination).not.toHaveProperty('stops');
  });

  it('response.param is that of each job, with its options', () => {
    const options = { responseParam: 'next', queryParam: 'token' };
    expect(planned({ method: 'response.param', ...options }).pagination.options).toMatchObject(options);
  });

  it('language 5.9: the scroller of a job has no meaning', () => {
    expect(planned(list, { scroller: 'feed' }).pagination.method).toBe('offset');
  });
});

describe('language 5.9 multiple', () => {
  it('a job uses the scroller that it names', () => {
    expect(planned(multiple({ default: 'list' }), { scroller: 'feed' }).pagination).toMatchObject({ method: 'cursor' });
  });

  it('else the default one', () => {
    expect(planned(multiple({ default: 'list' })).pagination).toMatchObject({ method: 'offset' });
  });

  it('else none: one request', () => {
    expect(planned(multiple()).pagination).toBe(none);
  });

  it('an unknown scroller is a fault at the job that lists those there are, with the likely meant one', () => {
    expect(faults(multiple(), { scroller: 'fed' })).toEqual([
      'config.jobs[0].scroller: expected one of list, feed, found "fed"; did you mean "feed"?',
    ]);
    expect(faults(multiple(), { scroller: 'nothing alike' })).toEqual([
      'config.jobs[0].scroller: expected one of list, feed, found another name',
    ]);
  });

  it('names that every object inherits are unknown as well', () => {
    expect(faults(multiple(), { scroller: 'constructor' })).toHaveLength(1);
  });

  it('an unknown default is a fault where it stands', () => {
    const scrollers: Record<string, SinglePagination> = { only: { kind: 'one', pagination: none, stops: {} } };
    expect(faultsFrom({ kind: 'multiple', scrollers, default: 'onyl', stops: {} })).toEqual([
      'api.pagination.default: expected one of only, found "onyl"; did you mean "only"?',
    ]);
  });
});

describe('language 5.2 the stops of a job', () => {
  const limitStop = { count: 7 };
  const forceStop = { pages: 3 };
  const nextPageFlag = { field: 'more', stopOn: false, ifNotSet: true };

  it('those beside the method', () => {
    expect(planned({ ...list, limitStop, forceStop, nextPageFlag }).stops).toEqual([
      { limitStop, forceStop, nextPageFlag },
    ]);
    expect(planned({ limitStop }).stops).toEqual([{ limitStop }]);
  });

  it('language 5.9: those beside multiple apply as well, before those of the scroller', () => {
    const written = multiple({ scrollers: { list: { ...list, forceStop } }, limitStop });
    expect(planned(written, { scroller: 'list' }).stops).toEqual([{ limitStop }, { forceStop }]);
  });

  it('language 5.9: those beside multiple apply to a job without a scroller', () => {
    expect(planned(multiple({ limitStop })).stops).toEqual([{ limitStop }]);
  });

  it.each([
    [90, 90],
    ['90', 90],
    ['1 hour', 3600],
    ['2 days 30 minutes', 2 * 86400 + 1800],
  ])('forceStop.time %j is %i seconds', (time, seconds) => {
    expect(planned({ ...list, forceStop: { time, volume: 5 } }).stops).toEqual([{ forceStop: { seconds, volume: 5 } }]);
  });

  it('a time that is not understood is a fault with its path', () => {
    const fault = 'expected seconds or a string such as "1 hour", found a string that is no time';
    const forceStopFor = { forceStop: { time: 'a while' } };
    expect(faults({ ...list, ...forceStopFor })).toEqual([`api.pagination.forceStop.time: ${fault}`]);
    expect(
      faults(multiple({ scrollers: { 'a.b': { ...list, ...forceStopFor } }, ...forceStopFor }), { scroller: 'a.b' }),
    ).toEqual([`api.pagination.forceStop.time: ${fault}`, `api.pagination.scrollers["a.b"].forceStop.time: ${fault}`]);
  });
});

describe('language 5.6 scrollRequest', () => {
  const scrollRequest = (written: object): object => ({
    method: 'response.param',
    responseParam: 'next',
    queryParam: 'token',
    scrollRequest: written,
  });

  it('none: the later requests go where the first went', () => {
    expect(planned({ method: 'response.param', responseParam: 'n', queryParam: 't' })).not.toHaveProperty('later');
    expect(planned(list)).not.toHaveProperty('later');
  });

  it('its endpoint and method replace those of the job; what it leaves out is that of the job', () => {
    const both = { endpoint: 'results', method: 'POST' };
    expect(planned(scrollRequest(both)).later).toEqual(both);
    expect(planned(scrollRequest({ params: { a: 1 } }), { method: 'POST' }).later).toEqual({});
    expect(planned(scrollRequest({ method: 'FORM' })).later).toEqual({ method: 'FORM' });
    expect(planned(scrollRequest({ endpoint: 'results' })).later).toEqual({ endpoint: 'results' });
  });

  it('an endpoint with placeholders of a child is kept as written', () => {
    const child = { endpoint: 'users/{id}', placeholders: { id: 'id' } };
    const { api } = decoded.run(
      decoded.configuration(
        { pagination: scrollRequest({ endpoint: 'users/{id}/more' }) },
        { jobs: [{ endpoint: 'users', children: [child] }] },
      ),
    );
    expect(plannedFrom(api.pagination).later?.endpoint).toBe('users/{id}/more');
  });

  it('an endpoint that makes no URL is a fault with its path', () => {
    const broken = scrollRequest({ endpoint: 'https://[broken' });
    expect(faults(broken)).toEqual([
      expect.stringMatching(/^api\.pagination\.scrollRequest\.endpoint: expected an endpoint that makes a URL/),
    ]);
    expect(faults(multiple({ scrollers: { deep: broken } }), { scroller: 'deep' })).toEqual([
      expect.stringMatching(/^api\.pagination\.scrollers\.deep\.scrollRequest\.endpoint: /),
    ]);
  });

  it('withLaterRequests: a request of the pagination chooses between both', () => {
    const bound = (url: string): BoundJob => ({ url, params: {}, secrets: [], request: () => aRequest({ url }) });
    const { url, request } = withLaterRequests(
      bound('https://api.example/search'),
      bound('https://api.example/results'),
    );
    expect(url).toBe('https://api.example/search');
    expect(request({ params: {} }).url).toBe('https://api.example/search');
    expect(request({ params: {}, scroll: false }).url).toBe('https://api.example/search');
    expect(request({ params: {}, scroll: true }).url).toBe('https://api.example/results');
  });
});

const withParams = (pagination: object, params: object): object => ({
  api: { baseUrl: 'https://api.example', pagination },
  config: { jobs: [{ endpoint: 'a' }, { endpoint: 'b', params }], size: 5 },
});
const faultsOf = (pagination: object, params: object): readonly unknown[] => {
  try {
    validate(withParams(pagination, params));
    return [];
  } catch (error) {
    return (error as ConfigurationError).faults;
  }
};
const offset = { method: 'offset', limit: 10 };

describe('parameters that pagination counts by are checked before the run', () => {
  it.each<[object, object, string]>([
    [offset, { limit: 'abc' }, 'config.jobs[1].params.limit'],
    [offset, { limit: true }, 'config.jobs[1].params.limit'],
    [{ ...offset, offsetFromJob: true }, { offset: '-1' }, 'config.jobs[1].params.offset'],
    [{ method: 'pagenum', limitParam: 'size' }, { size: 1.5 }, 'config.jobs[1].params.size'],
    [{ ...offset, limitParam: ['v', 'first'] }, { v: { first: 'ten' } }, 'config.jobs[1].params.v.first'],
  ])('%j with %j', (pagination, params, path) => {
    expect(faultsOf(pagination, params)).toEqual([
      { path, message: expect.stringContaining('pagination needs an integer here') as string },
    ]);
  });

  it.each<[object, object]>([
    [offset, { limit: '100' }],
    [offset, { limit: '' }],
    [offset, { limit: { attr: 'size' } }],
    [offset, { offset: 'ignored' }],
    [{ method: 'pagenum' }, { page: 'first' }],
    [{ method: 'response.url' }, { limit: 'all' }],
  ])('%j with %j is fine', (pagination, params) => {
    expect(faultsOf(pagination, params)).toEqual([]);
  });

  it('what stands where paging has to set a member is a fault before the first request', () => {
    const nested = { ...offset, offsetParam: ['variables', 'offset'] };
    const message = expect.stringContaining('so it has to be an object, found a value of type string') as string;
    expect(faultsOf(nested, { variables: 'text' })).toEqual([{ path: 'config.jobs[1].params.variables', message }]);
    expect(faultsOf(nested, { variables: { attr: 'size' } })).toEqual([]);
  });

  const template = 'id>{value}';
  const keyset = { method: 'keyset', key: 'id' };

  it.each<[string, object, object, string]>([
    ['a parameter', { param: 'where', template }, { where: "status='open'" }, 'params.where'],
    ['a member', { param: ['a', 'q'], template }, { a: { q: 'x {id}' } }, 'params.a.q'],
    ['brackets', { param: 'q', template: '(a[{json}] {2})' }, { q: '(a{2})' }, 'params.q'],
  ])('a text of its own at the place of a template is a fault: %s', (_, param, params, path) => {
    const message = expect.stringContaining('takes its place, and pages would be asked for without it') as string;
    expect(faultsOf({ ...keyset, param }, params)).toEqual([{ path: `config.jobs[1].${path}`, message }]);
  });

  it.each<[string, object, object]>([
    ['that the template makes', { param: 'where', template }, { where: 'id>0' }],
    ['with brackets', { param: 'q', template: '(a[{json}] {2})' }, { q: '(a["x"] {2})' }],
    ['that is blank', { param: 'where', template }, { where: '' }],
    ['that is computed', { param: 'where', template }, { where: { attr: 'size' } }],
    ['without a template', { param: 'where' }, { where: 'x' }],
    ['elsewhere', { param: 'where', template }, { filter: 'x' }],
  ])('a text of its own is fine %s', (_, param, params) => {
    expect(faultsOf({ ...keyset, param }, params)).toEqual([]);
  });
});
