/** States of Airbyte: read, and written after a run. */
import { lastValueFrom, toArray } from 'rxjs';
import { airbyteStates, extract, fromAirbyte, isAirbyteState, stateFromAirbyte, stateToAirbyte } from '../../../../src';
import type { JsonObject } from '../../../../src';
import { json } from '../../../support/answers';
import { startServer } from '../../../support/api-server';

const NOW = Date.UTC(2024, 2, 5, 12);

const option = (name: string): JsonObject => ({
  type: 'RequestOption',
  field_name: name,
  inject_into: 'request_parameter',
});
const retrieverOf = (path: string, more: JsonObject = {}): JsonObject => ({
  type: 'SimpleRetriever',
  requester: { type: 'HttpRequester', url_base: "{{ config['url'] }}", path },
  record_selector: { type: 'RecordSelector', extractor: { type: 'DpathExtractor', field_path: [] } },
  ...more,
});
const CURSOR: JsonObject = {
  type: 'DatetimeBasedCursor',
  cursor_field: 'at',
  datetime_format: '%s',
  start_datetime: { type: 'MinMaxDatetime', datetime: '2024-03-01', datetime_format: '%Y-%m-%d' },
  start_time_option: option('from'),
};
const FLEETS: JsonObject = { type: 'DeclarativeStream', name: 'fleets', retriever: retrieverOf('fleets') };
const parentOf = (stream: JsonObject, more: JsonObject = {}): JsonObject => ({
  partition_router: {
    type: 'SubstreamPartitionRouter',
    parent_stream_configs: [
      { type: 'ParentStreamConfig', parent_key: 'id', partition_field: 'fleet', stream, ...more },
    ],
  },
});
const shipsOf = (router: JsonObject, cursor: JsonObject = {}): JsonObject => ({
  type: 'DeclarativeStream',
  name: 'ships',
  incremental_sync: { ...CURSOR, ...cursor },
  retriever: retrieverOf('fleets/{{ stream_partition.fleet }}/ships', router),
});

const message = (name: string, stream_state: JsonObject): JsonObject => ({
  type: 'STREAM',
  stream: { stream_descriptor: { name }, stream_state },
});

/** Runs a stream on from a state; returns the requests, and the state after it. */
async function runFrom(stream: JsonObject, state: readonly JsonObject[]) {
  const server = await startServer(({ url }) => {
    if (/^\/fleets(\?|$)/.test(url))
      return json([
        { id: 'a', at: 1709600000 },
        { id: 'b', at: 1709500000 },
      ]);
    return json(
      url.includes('/b/')
        ? []
        : [
            { id: 1, at: 1709580000 },
            { id: 2, at: 1709570000 },
          ],
    );
  });
  const states = airbyteStates(state);
  const made = fromAirbyte({ streams: [stream] }, { url: server.origin }, { now: NOW, states });
  expect(made.leftOut).toEqual([]);
  const events = await lastValueFrom(
    extract(made.configuration, { state: stateFromAirbyte(states, made.cursors) }).pages$.pipe(toArray()),
  );
  const cursors: Record<string, Record<string, string>> = {};
  for (const { job, cursor } of events)
    if (cursor !== undefined) (cursors[job.id] ??= {})[cursor.parent] = cursor.value as string;
  const left = stateToAirbyte({ 'headwater.cursors': cursors }, made, states);
  return { urls: server.requests.map(({ url }) => url), left };
}

