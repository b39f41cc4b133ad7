/** The protocol of Airbyte's connectors, spoken by the command to a server. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { JsonObject } from '../../src';
import { bytes, json } from '../support/answers';
import { startServer } from '../support/api-server';
import { runApart, runToEnd, startCommand } from '../support/command';
import { newFolder } from '../support/opened';

const stream = (name: string, more: JsonObject = {}): JsonObject => ({
  type: 'DeclarativeStream',
  name,
  primary_key: 'id',
  retriever: {
    type: 'SimpleRetriever',
    requester: {
      type: 'HttpRequester',
      url_base: "{{ config['url'] }}",
      path: name,
      authenticator: { type: 'BearerAuthenticator', api_token: "{{ config['key'] }}" },
    },
    record_selector: { type: 'RecordSelector', extractor: { type: 'DpathExtractor', field_path: [] } },
  },
  schema_loader: { type: 'InlineSchemaLoader', schema: { type: 'object', properties: { id: { type: 'integer' } } } },
  ...more,
});

const MANIFEST: JsonObject = {
  check: { type: 'CheckStream', stream_names: ['ships'] },
  streams: [
    stream('ships', {
      incremental_sync: {
        type: 'DatetimeBasedCursor',
        cursor_field: 'at',
        datetime_format: '%Y-%m-%d',
        start_datetime: '2024-01-01',
        start_time_option: { type: 'RequestOption', field_name: 'from', inject_into: 'request_parameter' },
      },
    }),
    stream('ports'),
    { ...stream('boats'), retriever: { type: 'CustomRetriever' } },
  ],
  spec: {
    type: 'Spec',
    documentation_url: 'https://docs.example',
    connection_specification: {
      type: 'object',
      required: ['url', 'key'],
      properties: { url: { type: 'string' }, key: { type: 'string', airbyte_secret: true } },
    },
  },
};

const SECRET = 'k-42-very-secret';

/** Starts a server, and writes the files of a source for it. */
async function source(answer: (url: string) => ReturnType<typeof json>) {
  const server = await startServer(({ url }) => answer(url));
  const folder = newFolder();
  const file = (name: string, content: unknown): string => {
    writeFileSync(join(folder, name), JSON.stringify(content));
    return join(folder, name);
  };
  const manifest = ['--manifest', file('manifest.yaml', MANIFEST)];
  const config = ['--config', file('config.json', { url: server.origin, key: SECRET })];
  const catalog = (...names: readonly string[]): readonly string[] => [
    '--catalog',
    file('catalog.json', { streams: names.map((name) => ({ stream: { name }, sync_mode: 'incremental' })) }),
  ];
  const run = async (...words: readonly string[]) => {
    const { status, stdout, stderr } = await runToEnd(['airbyte', ...words]);
    const messages = stdout
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line) as JsonObject);
    return { status, stdout, stderr, messages };
  };
  return { server, file, manifest, config, catalog, run };
}

/** Returns what matters of messages: no times. */
const shown = (messages: readonly JsonObject[]): readonly unknown[] =>
  messages.map((message) => {
    const { type, record, trace, state } = message as Record<string, JsonObject>;
    if (record !== undefined) return [record['stream'], record['data']];
    if (state !== undefined) return ['STATE', (state['stream'] as JsonObject)['stream_state'], state['sourceStats']];
    const { stream_status, error } = trace ?? {};
    if (stream_status !== undefined) return (stream_status as JsonObject)['status'];
    return error === undefined ? type : ['ERROR', (error as JsonObject)['failure_type']];
  });

