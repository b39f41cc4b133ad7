import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { json } from '../support/answers';
import { startServer } from '../support/api-server';
import { runToEnd } from '../support/command';
import { newFolder } from '../support/opened';

const MANIFEST = `
streams:
  - type: DeclarativeStream
    name: ships
    retriever:
      type: SimpleRetriever
      requester: { type: HttpRequester, url_base: "{{ config['url'] }}", path: ships }
      record_selector: { type: RecordSelector, extractor: { type: DpathExtractor, field_path: [data] } }
  - type: DeclarativeStream
    name: boats
    retriever: { type: CustomRetriever }
`;

function sourceAt(url: string): { readonly manifest: string; readonly config: string } {
  const folder = newFolder();
  const config = join(folder, 'config.json');
  writeFileSync(join(folder, 'manifest.yaml'), MANIFEST);
  writeFileSync(config, JSON.stringify({ url }));
  return { manifest: `airbyte:${folder}`, config };
}

describe('a manifest of Airbyte', () => {
  it('headwater import prints its configuration, and what is left out', async () => {
    const { manifest, config } = sourceAt('https://h.example');
    const { status, stdout, stderr } = await runToEnd(['import', manifest, '--config', config]);
    expect(stdout).toMatch(/url: https:\/\/h\.example\n[^]*endpoint: ships\n/);
    expect(stderr).toBe('The stream boats is left out: CustomRetriever\n');
    expect(status).toBe(0);
  });

  it('headwater new writes what import prints, and no file that is there', async () => {
    const { manifest, config } = sourceAt('https://h.example');
    const file = join(manifest.slice('airbyte:'.length), 'ships.yaml');
    const words = ['new', manifest, file, '--config', config];
    const made = await runToEnd(words);
    expect(made.stdout).toContain(`Then: headwater run ${file}\n`);
    expect(made.stderr).toBe('The stream boats is left out: CustomRetriever\n');
    const printed = await runToEnd(['import', manifest, '--config', config]);
    expect(readFileSync(file, 'utf8')).toBe(printed.stdout);
    const again = await runToEnd(words);
    expect(again.stderr).toContain(`${file} is there already`);
    expect([made.status, again.status]).toEqual([0, 1]);
  });

  it('headwater validate and plan take it', async () => {
    const { manifest, config } = sourceAt('https://h.example');
    const checked = await runToEnd(['validate', manifest, '--config', config, '--stream', 'ships']);
    expect(checked).toMatchObject({ status: 0, stdout: 'The configuration is valid: 1 job.\n' });
    const planned = await runToEnd(['plan', manifest, '--config', config]);
    expect(planned.stdout).toContain('GET https://h.example/ships');
    expect(planned.stderr).toContain('The stream boats is left out: CustomRetriever');
  });

  it('headwater run reads it', async () => {
    const server = await startServer(() => json({ data: [{ id: 1 }] }));
    const { manifest, config } = sourceAt(server.origin);
    const { status, stdout } = await runToEnd(['run', manifest, '--config', config, '--tag', '--to', 'ndjson:-']);
    expect(stdout).toBe('{"dataType":"ships","item":{"id":1}}\n');
    expect(status).toBe(0);
  });

  it('is refused where nothing of it can be translated, or there is none', async () => {
    const { manifest } = sourceAt('https://h.example');
    const left = await runToEnd(['run', manifest, '--stream', 'boats']);
    expect(left.stderr).toContain('boats: CustomRetriever');
    expect(left.status).toBe(1);
    const missing = await runToEnd(['import', 'airbyte:no/such/folder']);
    expect(missing).toMatchObject({ status: 1, stdout: '' });
    expect(missing.stderr).toContain('there is no such file');
  });
});

describe('the state of a manifest', () => {
  const cursor = {
    type: 'DatetimeBasedCursor',
    cursor_field: 'at',
    datetime_format: '%Y-%m-%d',
    start_datetime: '2024-01-01',
    start_time_option: { type: 'RequestOption', field_name: 'from', inject_into: 'request_parameter' },
  };
  const message = (at: string) => [
    { type: 'STREAM', stream: { stream_descriptor: { name: 'ships' }, stream_state: { at } } },
  ];

  it('is read and written as Airbyte has it, also into a destination that is new', async () => {
    const server = await startServer(() => json({ data: [{ id: 1, at: '2024-02-03' }] }));
    const folder = newFolder();
    const file = (name: string, content: string): string => {
      writeFileSync(join(folder, name), content);
      return join(folder, name);
    };
    const manifest = file(
      'manifest.yaml',
      MANIFEST.replace('name: ships', `name: ships\n    incremental_sync: ${JSON.stringify(cursor)}`),
    );
    const config = file('config.json', JSON.stringify({ url: server.origin }));
    const state = file('state.json', JSON.stringify(message('2024-02-02')));
    const flags = ['--config', config, '--stream', 'ships', '--state', state];
    const out = `ndjson:${join(folder, 'out')}`;
    const planned = await runToEnd(['plan', `airbyte:${manifest}`, ...flags]);
    expect(planned.stdout).toContain('/ships?from=2024-02-02');
    expect(await runToEnd(['run', `airbyte:${manifest}`, ...flags, '--to', out])).toMatchObject({ status: 0 });
    expect(JSON.parse(readFileSync(state, 'utf8'))).toEqual(message('2024-02-03'));
    const left = file('left.json', '{}');
    const fresh = ['--config', config, '--stream', 'ships', '--state', left, '--state-format', 'airbyte'];
    expect(await runToEnd(['run', `airbyte:${manifest}`, ...fresh, '--to', 'ndjson:-'])).toMatchObject({ status: 0 });
    expect(JSON.parse(readFileSync(left, 'utf8'))).toEqual(message('2024-02-03'));
    const urls = server.requests.map(({ url }) => url);
    expect(urls).toEqual(['/ships?from=2024-02-02', '/ships?from=2024-01-01']);
    const wrong = await runToEnd(['run', config, '--state', left, '--state-format', 'airbyte']);
    expect(wrong.status).toBe(1);
  });
});
