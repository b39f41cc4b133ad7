/** What `deliver` asks of sinks, and tells its caller, at every end of a run (docs/sinks.md). */
import { deliver } from '../../src';
import type { DurableSink, JsonObject, RunEvent } from '../../src';
import type { Standing } from '../../src/core/durable-sink';
import type { Checkpoint } from '../../src/core/model';
import { fingerprintOf } from '../../src/language/configuration/fingerprint';
import { exampleAt } from './extensions/examples';
import { json } from '../support/answers';
import { startServer } from '../support/api-server';
import type { ApiServer, Handler } from '../support/api-server';

let server: ApiServer | undefined;
afterEach(async () => {
  await server?.close();
  server = undefined;
});

/** A configuration with one job, of an API with one page of items. */
async function listing(job: object = {}, answer: Handler = () => json([{ id: 1 }])) {
  server = await startServer(answer);
  return { api: { baseUrl: server.origin }, config: { jobs: [{ endpoint: 'items', ...job }] } };
}

/** A sink in memory, which tells what it was asked to do. */
function memory(changes: Partial<DurableSink> = {}, standing: Standing = { state: {} }) {
  const calls: string[] = [];
  const states: JsonObject[] = [];
  const sink: DurableSink = {
    name: 'memory',
    open: () => Promise.resolve(standing),
    begin: () => Promise.resolve(void calls.push('begin')),
    write: ({ count }) => Promise.resolve(void calls.push(`write ${count}`)),
    commit: (state) => {
      calls.push('commit');
      states.push(state);
      return Promise.resolve([]);
    },
    close: () => Promise.resolve(void calls.push('close')),
    ...changes,
  };
  return { calls, states, sink, destination: () => sink };
}

/** Hears warnings by their codes. */
function hearing() {
  const codes: string[] = [];
  const onEvent = (event: RunEvent): void => {
    if (event.type === 'warning') codes.push(event.code);
  };
  return { codes, onEvent };
}

describe('without a destination', () => {
  it('nothing would be requested, which is no complete run: it is refused', async () => {
    const config = await listing();
    await expect(deliver(config, [])).rejects.toMatchObject({
      code: 'CONFIG_INVALID',
      message: expect.stringContaining('destinations: expected at least one destination') as string,
    });
  });
});

describe('deliver closes its sinks', () => {
  it('after the commit; one that cannot be closed keeps no other from it, and does not undo the run', async () => {
    const stuck = memory({ close: () => Promise.reject(new Error('stuck')) });
    const other = memory();
    const { outcome } = await deliver(await listing(), [stuck.destination, other.destination]);
    expect(outcome).toBe('complete');
    expect(other.calls).toEqual(['begin', 'write 1', 'commit', 'close']);
  });

  it.each([
    ['opened', 'open', ['close']],
    ['begun', 'begin', ['begin', 'close']],
    ['written to', 'write', ['begin', 'write 1', 'close']],
    ['committed', 'commit', ['begin', 'write 1', 'commit', 'close']],
  ])('when one of them cannot be %s; the error is the one of the sink', async (_, call, calls) => {
    const sound = memory();
    const broken = memory({ [call]: () => Promise.reject(new Error('broken')) });
    const run = deliver(await listing(), [sound.destination, broken.destination]);
    await expect(run).rejects.toThrow('broken');
    expect(sound.calls).toEqual(calls);
    expect(broken.calls.at(-1)).toBe('close');
  });

  it('and has no part in a run that fails', async () => {
    const { calls, destination } = memory();
    await expect(deliver(await listing({}, () => json({}, 404)), [destination])).rejects.toThrow('404');
    expect(calls).toEqual(['begin', 'close']);
  });
});

describe('deliver and a sink whose run is damaged', () => {
  const damaged = { state: {}, damage: new Error('torn') };

  it('does not go on with it', async () => {
    const { calls, destination } = memory({}, damaged);
    await expect(deliver(await listing(), [destination], { resume: true })).rejects.toThrow('torn');
    expect(calls).toEqual(['close']);
    expect(server?.requests).toEqual([]);
  });

  it('begins another where nobody asks to go on, and says so', async () => {
    const { calls, destination } = memory({}, damaged);
    const { codes, onEvent } = hearing();
    await deliver(await listing(), [destination], { onEvent });
    expect(calls).toEqual(['begin', 'write 1', 'commit', 'close']);
    expect(codes).toEqual(['RUN_DROPPED']);
  });
});