describe('headwater airbyte', () => {
  it('spec prints the specification', async () => {
    const { run, manifest } = await source(() => json([]));
    const { status, messages } = await run('spec', ...manifest);
    expect(messages).toMatchObject([
      {
        type: 'SPEC',
        spec: { documentationUrl: 'https://docs.example', connectionSpecification: { required: ['url', 'key'] } },
      },
    ]);
    expect(status).toBe(0);
  });

  it('check requests a page of the streams of the check', async () => {
    const { server, run, manifest, config } = await source(() => json([{ id: 1 }]));
    const { status, messages } = await run('check', ...manifest, ...config);
    expect(messages).toEqual([{ type: 'CONNECTION_STATUS', connectionStatus: { status: 'SUCCEEDED' } }]);
    expect(status).toBe(0);
    expect(server.requests.map(({ url }) => url)).toEqual(['/ships?from=2024-01-01']);
  });

  it('check says what fails, without secrets', async () => {
    const { run, manifest, config, file } = await source(() => json({ error: `no key ${SECRET}` }, 401));
    const refused = await run('check', ...manifest, ...config);
    expect(refused.messages).toMatchObject([{ type: 'CONNECTION_STATUS', connectionStatus: { status: 'FAILED' } }]);
    expect(refused.stdout).toContain('401');
    expect(refused.stdout + refused.stderr).not.toContain(SECRET);
    const lacking = await run('check', ...manifest, '--config', file('less.json', { url: 'x' }));
    expect(lacking.stdout).toContain('The configuration lacks key');
    expect(lacking.status).toBe(0);
  });

  it('says what a configuration has to have where nothing can be translated without it', async () => {
    const { file } = await source(() => json([]));
    const dated = {
      type: 'DatetimeBasedCursor',
      ...{ cursor_field: 'at', datetime_format: '%Y-%m-%d', start_datetime: "{{ config['start'] }}" },
      start_time_option: { type: 'RequestOption', field_name: 'from', inject_into: 'request_parameter' },
    };
    const specified = { connection_specification: { type: 'object', required: ['start'], properties: {} } };
    const place = file('dated.yaml', { streams: [stream('ships', { incremental_sync: dated })], spec: specified });
    const { status, stderr } = await runToEnd(['import', `airbyte:${place}`]);
    expect(stderr).toContain(`airbyte:${place} needs start in its configuration: name the file by --config.`);
    expect(status).toBe(1);
  });

  it('discover prints the streams that can be read', async () => {
    const { run, manifest, config } = await source(() => json([]));
    const { messages } = await run('discover', ...manifest, ...config);
    expect(messages).toMatchObject([
      {
        type: 'CATALOG',
        catalog: {
          streams: [
            {
              name: 'ships',
              json_schema: { properties: { id: { type: 'integer' } } },
              supported_sync_modes: ['full_refresh', 'incremental'],
              default_cursor_field: ['at'],
              source_defined_primary_key: [['id']],
            },
            { name: 'ports', supported_sync_modes: ['full_refresh'] },
          ],
        },
      },
    ]);
  });

  it('read prints records as they are, and a state after those that it covers', async () => {
    const answers = (url: string) =>
      url.startsWith('/ships') ? bytes('[{"id":12345678901234567890,"at":"2024-02-03"}]') : json([{ id: 2 }]);
    const { server, run, manifest, config, catalog, file } = await source(answers);
    const state = file('state.json', [
      { type: 'STREAM', stream: { stream_descriptor: { name: 'ships' }, stream_state: { at: '2024-02-01' } } },
    ]);
    const { status, messages, stdout } = await run(
      'read',
      ...manifest,
      ...config,
      ...catalog('ships', 'ports'),
      '--state',
      state,
    );
    expect(shown(messages)).toEqual([
      'STARTED',
      'RUNNING',
      ['ships', { id: Number('12345678901234567890'), at: '2024-02-03' }],
      ['STATE', { at: '2024-02-03' }, { recordCount: 1 }],
      'COMPLETE',
      'STARTED',
      'RUNNING',
      ['ports', { id: 2 }],
      ['STATE', { __ab_no_cursor_state_message: true }, { recordCount: 1 }],
      'COMPLETE',
    ]);
    expect(stdout).toContain('"id":12345678901234567890,');
    expect(server.requests.map(({ url }) => url)).toEqual(['/ships?from=2024-02-01', '/ports']);
    expect(status).toBe(0);
  });

  it('read goes on behind a stream that fails, and ends with status 1', async () => {
    const answers = (url: string) => (url.startsWith('/ships') ? json({ no: SECRET }, 403) : json([{ id: 2 }]));
    const { run, manifest, config, catalog } = await source(answers);
    const all = catalog('ships', 'boats', 'ports');
    const { status, messages, stdout, stderr } = await run('read', ...manifest, ...config, ...all);
    expect(shown(messages)).toEqual([
      ...['STARTED', ['ERROR', 'system_error'], 'INCOMPLETE'],
      ...['STARTED', ['ERROR', 'config_error'], 'INCOMPLETE'],
      ...['STARTED', 'RUNNING', ['ports', { id: 2 }]],
      ['STATE', { __ab_no_cursor_state_message: true }, { recordCount: 1 }],
      'COMPLETE',
    ]);
    expect(stdout + stderr).not.toContain(SECRET);
    expect(status).toBe(1);
  });

  /** Streams `ports` of the ships 1 to 4, of which the API does not know the second and the fourth. */
  const substreams = async () => {
    const made = await source((url) => {
      if (url.startsWith('/ships')) return json([{ id: 1 }, { id: 2 }, { id: 3 }, { id: 4 }]);
      return /ship=[24]$/.test(url) ? json({ error: 'no such ship' }, 404) : json([{ id: url }]);
    });
    const { retriever, ...others } = stream('ports');
    const router = {
      type: 'SubstreamPartitionRouter',
      parent_stream_configs: [
        {
          type: 'ParentStreamConfig',
          ...{ stream: stream('ships'), parent_key: 'id', partition_field: 'ship' },
          request_option: { type: 'RequestOption', field_name: 'ship', inject_into: 'request_parameter' },
        },
      ],
    };
    const ports = { ...others, retriever: { ...(retriever as JsonObject), partition_router: router } };
    return { ...made, manifest: made.file('substreams.yaml', { ...MANIFEST, streams: [ports] }) };
  };

  it('read has the records of all parents but those that the API refuses, says how many, and is then incomplete', async () => {
    const { manifest, config, file } = await substreams();
    const catalog = file('catalog.json', { streams: [{ stream: { name: 'ports' }, sync_mode: 'full_refresh' }] });
    const flags = ['--manifest', manifest, ...config, '--catalog', catalog];
    const { status, stdout } = await runToEnd(['airbyte', 'read', ...flags]);
    expect(status).toBe(1);
    expect(stdout).toContain('/ports?ship=1');
    expect(stdout).toContain('/ports?ship=3');
    expect(stdout).toMatch(/2 calls failed, the first one so: [^"]*404/);
    expect(stdout).toContain('"status":"INCOMPLETE"');
    expect(stdout).not.toContain('"status":"COMPLETE"');
  });

  // A run that is resumed would not know that the records of one parent are missing.
  it('run ends where the API refuses one parent', async () => {
    const { manifest, config } = await substreams();
    const { status, stderr } = await runToEnd(['run', `airbyte:${manifest}`, ...config, '--to', 'ndjson:-']);
    expect(status).toBe(1);
    expect(stderr).toContain('[404]');
  });

  it('read that is killed has printed states behind which nothing is missing', async () => {
    const days = Array.from({ length: 40 }, (_, at) => new Date(Date.UTC(2024, 0, 1 + at)).toISOString().slice(0, 10));
    let kill = (): void => undefined;
    const { config, file } = await source((url) => {
      const { searchParams } = new URL(url, 'http://ships');
      const [from = '', to = ''] = ['from', 'to'].map((name) => searchParams.get(name) ?? '');
      if (from === days[30]) kill();
      const ids = Array.from({ length: 100 }, (_, at) => at);
      return json(
        days.filter((day) => day >= from && day <= to).flatMap((at) => ids.map((id) => ({ id: `${at} ${id}`, at }))),
      );
    });
    const option = (name: string): JsonObject => ({ field_name: name, inject_into: 'request_parameter' });
    const cursor = {
      ...{
        type: 'DatetimeBasedCursor',
        cursor_field: 'at',
        datetime_format: '%Y-%m-%d',
        step: 'P1D',
        cursor_granularity: 'P1D',
      },
      ...{ start_datetime: days[0] ?? '', end_datetime: days.at(-1) ?? '' },
      ...{ start_time_option: option('from'), end_time_option: option('to') },
    };
    const manifest = file('windows.yaml', { ...MANIFEST, streams: [stream('ships', { incremental_sync: cursor })] });
    const catalog = file('catalog.json', { streams: [{ stream: { name: 'ships' }, sync_mode: 'incremental' }] });
    const flags = ['airbyte', 'read', '--manifest', manifest, ...config, '--catalog', catalog];
    const started = startCommand(flags);
    kill = () => void started.child.kill('SIGKILL');
    const killed = await started.ended();
    expect(killed.status).toBeNull();
    kill = () => undefined;
    const lines = killed.stdout.split('\n').slice(0, -1);
    const last = lines.findLastIndex((line) => line.startsWith('{"type":"STATE"'));
    const state = file('left.json', [(JSON.parse(lines[last] ?? '') as JsonObject)['state']]);
    const resumed = await runToEnd([...flags, '--state', state]);
    expect(resumed.status).toBe(0);
    const idsIn = (printed: readonly string[]): readonly string[] =>
      printed.flatMap((line) => /"data":\{"id":"([^"]*)"/.exec(line)?.[1] ?? []);
    const [before, after] = [idsIn(lines.slice(0, last)), idsIn(resumed.stdout.split('\n'))];
    expect(before.length).toBeGreaterThan(0);
    expect(after.length).toBeLessThan(40 * 100);
    expect(new Set([...before, ...after]).size).toBe(40 * 100);
  });

  it('read waits for a slow reader, as often as it has to, with no word of it', async () => {
    const { manifest, config, catalog } = await source(() =>
      json([{ id: 1, at: '2024-01-02', text: 'x'.repeat(1_000_000) }]),
    );
    const names = Array.from({ length: 20 }, () => 'ports');
    const read = await runApart(['airbyte', 'read', ...manifest, ...config, ...catalog(...names)]);
    expect(read.stderr).toBe('');
    expect(read.stdout.match(/"type":"RECORD"/g)).toHaveLength(20);
    expect(read.status).toBe(0);
  });

  it('has an error as a message where there is no manifest', async () => {
    const { run } = await source(() => json([]));
    const { status, messages } = await run('spec', '--manifest', 'no/such/folder');
    expect(shown(messages)).toEqual([['ERROR', 'config_error']]);
    expect(status).toBe(1);
  });
});
