import { validate } from '../../../src';
import type { ConfigurationError } from '../../../src';

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
