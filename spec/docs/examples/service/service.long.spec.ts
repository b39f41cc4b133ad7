/** The example service with a NATS server and an API: dead letters, probes, traces, its end. */
import { setTimeout as delay } from 'node:timers/promises';
import { natsUrl } from '../../../support/nats-server';
import { itemsOf, linkPackage, World } from './support';

const withNats = natsUrl === undefined ? describe.skip : describe;
const reason = natsUrl === undefined ? ' (skipped: HEADWATER_TEST_NATS is not set)' : '';

const things = (key: string) => ({ configuration: 'things', parameters: { key } });
const expected = (tenant: string, key: string): readonly string[] =>
  itemsOf(tenant, key).map((id) => `${tenant}.things ${id}`);

withNats(`the example service${reason}`, () => {
  beforeAll(linkPackage);

  it('stores messages that cannot be met with the dead letters, and goes on with the others', async () => {
    const world = await World.make(['acme', 'bolt']);
    const service = await world.start();
    await world.ask('acme', 'no-json', '{');
    await world.ask('acme', 'unknown', { configuration: 'rapids' });
    await world.ask('acme', 'misfit', { configuration: 'things', parameters: { key: 7 } });
    await world.ask('acme', 'absent', { configuration: 'missing' });
    await world.ask('acme', 'good', things('7'));
    await world.ask('bolt', 'good of bolt', things('8'));
    await world.untilSettled();
    const dead = (await world.messages('dead')).map(({ subject, headers, text }) => [
      subject.slice(world.namespace.length),
      headers['Request-Id'],
      headers['Error-Code'],
      text,
    ]);
    expect(new Set(dead)).toEqual(
      new Set([
        ['.dead.acme', 'no-json', 'BAD_MESSAGE', '{'],
        ['.dead.acme', 'unknown', 'BAD_MESSAGE', '{"configuration":"rapids"}'],
        ['.dead.acme', 'misfit', 'CONFIG_INVALID', '{"configuration":"things","parameters":{"key":7}}'],
        ['.dead.acme', 'absent', 'API_STATUS', '{"configuration":"missing"}'],
      ]),
    );
    expect(new Set(await world.items())).toEqual(new Set([...expected('acme', '7'), ...expected('bolt', '8')]));
    expect(JSON.stringify(service.log) + service.errors).not.toContain('-secret');
    expect(await service.stop()).toBe(0);
  });

  it('publishes CloudEvents, and answers probes and Prometheus while it works', async () => {
    const world = await World.make(['acme']);
    world.slowness = () => 500;
    const service = await world.start();
    const get = async (path: string) => {
      const response = await fetch(`${service.origin}${path}`);
      return { status: response.status, text: await response.text() };
    };
    await world.ask('acme', 'm', things('3'));
    while (!world.requests.some(({ url }) => url.startsWith('/things'))) await delay(5);
    expect(await get('/healthz')).toEqual({ status: 200, text: '{"status":"alive"}' });
    expect(await get('/readyz')).toEqual({ status: 200, text: '{"status":"ready"}' });
    expect((await get('/metrics')).text).toMatch(/^service_runs_active\{.*\} 1$/m);
    await world.untilSettled();
    const { text } = await get('/metrics');
    expect(text).toMatch(/^service_messages_total\{tenant="acme",outcome="done".*\} 1$/m);
    expect(text).toMatch(/^headwater_items_total\{.*\} 5$/m);
    expect(text).toMatch(/^headwater_logins_total\{.*\} 1$/m);
    expect(text).toMatch(/^service_runs_active\{.*\} 0$/m);
    const [event] = await world.messages('items');
    expect(event?.headers).toMatchObject({
      'ce-specversion': '1.0',
      'ce-type': 'headwater.item.things',
      'ce-id': event?.id,
      'Headwater-Run': 'acme:m',
    });
    expect(await service.stop()).toBe(0);
  });

  it('goes on with the trace of a message, down to the requests', async () => {
    const world = await World.make(['acme']);
    const service = await world.start({ TRACES: 'console' });
    const traceId = '0af7651916cd43dd8448eb211c80319c';
    await world.ask('acme', 'm', things('3'), { traceparent: `00-${traceId}-b7ad6b7169203331-01` });
    await world.untilSettled();
    expect(await service.stop()).toBe(0);
    const sent = world.requests.map(({ headers }) => String(headers['traceparent']).split('-'));
    // The login, and two pages.
    expect(sent.map(([, trace]) => trace)).toEqual([traceId, traceId, traceId]);
    const spans = service.output.split(/^\}$/m).map((text) => ({
      name: /^ {2}name: '(.*)'/m.exec(text)?.[1] ?? '',
      id: /^ {2}id: '(.*)'/m.exec(text)?.[1],
      trace: /^ {2}traceId: '(.*)'/m.exec(text)?.[1],
      parent: /parentSpanContext: \{.*?spanId: '(\w+)'/s.exec(text)?.[1],
    }));
    const named = (name: string) => spans.find((span) => span.name === name);
    expect(named('extract')).toMatchObject({ trace: traceId, parent: 'b7ad6b7169203331' });
    expect(named('headwater.run')).toMatchObject({ trace: traceId, parent: named('extract')?.id });
    expect(named('job things')).toMatchObject({ trace: traceId, parent: named('headwater.run')?.id });
    const attempts = spans.filter(({ name }) => name === 'GET').map(({ id }) => id);
    expect(new Set(sent.slice(1).map(([, , span]) => span))).toEqual(new Set(attempts));
  });

  it('lets nobody wait behind a tenant whose API is slow', async () => {
    const world = await World.make(['slow', 'quick']);
    world.slowness = (tenant) => (tenant === 'slow' ? 60_000 : 3);
    const service = await world.start({ GRACE_SECONDS: '0' });
    for (const at of Array(10).keys()) await world.ask('slow', `slow-${at}`, things(`${at}`));
    for (const at of Array(10).keys()) await world.ask('quick', `quick-${at}`, things(`${at}`));
    while ((await world.waiting()) > 10) await delay(50);
    const quick = [...Array(10).keys()].flatMap((at) => expected('quick', `${at}`));
    expect(new Set(await world.items())).toEqual(new Set(quick));
    expect(await service.stop()).toBe(0);
  });

  it('at SIGTERM lets runs end, and takes no more messages', async () => {
    const world = await World.make(['acme']);
    world.slowness = () => 400;
    const service = await world.start({ CONCURRENCY_PER_TENANT: '1' });
    await world.ask('acme', 'first', things('3'));
    await world.ask('acme', 'second', things('4'));
    while (!world.requests.some(({ url }) => url.startsWith('/things'))) await delay(5);
    expect(await service.stop()).toBe(0);
    expect(await world.items()).toEqual(expected('acme', '3'));
    expect(await world.waiting()).toBe(1);
  });

  it('breaks off what takes longer than the grace time; it comes again at once, and goes on', async () => {
    const world = await World.make(['acme']);
    // The second page never comes.
    world.slowness = () => (world.requests.filter(({ url }) => url.startsWith('/things')).length > 1 ? 60_000 : 3);
    const first = await world.start({ GRACE_SECONDS: '0.2', ACK_WAIT_SECONDS: '60' });
    await world.ask('acme', 'm', things('3'));
    while ((await world.items().catch(() => [])).length < 3) await delay(20);
    expect(await first.stop()).toBe(0);
    expect(first.settled()).toMatchObject([{ message: 'm', msg: 'The service stops.' }]);
    world.slowness = () => 3;
    const before = world.requests.length;
    const second = await world.start({ ACK_WAIT_SECONDS: '60' });
    await world.untilSettled();
    expect(await world.items()).toEqual(expected('acme', '3'));
    // A login, and the second page alone.
    expect(world.requests.slice(before).map(({ url }) => url)).toEqual([
      '/session',
      expect.stringContaining('offset=3') as string,
    ]);
    expect(await second.stop()).toBe(0);
  });

  it('comes back later to an API that is down', async () => {
    const world = await World.make(['acme']);
    const service = await world.start({ RETRY_SECONDS: '0.1', API_URL: 'http://127.0.0.1:1' });
    await world.ask('acme', 'm', things('3'));
    while (service.settled().length === 0) await delay(50);
    await service.kill();
    expect(service.settled()).toMatchObject([{ message: 'm', code: 'NETWORK_CONNECT', level: 40 }]);
    expect(await world.messages('dead')).toEqual([]);
    expect(await world.waiting()).toBe(1);
  });
});
