import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ConfigurationError, explainConfiguration, requestsOf } from '../../../src';
import { virtualTime } from '../../../src/testing';

const BASE = 'https://api.example/v1';

describe('requestsOf', () => {
  const planned = (jobs: readonly object[], api: object = {}, config: object = {}) =>
    requestsOf({ api: { baseUrl: BASE, ...api }, config: { ...config, jobs } });

  it('gives the first request of each job, and children with their placeholders', () => {
    const { jobs } = planned(
      [
        {
          endpoint: 'boxes',
          params: { q: 'a b' },
          children: [
            {
              endpoint: 'boxes/{id}/parts',
              placeholders: { id: 'key' },
              recursionFilter: 'open==1',
              method: 'POST',
              params: { of: '{id}' },
            },
          ],
        },
      ],
      { pagination: { method: 'offset', limit: 50, firstPageParams: true } },
    );
    expect(jobs.map(({ requests: [first] }) => [first?.method, first?.url, first?.body])).toEqual([
      ['GET', `${BASE}/boxes?q=a%20b&limit=50&offset=0`, undefined],
      ['POST', `${BASE}/boxes/{id}/parts`, expect.stringContaining('"limit":50')],
    ]);
    expect(jobs[1]?.calls).toBe('It is called for each item of boxes that passes open==1; {id} is its "key".');
    expect(jobs[0]?.paging).toMatch(/^Pagination "offset": Skips the items that came before.*limit 50/);
    expect(jobs[1]?.parent).toBe(jobs[0]?.id);
  });

  it('calls secrets of the environment as the environment does, and those of files as their files', () => {
    const folder = mkdtempSync(join(tmpdir(), 'headwater-requests-'));
    const file = join(folder, 'session-key');
    writeFileSync(file, 'f1le k3y');
    const headers = { 'X-Token': { env: 'API_TOKEN' }, 'X-Key': { file }, 'X-Odd': { env: 'odd-name' } };
    const { jobs, variables } = requestsOf(
      {
        api: { baseUrl: BASE },
        config: {
          '#token': 'other',
          jobs: [{ endpoint: 'a', headers, params: { t: { attr: '#token' }, open: { env: 'OPEN', secret: false } } }],
        },
      },
      { env: { API_TOKEN: 't0ken', 'odd-name': 'odd', OPEN: 'yes' }, secretFiles: true },
    );
    rmSync(folder, { recursive: true });
    const curl = jobs[0]?.requests[0]?.curl ?? '';
    expect(curl).toContain(`-H 'x-token: '"$API_TOKEN"`);
    expect(curl).toContain(`-H 'x-key: '"$SESSION_KEY"`);
    expect(curl).toContain(`-H 'x-odd: '"$ODD_NAME"`);
    expect(curl).toContain('open=yes');
    expect(JSON.stringify([jobs, variables])).not.toMatch(/t0ken|f1le k3y|"odd"/);
    expect(Object.fromEntries(variables.map(({ name, about }) => [name, about]))).toEqual({
      TOKEN: 'config.#token',
      API_TOKEN: 'as in the environment of a run',
      SESSION_KEY: `the content of the file ${file}`,
      ODD_NAME: 'the environment variable odd-name',
    });
  });

  it('gives the login instead of what only the login gives, and masks secrets', () => {
    const seen = planned(
      [{ endpoint: 'users', headers: { 'X-Key': { attr: '#key' } } }],
      {
        authentication: {
          type: 'login',
          loginRequest: { endpoint: 'login', method: 'POST', params: { user: 'u', password: { attr: '#password' } } },
          apiRequest: { headers: { 'X-Api-Token': 'token' } },
        },
      },
      { '#password': `it's "secret" $HOME`, '#key': 'k3y value' },
    );
    expect(seen.logins).toMatchObject([{ purpose: 'login', method: 'POST', url: `${BASE}/login` }]);
    const text = JSON.stringify(seen);
    expect(text).not.toContain('k3y value');
    expect(text).not.toContain('secret\\\\\\"');
    expect(text).not.toContain("it's");
    expect(seen.variables.map(({ name, about }) => [name, about])).toEqual(
      expect.arrayContaining([['KEY', 'config.#key']]),
    );
    expect(seen.jobs[0]?.requests[0]?.curl).toContain('"$KEY"');
  });

  it.each([
    ['basic', { type: 'basic' }, { username: 'reader', '#password': 'tr0ut-pass' }, 'AUTHORIZATION'],
    ['query', { type: 'query', query: { key: { attr: '#key' } } }, { '#key': 'k3y/+ value' }, 'KEY_ENCODED'],
  ])('has secrets of %s as shell variables alone', (_, authentication, config, variable) => {
    const seen = planned([{ endpoint: 'users' }], { authentication }, config);
    const [request] = seen.jobs[0]?.requests ?? [];
    expect(request?.curl).toContain(`"$${variable}"`);
    const text = JSON.stringify(seen);
    for (const secret of ['tr0ut-pass', Buffer.from('reader:tr0ut-pass').toString('base64'), 'k3y/+', 'k3y%2F'])
      expect(text).not.toContain(secret);
    // What a shell reads is a command.
    expect(() => execFileSync('sh', ['-n', '-c', request?.curl ?? '('])).not.toThrow();
  });

  it('has a variable for each form of a secret: in an address, and in JSON', () => {
    const job = {
      ...{ endpoint: 'users', method: 'POST' },
      ...{ params: { key: { attr: '#key' } }, body: { key: { attr: '#key' } } },
    };
    const { jobs, variables } = planned([job], {}, { '#key': 'k3y"+ value' });
    expect(jobs[0]?.requests[0]?.curl).toContain(`--data-raw '{"key":"'"$KEY_IN_JSON"'"}'`);
    expect(variables.filter(({ name }) => name.startsWith('KEY'))).toEqual(
      expect.arrayContaining([
        { name: 'KEY_ENCODED', about: 'config.#key, percent-encoded' },
        { name: 'KEY_IN_JSON', about: 'config.#key, as it stands within a string of JSON' },
      ]),
    );
  });

  it('counts windows and partitions, and gives the first calls', () => {
    const { scheduler } = virtualTime(Date.UTC(2024, 5, 1));
    const { jobs } = requestsOf(
      {
        api: { baseUrl: BASE },
        config: {
          jobs: [
            {
              endpoint: 'levels',
              params: { of: { partition: 'p' }, from: { window: 'from' } },
              partitions: { p: ['a', 'b'] },
              window: { from: '2024-01-01', to: '2024-03-01', step: '1 month' },
            },
          ],
        },
      },
      { scheduler, calls: 2 },
    );
    expect(jobs[0]?.calls).toBe('It is called once, divided into 4 calls by its windows and partitions.');
    expect(jobs[0]?.requests.map(({ url }) => url)).toEqual([
      `${BASE}/levels?of=a&from=2024-01-01`,
      expect.stringContaining(`${BASE}/levels?of=`),
    ]);
  });

  it('refuses what cannot be used', () => {
    expect(() => requestsOf({ api: {}, config: { jobs: [] } })).toThrow(ConfigurationError);
  });
});

