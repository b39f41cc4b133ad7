import { ConfigurationError, validate } from '../../src';

const withJobs = (config: object, ...jobs: readonly object[]): object => ({
  api: { baseUrl: 'https://api.example' },
  config: { ...config, jobs },
});

function faultsOf(config: object): unknown {
  try {
    return validate(config).warnings;
  } catch (error) {
    if (error instanceof ConfigurationError) return error.faults;
    throw error;
  }
}

describe('primary keys of a run (docs/sinks.md#primary-keys)', () => {
  it('jobs of one dataType, and config.primaryKeys, may say the same', () => {
    const jobs = [
      { endpoint: 'a', primaryKey: 'id' },
      { endpoint: 'b', dataType: 'a' },
    ];
    expect(faultsOf(withJobs({ primaryKeys: { a: ['id'] } }, ...jobs))).toEqual([]);
  });

  it('different keys for one dataType are a fault, in children too', () => {
    const child = { endpoint: 'b/{id}', dataType: 'a', placeholders: { id: 'id' }, primaryKey: ['x', 'y'] };
    const jobs = [{ endpoint: 'a', primaryKey: ['y', 'x'], children: [child] }];
    expect(faultsOf(withJobs({}, ...jobs))).toEqual([
      {
        path: 'config.jobs[0].children[0].primaryKey',
        message: 'the table of "a" has another primary key in config.jobs[0].primaryKey',
      },
    ]);
  });

  it('a key that no table will have is a warning', () => {
    const config = { mappings: { m: { id: 'id' } }, primaryKeys: { gauge: 'id', m: 'id' } };
    expect(faultsOf(withJobs(config, { endpoint: 'gauges' }, { endpoint: 'm' }))).toEqual([
      { path: 'config.primaryKeys.gauge', message: 'has no effect: no job has this dataType; did you mean "gauges"?' },
      { path: 'config.primaryKeys.m', message: 'has no effect: the mapping of "m" says which columns are the key' },
    ]);
  });
});
