/** Streams of a manifest with windows and parents, of which the command is killed at any request: once resumed, they have the rows of an undisturbed run. */
import { readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { JsonObject } from '../../../src';
import { json } from '../../support/answers';
import { startServer } from '../../support/api-server';
import { startCommand } from '../../support/command';
import { newFolder } from '../../support/opened';

const option = (name: string): JsonObject => ({
  type: 'RequestOption',
  field_name: name,
  inject_into: 'request_parameter',
});

const WINDOWS: JsonObject = {
  incremental_sync: {
    type: 'DatetimeBasedCursor',
    cursor_field: 'at',
    datetime_format: '%Y-%m-%d',
    ...{ start_datetime: '2024-01-01', end_datetime: '2024-01-06', step: 'P2D', cursor_granularity: 'P1D' },
    ...{ start_time_option: option('from'), end_time_option: option('to') },
  },
};

interface Parts {
  readonly path?: string;
  readonly parent?: JsonObject;
  readonly more?: JsonObject;
}

const stream = (name: string, { path = name, parent, more = {} }: Parts = {}): JsonObject => ({
  type: 'DeclarativeStream',
  name,
  primary_key: 'id',
  retriever: {
    type: 'SimpleRetriever',
    requester: { type: 'HttpRequester', url_base: "{{ config['url'] }}", path },
    record_selector: { type: 'RecordSelector', extractor: { type: 'DpathExtractor', field_path: ['data'] } },
    paginator: {
      type: 'DefaultPaginator',
      pagination_strategy: { type: 'CursorPagination', cursor_value: '{{ response.next }}' },
      page_token_option: option('after'),
    },
    ...(parent === undefined
      ? {}
      : {
          partition_router: {
            type: 'SubstreamPartitionRouter',
            parent_stream_configs: [
              { type: 'ParentStreamConfig', stream: parent, parent_key: 'id', partition_field: 'above' },
            ],
          },
        }),
  },
  ...more,
});

const BELOW = '{{ stream_partition.above }}';
const rivers = stream('rivers');
const days = stream('days', { more: WINDOWS });
const gauges = stream('gauges', { path: `rivers/${BELOW}/gauges`, parent: rivers });
const STREAMS: readonly JsonObject[] = [
  days,
  gauges,
  stream('levels', { path: `rivers/${BELOW}/levels`, parent: rivers, more: WINDOWS }),
  stream('notes', { path: `days/${BELOW}/notes`, parent: days }),
  stream('repairs', { path: `gauges/${BELOW}/repairs`, parent: gauges }),
];

/** Two pages of two items each, whose ids depend on the request alone. */
function answer(url: string): ReturnType<typeof json> {
  const { pathname, searchParams } = new URL(url, 'http://h');
  const page = searchParams.get('after') ?? '1';
  const from = searchParams.get('from') ?? '2024-01-01';
  const place = `${pathname.replaceAll('/', '-')}-${from}-${page}`;
  const data = [1, 2].map((number) => ({ id: `${place}-${number}`, at: from }));
  return json({ data, ...(page === '1' ? { next: 'b' } : {}) });
}

const rowsIn = (folder: string): readonly string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.ndjson') && !entry.parentPath.includes('.headwater'))
    .flatMap((entry) => readFileSync(join(entry.parentPath, entry.name), 'utf8').split('\n').filter(Boolean))
    .sort();

describe('a stream of a manifest whose run is killed', () => {
  it.each(STREAMS.map(({ name }) => (typeof name === 'string' ? name : '')))(
    '%s has the same rows once it is resumed',
    async (name) => {
      let requests = 0;
      let until = Infinity;
      let kill = (): void => undefined;
      const server = await startServer(({ url }) => {
        requests += 1;
        if (requests === until) kill();
        return answer(url);
      });
      const folder = newFolder();
      writeFileSync(join(folder, 'manifest.yaml'), JSON.stringify({ streams: STREAMS }));
      writeFileSync(join(folder, 'config.json'), JSON.stringify({ url: server.origin }));
      const run = async (to: string, ...more: readonly string[]): Promise<number | null> => {
        const source = [`airbyte:${join(folder, 'manifest.yaml')}`, '--config', join(folder, 'config.json')];
        const started = startCommand(['run', ...source, '--stream', name, '--to', `ndjson:${to}`, ...more]);
        kill = () => void started.child.kill('SIGKILL');
        return (await started.ended()).status;
      };
      expect(await run(join(folder, 'whole'))).toBe(0);
      const [whole, all] = [rowsIn(join(folder, 'whole')), requests];
      expect(whole.length).toBeGreaterThan(10);
      for (const part of [0.2, 0.5, 0.9]) {
        const to = join(folder, `part-${part}`);
        requests = 0;
        until = Math.max(2, Math.floor(all * part));
        expect(await run(to)).toBeNull();
        until = Infinity;
        expect(await run(to, '--resume')).toBe(0);
        expect(rowsIn(to)).toEqual(whole);
      }
    },
    300_000,
  );
});
