import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { json } from '../support/answers';
import { startServer } from '../support/api-server';
import { runToEnd } from '../support/command';

const SECRET = 'k3y-of-the-api';

describe('headwater test', () => {
  let folder: string;
  let config: string;
  let recording: string;
  let expected: string;
  let origin: string;
  const written = async (jobs: readonly object[], pageSize = 2): Promise<void> => {
    const api = {
      baseUrl: origin,
      pagination: { method: 'offset', limit: pageSize },
      http: { defaultOptions: { params: { key: { attr: '#key' } } } },
    };
    await writeFile(config, JSON.stringify({ api, config: { '#key': SECRET, jobs } }));
  };
  const recorded = async (): Promise<void> => {
    const server = await startServer(({ url }) => {
      const offset = Number(new URL(url, 'http://localhost').searchParams.get('offset') ?? 0);
      return json(
        [1, 2, 3].map((id) => ({ id, name: `River ${id}`, tags: [id], echo: SECRET })).slice(offset, offset + 2),
      );
    });
    ({ origin } = server);
    await written([{ endpoint: 'rivers' }]);
    const run = await runToEnd(['run', config, '--record', recording]).finally(() => server.close());
    expect(run.status).toBe(0);
  };
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'headwater-test-'));
    [config, recording, expected] = ['rivers.json', 'rivers.har', 'rivers.expected.json'].map((name) =>
      join(folder, name),
    ) as [string, string, string];
    await recorded();
  });
  afterEach(() => rm(folder, { recursive: true }));

  it('accepts what came, and passes while the same comes, without a network', async () => {
    const none = await runToEnd(['test', config]);
    expect(none).toMatchObject({ status: 1, stdout: '' });
    expect(none.stderr).toContain(`--expected: ${expected} is not there`);
    expect(none.stderr).toContain('--update');
    const amounts = '1 job, 2 pages, 3 items, 2 tables, 2 requests.';
    expect(await runToEnd(['test', config, '--update'])).toEqual({
      ...{ status: 0, stderr: '' },
      stdout: `Accepted in ${expected}: ${amounts}\n`,
    });
    const accepted = await readFile(expected, 'utf8');
    expect(accepted).not.toContain(SECRET);
    expect(accepted).toContain('\n      {"id":2,"name":"River 2","tags":[2],"echo":"***"}');
    expect(await runToEnd(['test', config])).toEqual({ status: 0, stderr: '', stdout: `As accepted: ${amounts}\n` });
  });

  it('says which item, field, table and column are other than they were, as text and as JSON', async () => {
    await runToEnd(['test', config, '--update']);
    const accepted = await readFile(expected, 'utf8');
    await writeFile(
      expected,
      accepted
        .replace('"River 2"', '"River two"')
        .replace(/\n {6}\{"id":3.*?\}/, '\n      {"id":0},$&')
        .replace('{"name":"id","type":"integer"}', '{"name":"id","type":"text"}')
        .replace('"warnings": []', '"warnings": [{"code": "NO_DATA", "job": "rivers"}]'),
    );
    const { status, stdout } = await runToEnd(['test', config]);
    expect([status, stdout]).toEqual([
      1,
      [
        'rivers',
        '  item 2, name: expected "River two", got "River 2"',
        '  item 3: expected {"id":0}, got none',
        '  warning: expected NO_DATA, got none',
        'table rivers',
        '  column, id: expected text, got integer',
        '4 differences. If that is wanted, accept it with --update.',
        '',
      ].join('\n'),
    ]);
    const reported = await runToEnd(['test', config, '--format', 'json']);
    expect(reported.status).toBe(1);
    expect(JSON.parse(reported.stdout)).toMatchObject({
      isSame: false,
      unasked: [],
      differences: [
        { about: 'item', of: 'rivers', item: 2, field: 'name', expected: '"River two"', got: '"River 2"' },
        { about: 'item', item: 3, expected: '{"id":0}' },
        { about: 'column', of: 'rivers', field: 'id' },
        { about: 'warning', expected: 'NO_DATA' },
      ],
    });
  });

  it('fails for requests that were not recorded, and for recorded ones that are not sent; neither is accepted', async () => {
    await runToEnd(['test', config, '--update']);
    const accepted = await readFile(expected, 'utf8');
    await written([{ endpoint: 'rivers' }, { endpoint: 'lakes' }]);
    const more = await runToEnd(['test', config]);
    expect(more.status).toBe(1);
    expect(more.stdout).toContain('not recorded\n  GET ');
    expect(more.stdout).toContain('/lakes?');
    await written([{ endpoint: 'rivers' }], 5);
    expect((await runToEnd(['test', config, '--update'])).stderr).toContain('Nothing was accepted');

    const har = JSON.parse(await readFile(recording, 'utf8')) as { log: { entries: { request: { url: string } }[] } };
    const [first] = har.log.entries;
    har.log.entries.push({ ...first, request: { ...first?.request, url: `${origin}/seas?key=***` } });
    await writeFile(recording, JSON.stringify(har));
    await written([{ endpoint: 'rivers' }]);
    const less = await runToEnd(['test', config]);
    expect(less).toMatchObject({
      status: 1,
      stdout: `recorded, but not requested\n  GET ${origin}/seas?key=***\n`,
    });
    expect(await readFile(expected, 'utf8')).toBe(accepted);
  });

  it('refuses a recording that compares nothing, and files that are none of its own', async () => {
    await writeFile(expected, '{"jobs": []}');
    expect((await runToEnd(['test', config])).stderr).toContain('This is not the file of an accepted run');
    const har = JSON.parse(await readFile(recording, 'utf8')) as { log: { entries: unknown[] } };
    har.log.entries = [];
    await writeFile(recording, JSON.stringify(har));
    expect(await runToEnd(['test', config, '--update'])).toMatchObject({ status: 1, stdout: '' });
    await writeFile(recording, '{}');
    const none = await runToEnd(['test', config, '--update']);
    expect(none.stderr).toContain('--recording: ');
    expect((await runToEnd(['test', '-'], '{}')).stderr).toContain('name the file with --recording');
  });
});