describe('a state of Airbyte', () => {
  it('is a message STREAM or GLOBAL, wrapped or not, or a list of them', () => {
    const stream = message('ships', { at: '1' });
    expect([[], [stream], stream, { type: 'STATE', state: stream }].map(isAirbyteState)).toEqual([
      true,
      true,
      true,
      true,
    ]);
    expect([{}, { time: { previousStart: 1 } }, 'x', null].map(isAirbyteState)).toEqual([false, false, false, false]);
    const global = { type: 'GLOBAL', global: { stream_states: [stream['stream'] ?? null] } };
    expect([...airbyteStates(global)]).toEqual([['ships', { at: '1' }]]);
    expect(() => airbyteStates(['x'])).toThrow('something that is no object');
  });

  it('is the cursor of a stream', async () => {
    const stream = { ...FLEETS, incremental_sync: CURSOR };
    const { urls, left } = await runFrom(stream, [message('fleets', { at: '1709560000' }), message('other', { n: 1 })]);
    expect(urls).toEqual(['/fleets?from=1709560000']);
    expect(left).toEqual([message('fleets', { at: '1709600000' }), message('other', { n: 1 })]);
  });

  it('never begins before the start of the stream, and is that start where nothing has come', async () => {
    const stream = { ...shipsOf({}), name: 'none', retriever: retrieverOf('x/b/ships') };
    const { urls, left } = await runFrom(stream, [message('none', { at: '1' })]);
    expect(urls).toEqual(['/x/b/ships?from=1709251200']);
    expect(left).toEqual([message('none', { at: '1709251200' })]);
  });

  it('has a cursor for each partition, and one for the others', async () => {
    const state = {
      states: [{ partition: { fleet: 'a', parent_slice: {} }, cursor: { at: '1709560000' } }],
      state: { at: '1709561000' },
      lookback_window: 1000,
    };
    const { urls, left } = await runFrom(shipsOf(parentOf(FLEETS, { extra_fields: [['at']] })), [
      message('ships', state),
    ]);
    expect(urls).toEqual(['/fleets', '/fleets/a/ships?from=1709560000', '/fleets/b/ships?from=1709560000']);
    expect(left).toEqual([
      message('ships', {
        use_global_cursor: false,
        states: [{ partition: { fleet: 'a', parent_slice: {} }, cursor: { at: '1709580000' } }],
        state: { at: '1709580000' },
        lookback_window: 0,
        parent_state: {},
      }),
    ]);
  });

  it('has one cursor for all partitions, and that of the parent', async () => {
    const parent = parentOf({ ...FLEETS, incremental_sync: CURSOR }, { incremental_dependency: true });
    const state = {
      use_global_cursor: true,
      state: { at: '1709561000' },
      parent_state: { fleets: { at: '1709562000' } },
    };
    const { urls, left } = await runFrom(shipsOf(parent, { global_substream_cursor: true }), [message('ships', state)]);
    expect(urls).toEqual([
      ...['/fleets?from=1709562000', '/fleets/a/ships?from=1709561000', '/fleets/b/ships?from=1709561000'],
    ]);
    expect(left).toEqual([
      message('ships', {
        use_global_cursor: true,
        state: { at: '1709580000' },
        lookback_window: 0,
        parent_state: { fleets: { at: '1709600000' } },
      }),
    ]);
  });

  it('chooses the retriever of a stream that has two', async () => {
    const stream: JsonObject = {
      type: 'StateDelegatingStream',
      name: 'fleets',
      full_refresh_stream: { ...FLEETS, incremental_sync: CURSOR },
      incremental_stream: { ...FLEETS, retriever: retrieverOf('events'), incremental_sync: CURSOR },
    };
    expect((await runFrom(stream, [])).urls).toEqual(['/fleets?from=1709251200']);
    const resumed = await runFrom(stream, [message('fleets', { at: '1709560000' })]);
    expect(resumed.urls).toEqual(['/events?from=1709560000']);
  });

  it('is refused where its date cannot be read', () => {
    const made = fromAirbyte(
      { streams: [{ ...FLEETS, incremental_sync: CURSOR }] },
      { url: 'https://h' },
      { now: NOW },
    );
    const states = airbyteStates([message('fleets', { at: 'soon' })]);
    expect(() => stateFromAirbyte(states, made.cursors)).toThrow('fleets: "soon" is no date in the format "%s"');
  });
});
