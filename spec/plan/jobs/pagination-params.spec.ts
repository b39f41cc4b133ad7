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
});
