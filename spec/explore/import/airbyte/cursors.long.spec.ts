/** States of streams that go on: nothing is missing behind any of them. */
import { airbyteStates, readMessages } from '../../../../src';
import type { JsonObject } from '../../../../src';
import { json } from '../../../support/answers';
import { startServer } from '../../../support/api-server';
import type { ApiServer } from '../../../support/api-server';

const NOW = Date.UTC(2024, 2, 5, 12);
const DAY = 86_400;
const START = Date.UTC(2024, 1, 1) / 1000;
const PAGE = 200;

const option = (name: string): JsonObject => ({
  type: 'RequestOption',
  field_name: name,
  inject_into: 'request_parameter',
});

const cursor = (more: JsonObject = {}): JsonObject => ({
  type: 'DatetimeBasedCursor',
  ...{
    cursor_field: 'at',
    datetime_format: '%s',
    start_datetime: '1706745600',
    end_datetime: '1709640000',
  },
  ...{ start_time_option: option('from'), end_time_option: option('to') },
  ...more,
});

const WINDOWS = { step: 'P10D', cursor_granularity: 'PT1S' };

const stream = (name: string, retriever: JsonObject = {}, more: JsonObject = {}): JsonObject => ({
  type: 'DeclarativeStream',
  name,
  retriever: {
    type: 'SimpleRetriever',
    requester: { type: 'HttpRequester', url_base: "{{ config['url'] }}", path: name },
    record_selector: { type: 'RecordSelector', extractor: { type: 'DpathExtractor', field_path: [] } },
    paginator: {
      type: 'DefaultPaginator',
      pagination_strategy: { type: 'PageIncrement', page_size: PAGE },
      page_token_option: option('page'),
    },
    ...retriever,
  },
  ...more,
});

const ofFleets = (more: JsonObject = {}): JsonObject => ({
  partition_router: {
    type: 'SubstreamPartitionRouter',
    parent_stream_configs: [
      {
        type: 'ParentStreamConfig',
        ...{ parent_key: 'id', partition_field: 'fleet', request_option: option('fleet') },
        ...more,
      },
    ],
  },
});

const fleets = stream('fleets', {}, { incremental_sync: cursor() });

const STREAMS: readonly (readonly [string, JsonObject])[] = [
  ['windows', stream('ships', {}, { incremental_sync: cursor(WINDOWS) })],
  [
    'a list of partitions with windows',
    stream(
      'ships',
      {
        partition_router: {
          type: 'ListPartitionRouter',
          ...{ cursor_field: 'fleet', values: ['1', '2', '3', '4'], request_option: option('fleet') },
        },
      },
      { incremental_sync: cursor(WINDOWS) },
    ),
  ],
  ['a parent', stream('ships', ofFleets({ stream: fleets }), { incremental_sync: cursor() })],
  [
    'a parent that goes on as well',
    stream('ships', ofFleets({ stream: fleets, incremental_dependency: true }), { incremental_sync: cursor(WINDOWS) }),
  ],
];

/** Times from the start of the streams to now, in no order. */
const timesOf = (count: number, seed: number): readonly number[] =>
  Array.from({ length: count }, (_, at) => START + (((at + seed) * 7_919) % 33) * DAY + ((at * 104_729) % DAY));

const FLEETS = timesOf(4, 3).map((at, id) => ({ id: id + 1, at }));
const SHIPS = ['', ...FLEETS.map(({ id }) => String(id))].flatMap((fleet) =>
  timesOf(fleet === '' ? 2_400 : 500, Number(fleet)).map((at, id) => ({ id: `${fleet}-${id}`, fleet, at })),
);

/** Answers as an API that has fleets and their ships, and knows spans of time and pages. */
const answerTo = (url: string): ReturnType<typeof json> => {
  const { pathname, searchParams } = new URL(url, 'http://ships');
  const number = (name: string, byDefault: number): number => Number(searchParams.get(name) ?? byDefault);
  const fleet = searchParams.get('fleet') ?? '';
  const all = pathname === '/fleets' ? FLEETS : SHIPS.filter((ship) => ship.fleet === fleet);
  const page = number('page', 0);
  return json(
    all
      .filter(({ at }) => at >= number('from', 0) && at <= number('to', Infinity))
      .slice(page * PAGE, (page + 1) * PAGE),
  );
};

describe('the states of a stream that goes on', () => {
  let server: ApiServer;
  beforeEach(async () => {
    server = await startServer(({ url }) => answerTo(url));
  });

  /** Reads a stream from a state on, and returns its records and states, in their order. */
  async function read(written: JsonObject, state: readonly JsonObject[] = [], mode = 'incremental') {
    const source = {
      ...{ manifest: { streams: [written] }, schemas: new Map(), config: { url: server.origin } },
      now: () => NOW,
    };
    const catalog = { streams: [{ stream: { name: 'ships' }, sync_mode: mode }] };
    const read: (string | JsonObject)[] = [];
    for await (const message of readMessages(source, catalog, airbyteStates([...state]))) {
      const lines = message instanceof Uint8Array ? Buffer.from(message).toString().trim().split('\n') : [];
      for (const line of lines) read.push((JSON.parse(line) as { record: { data: { id: string } } }).record.data.id);
      if (!(message instanceof Uint8Array) && message['type'] === 'STATE') read.push(message['state'] as JsonObject);
    }
    return read;
  }
  const idsIn = (read: readonly (string | JsonObject)[]): readonly string[] =>
    read.filter((each) => typeof each === 'string');

  it.each(STREAMS)(
    'of a stream with %s have all records before them',
    async (_, written) => {
      const whole = await read(written);
      const states = whole.flatMap((each, at) => (typeof each === 'string' ? [] : [at]));
      expect(states.length).toBeGreaterThan(1);
      expect(states.at(-1)).toBe(whole.length - 1);
      for (const at of [states[0] ?? 0, states.at(-2) ?? 0]) {
        const rest = await read(written, [whole[at] as JsonObject]);
        expect(new Set(idsIn([...whole.slice(0, at), ...rest]))).toEqual(new Set(idsIn(whole)));
        expect(idsIn(rest).length).toBeLessThan(idsIn(whole).length);
      }
      const counts = states.map(
        (at) => ((whole[at] as JsonObject)['sourceStats'] as { recordCount: number }).recordCount,
      );
      expect(counts.reduce((sum, count) => sum + count)).toBe(idsIn(whole).length);
    },
    300_000,
  );

  it('are left out where the stream is read from its start in any case', async () => {
    const [, windows] = STREAMS[0] ?? ['', {}];
    expect((await read(windows, [], 'full_refresh')).filter((each) => typeof each !== 'string')).toHaveLength(1);
  });

  it.each([
    ['one call', stream('ships', {}, { incremental_sync: cursor() })],
    [
      'one cursor for all partitions',
      stream('ships', ofFleets({ stream: fleets }), { incremental_sync: cursor({ global_substream_cursor: true }) }),
    ],
  ])('are one, at the end, for a stream with %s', async (_, written) => {
    expect((await read(written)).filter((each) => typeof each !== 'string')).toHaveLength(1);
  });
});
