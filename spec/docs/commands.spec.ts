/** Commands that pages show run as they stand. */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { json } from '../support/answers';
import { startServer } from '../support/api-server';
import { ROOT } from '../support/build';
import { runToEnd } from '../support/command';
import { newFolder } from '../support/opened';
import { fencesOf } from '../support/page-examples';
import { wordsOf } from '../support/shown-commands';
import { NEEDS_SQLITE } from '../support/sqlite';

const linesOf = (page: string): readonly string[] =>
  fencesOf(readFileSync(join(ROOT, page), 'utf8'))
    .filter(({ info }) => info === 'sh')
    .flatMap(({ text }) => text.split('\n'));

const before = process.cwd();
let close: () => Promise<void>;
let config: { readonly api: object; readonly config: object };
const write = (name: string, content: unknown): void => writeFileSync(name, JSON.stringify(content));
beforeAll(async () => {
  const orders = [{ id: 1, at: '2024-01-02' }];
  const server = await startServer(() => json(orders));
  close = () => server.close();
  config = { api: { baseUrl: server.origin }, config: { jobs: [{ endpoint: 'orders' }] } };
  process.chdir(newFolder());
  write('secrets.json', { url: server.origin });
  mkdirSync('source-orders');
  write('source-orders/manifest.yaml', {
    streams: [
      {
        ...{ type: 'DeclarativeStream', name: 'orders', primary_key: 'id' },
        retriever: {
          type: 'SimpleRetriever',
          requester: { type: 'HttpRequester', url_base: "{{ config['url'] }}", path: 'orders' },
          record_selector: { type: 'RecordSelector', extractor: { type: 'DpathExtractor', field_path: [] } },
        },
        incremental_sync: {
          ...{ type: 'DatetimeBasedCursor', cursor_field: 'at', datetime_format: '%Y-%m-%d' },
          ...{ start_datetime: '2024-01-01' },
          start_time_option: { type: 'RequestOption', field_name: 'from', inject_into: 'request_parameter' },
        },
        schema_loader: { type: 'InlineSchemaLoader', schema: { properties: { id: { type: 'integer' } } } },
      },
    ],
  });
  const descriptor = { name: 'orders' };
  write('state.json', [
    { type: 'STREAM', stream: { stream_descriptor: descriptor, stream_state: { at: '2024-01-01' } } },
  ]);
  const stream = { ...descriptor, json_schema: {}, supported_sync_modes: ['incremental'] };
  write('catalog.json', { streams: [{ stream, sync_mode: 'incremental', destination_sync_mode: 'append' }] });
});
afterAll(async () => {
  process.chdir(before);
  await close();
});

it.each(linesOf('docs/airbyte.md'))('docs/airbyte.md: %s', async (line) => {
  const { status, stdout, stderr } = await runToEnd(wordsOf(line));
  expect([status, status === 0 ? '' : stderr]).toEqual([0, '']);
  // Without a destination, or into lines, what comes is printed.
  if (!/csv:|duckdb:/.test(line)) expect(stdout).toMatch(/orders|2024/);
});

describe('the pages of destinations', () => {
  const pages = readdirSync(join(ROOT, 'docs/language/sinks')).map((name) => `docs/language/sinks/${name}`);

  it.each(pages.map((page) => [page, ...linesOf(page)] as const))('%s: %s', async (_, ...lines) => {
    expect(lines).toHaveLength(1);
    const words = wordsOf(lines[0] ?? '');
    const to = words.at(-1) ?? '';
    const checked = JSON.stringify({ ...config, config: { ...config.config, sinks: [to] } });
    process.chdir(newFolder());
    write('config.json', config);
    // Where a server or a package is needed, its address is checked.
    const isMissing = to.includes('://') || (to.startsWith('sqlite:') && NEEDS_SQLITE !== undefined);
    const ended = isMissing ? await runToEnd(['validate', '-'], checked) : await runToEnd(words);
    expect([ended.status, ended.status === 0 ? '' : ended.stderr]).toEqual([0, '']);
  });
});
