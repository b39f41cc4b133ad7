import { ConfigurationError, extract, validate } from '../../../src';
import { useNock } from '../../support/nock';
import { runExample } from '../../support/run-example';
import { marker } from './marker-pagination';

const api = useNock();
const components = [marker];
const paged = (pagination: object) => ({
  api: { baseUrl: 'https://api.example/', pagination: { method: 'marker', ...pagination } },
  config: { jobs: [{ endpoint: 'rivers', params: { page: 'all' } }] },
});

describe('a pagination method of an application', () => {
  it('runs its worked example', async () => {
    await runExample(marker.example, components);
  });

  it('keeps the parameters of the job, and all digits of a key', async () => {
    api('https://api.example').get('/rivers?page=all').reply(200, '[{"id": 9007199254740993}]');
    api('https://api.example').get('/rivers?page=all&after=9007199254740993').reply(200, '[]');
    const items = [];
    for await (const item of extract(paged({ param: 'after' }), { components })) items.push(item);
    expect(items).toEqual([{ id: 9007199254740993n }]);
  });

  it('goes on from a position that was stored', () => {
    const paginator = marker.paginator(
      { key: 'id', param: 'after' },
      {
        path: 'config.jobs[0]',
        params: { a: 1 },
        baseUrl: 'https://api.example/',
        endpointUrl: 'https://api.example/x',
      },
    );
    expect(paginator.at('Esk')).toEqual({ change: { params: { a: 1, after: 'Esk' } }, position: 'Esk' });
    expect(paginator.at(null)).toBe(paginator.first);
  });

  it('is checked like those of Headwater', () => {
    const faultsOf = (pagination: object): readonly string[] => {
      try {
        return validate(paged(pagination), { components }).warnings.map(({ path, message }) => `${path}: ${message}`);
      } catch (error) {
        if (error instanceof ConfigurationError) return error.faults.map(({ path, message }) => `${path}: ${message}`);
        throw error;
      }
    };
    expect(faultsOf({ param: 'after' })).toEqual([]);
    expect(faultsOf({})).toEqual(['api.pagination.param: required: the name of the parameter that carries the key']);
    expect(faultsOf({ param: 'after', offsetParam: 'skip' })).toEqual([
      'api.pagination.offsetParam: has no effect with method marker: it is an option of offset',
    ]);
    expect(faultsOf({ param: 'after', ky: 'name' })).toHaveLength(1);
    expect(faultsOf({ method: 'markr', param: 'after' })[0]).toContain('did you mean "marker"?');
  });

  it('is unknown without the option', () => {
    expect(() => validate(paged({ param: 'after' }))).toThrow(
      /api\.pagination\.method: expected one of .*cursor, .*offset/,
    );
  });
});