describe('explainConfiguration', () => {
  it('tells what a configuration does, without secrets', () => {
    const reported = explainConfiguration({
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
    expect(reported.map(({ about, path }) => [about, path])).toEqual([
      ['the API', 'api'],
      ['rivers', 'config.jobs[0]'],
      ['rivers/{id}/levels', 'config.jobs[0].children[0]'],
      ['the data', 'config.sinks'],
    ]);
    const [api = [], rivers = [], levels = [], data = []] = reported.map(({ sentences }) => sentences);
    expect(api[0]).toMatch(/^It asks https:\/\/api\.example\/v1/);
    expect(api[1]).toMatch(/^Authentication "query": /);
    expect(rivers).toContain('Its items are at "data" of a response.');
    expect(rivers[2]).toMatch(/^Pagination "offset": .*limit 50/);
    expect(levels[0]).toBe('It is called for each item of rivers; {id} is its "id".');
    expect(levels.at(-1)).toBe('Its items go to the table "levels".');
    expect(data).toEqual(['It stores the items in duckdb:rivers.duckdb.']);
    expect(JSON.stringify(reported)).not.toContain('k3y-of-api');
  });

  it('refuses what cannot be used', () => {
    expect(() => explainConfiguration({ api: {}, config: { jobs: [] } })).toThrow(ConfigurationError);
  });
});