describe('deliver, when one sink has committed the run and another has not', () => {
  it('commits it there, with nothing requested again, and tells of all jobs', async () => {
    const config = await listing({ id: 'j' });
    const done = memory({}, { state: {}, finished: 'run-1' });
    const head = { id: 'run-1', fingerprint: fingerprintOf(config), startedAt: 5, previousStart: 0 };
    const last: Checkpoint = { call: [0, 0], job: 'j', pages: 1, items: 1, volume: 0 };
    const behind = memory(
      { name: 'behind' },
      {
        state: {},
        unfinished: {
          manifest: head,
          async *checkpoints() {
            yield await Promise.resolve(last);
          },
        },
      },
    );
    const result = await deliver(config, [done.destination, behind.destination], { resume: true });
    expect(server?.requests).toEqual([]);
    expect([done.calls, behind.calls]).toEqual([['close'], ['commit', 'close']]);
    expect(result).toMatchObject({ stored: [{ sink: 'behind' }], resumedPages: 1, outcome: 'complete' });
    expect(result.jobs).toMatchObject([{ endpoint: 'items' }]);
    expect(result.state).toMatchObject({ time: { previousStart: 5 } });
  });
});

describe('deliver tells its caller', () => {
  it('what logins gave to keep, in the state too; the sinks do not get it', async () => {
    const { states, destination } = memory();
    const kept: JsonObject[] = [];
    server = await startServer(({ url }) =>
      url === '/oauth/token'
        ? json({ access_token: 'a', expires_in: 60, refresh_token: 'rotated' })
        : json([{ id: 1 }]),
    );
    const config = exampleAt(server.origin, 'kept-credentials.json') as unknown as JsonObject;
    const credentials = [{ '#login': expect.any(String) as string, values: { '#refreshToken': 'rotated' } }];
    const { state } = await deliver(config, [destination], {
      state: { mine: 1 },
      onCredentials: (next) => void kept.push(next),
    });
    expect(kept).toEqual([{ mine: 1, 'headwater.credentials': credentials }]);
    expect(state).toMatchObject({ mine: 1, 'headwater.credentials': credentials });
    expect((await deliver(config, [destination])).state).toMatchObject({ 'headwater.credentials': credentials });
    expect(states).toHaveLength(2);
    expect(JSON.stringify(states)).not.toContain('rotated');
  });

  it('what a sink has kept for itself', async () => {
    const { destination } = memory({ kept: () => ({ mine: { columns: 2 } }) });
    const { state } = await deliver(await listing(), [destination], { state: { mine: { a: 1 } } });
    expect(state.mine).toEqual({ a: 1, columns: 2 });
  });

  it('that a destination would lose something, as a warning; where warnings are errors, nothing is requested', async () => {
    const { calls, destination } = memory({ makes: 'tables' });
    const { codes, onEvent } = hearing();
    const config = await listing({ params: { since: { time: 'previousStart' } } });
    await deliver(config, [destination], { onEvent });
    await deliver(config, [destination]);
    expect(codes).toEqual(['CONFIGURATION']);
    calls.length = 0;
    const strict = deliver(config, [destination], { strict: true });
    await expect(strict).rejects.toMatchObject({ code: 'WARNINGS' });
    expect(calls).toEqual([]);
    expect(server?.requests).toHaveLength(2);
  });

  it('that a run is incomplete which is committed all the same; nobody need hear it', async () => {
    const { calls, destination } = memory();
    const { codes, onEvent } = hearing();
    const config = await listing({ dataField: 'item' }, () => json({ items: [{ id: 1 }], next: null }));
    await deliver(config, [destination], { acceptIncomplete: true, onEvent });
    expect(codes).toContain('INCOMPLETE');
    await expect(deliver(config, [destination], { acceptIncomplete: true })).resolves.toMatchObject({
      outcome: 'incomplete',
    });
    await expect(deliver(config, [destination])).rejects.toMatchObject({ code: 'INCOMPLETE' });
    expect(calls.filter((call) => call === 'commit')).toHaveLength(2);
  });

  it('nothing where nobody listens: a field that no item has is no error', async () => {
    const { destination } = memory();
    const config = await listing({ incremental: { field: 'at', param: 'since' } });
    const incremental = { ...config, config: { ...config.config, incrementalOutput: true } };
    await expect(deliver(incremental, [destination])).resolves.toMatchObject({ outcome: 'complete' });
  });

  it('nothing of unknown keys where it is asked to be lenient', async () => {
    const { destination } = memory();
    const config = await listing({ methode: 'POST' });
    await expect(deliver(config, [destination])).rejects.toMatchObject({ code: 'CONFIG_INVALID' });
    await expect(deliver(config, [destination], { lenient: true })).resolves.toMatchObject({ outcome: 'complete' });
  });
});
