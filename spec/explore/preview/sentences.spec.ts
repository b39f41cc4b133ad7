import { ConfigurationError, explainConfiguration } from '../../../src';

describe('explainConfiguration', () => {
  it('tells what a configuration does, without secrets', () => {
    const told = explainConfiguration({
      api: {
        baseUrl: 'https://api.example/v1',
        pagination: { method: 'offset', limit: 50 },
        authentication: { type: 'query', query: { key: { attr: '#key' } } },
      },
      config: {
        '#key': 'k3y-of-api',
        sinks: ['duckdb:rivers.duckdb'],
        jobs: [
          {
            endpoint: 'rivers',
            dataField: 'data',
            children: [{ endpoint: 'rivers/{id}/levels', dataType: 'levels', placeholders: { id: 'id' } }],
          },
        ],
      },
    });
    expect(told.map(({ about, path }) => [about, path])).toEqual([
      ['the API', 'api'],
      ['rivers', 'config.jobs[0]'],
      ['rivers/{id}/levels', 'config.jobs[0].children[0]'],
      ['the data', 'config.sinks'],
    ]);
    const [api = [], rivers = [], levels = [], data = []] = told.map(({ sentences }) => sentences);
    expect(api[0]).toMatch(/^It asks https:\/\/api\.example\/v1/);
    expect(api[1]).toMatch(/^Authentication "query": /);
    expect(rivers).toContain('Its items are at "data" of a response.');
    expect(rivers[2]).toMatch(/^Pagination "offset": .*limit 50/);
    expect(levels[0]).toBe('It is called for each item of rivers; {id} is its "id".');
    expect(levels.at(-1)).toBe('Its items go to the table "levels".');
    expect(data).toEqual(['It stores the items in duckdb:rivers.duckdb.']);
    expect(JSON.stringify(told)).not.toContain('k3y-of-api');
  });

  it('refuses what cannot be used', () => {
    expect(() => explainConfiguration({ api: {}, config: { jobs: [] } })).toThrow(ConfigurationError);
  });
});
