import { DiscardPolicy } from '@nats-io/jetstream';
import { randomUUID } from 'node:crypto';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { deliver } from '../../../src';
import { parseJson } from '../../../src/core/json/parse';
import type { DurableSink, RunManifest } from '../../../src/core/durable-sink';
import type { Checkpoint, Item, Page } from '../../../src/core/model';
import { fileJournal } from '../../../src/sinks/journal/file-journal';
import { checkedText } from '../../../src/sinks/files/checksum';
import { natsSink as nats } from '../../../src/sinks/nats';
import { canStartNats, NatsProbe, natsUrl, startNatsServer } from '../../support/nats-server';
import type { PrivateServer } from '../../support/nats-server';
import { aPage } from '../../support/pages';

const withServer = natsUrl === undefined ? describe.skip : describe;
const withOwnServer = canStartNats ? describe : describe.skip;
const reason = natsUrl === undefined ? ' (skipped: HEADWATER_TEST_NATS is not set)' : '';
const ownReason = canStartNats ? '' : ' (skipped: there is no nats-server)';

jest.setTimeout(120_000);

const head: RunManifest = { id: 'run-1', fingerprint: 'f', startedAt: 1_700_000_000, previousStart: 0 };

function page(pages: number, items: readonly Item[], changes: Partial<Checkpoint> = {}, dataType = 'user'): Page {
  const job = { id: 'j', path: 'config.jobs[0]', endpoint: 'users', dataType };
  const checkpoint = { call: [0, 0], job: 'j', pages, items: items.length, volume: 0, ...changes };
  return aPage(items, { index: pages - 1, job, checkpoint });
}

async function checkpointsOf(sink: DurableSink): Promise<readonly string[]> {
  const { unfinished } = await sink.open();
  const found: string[] = [];
  if (unfinished !== undefined)
    for await (const { call, pages } of unfinished.checkpoints()) found.push(`${call.join('.')}:${pages}`);
  return found;
}

const numbers = (count: number, from = 0): readonly number[] => Array.from({ length: count }, (_, at) => from + at);

let work: string;
const sinks: DurableSink[] = [];
beforeEach(async () => (work = await mkdtemp(join(tmpdir(), 'headwater-nats-'))));
afterEach(async () => {
  for (const sink of sinks.splice(0)) await sink.close();
  await rm(work, { recursive: true, force: true });
});

function sinkTo(url: string, patience?: number): DurableSink {
  const sink = nats(url, { workFolder: work, ...(patience === undefined ? {} : { patience }) });
  sinks.push(sink);
  return sink;
}

withServer(`nats${reason}`, () => {
  let probe: NatsProbe;
  let stream: string;
  let prefix: string;
  const address = (query = '', name = stream): string => `${natsUrl ?? ''}/${name}?subject=${prefix}${query}`;

  beforeAll(async () => (probe = await NatsProbe.connect(natsUrl ?? '')));
  afterAll(() => probe.close());
  beforeEach(() => {
    const id = randomUUID();
    stream = `SPEC-${id}`;
    prefix = `spec-${id}`;
  });
  afterEach(() => probe.delete(stream).catch(() => undefined));

  const texts = async (): Promise<readonly string[]> => (await probe.messages(stream)).map(({ text }) => text);
  const ids = async (): Promise<readonly string[]> => (await probe.messages(stream)).map(({ id }) => id);

  it('publishes the pages of a run that are small and come fast', async () => {
    const jobs = numbers(40).map((number) => ({ endpoint: `e${number}`, dataType: 'e' }));
    const fetch = async (url: unknown): Promise<Response> => {
      // The first page is published alone, those after it come within milliseconds.
      if (String(url).endsWith('/e1')) await delay(50);
      return new Response(`[${/\d+$/.exec(String(url))?.[0]}]`);
    };
    const configuration = { api: { baseUrl: 'https://api.test/' }, config: { jobs } };
    const to = (): DurableSink => nats(address(), { workFolder: work });
    await deliver(configuration, [to], { fetch });
    expect(await texts()).toEqual(numbers(40).map(String));
  });

  it('takes runs at once that have folders of their own, and one run a folder', async () => {
    const fetch = async (): Promise<Response> => {
      await delay(50);
      return new Response('[1,2]');
    };
    const configuration = { api: { baseUrl: 'https://api.test/' }, config: { jobs: [{ endpoint: 'e' }] } };
    const run = (runId: string, folder: string): Promise<unknown> =>
      deliver(configuration, [() => nats(address(), { workFolder: join(work, folder) })], { fetch, runId });
    const settled = await Promise.allSettled([run('a', 'one'), run('b', 'other'), run('c', 'other')]);
    expect(settled.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'rejected']);
    expect(settled[2]).toMatchObject({ reason: { code: 'DESTINATION_LOCKED' } });
    expect([...(await texts())].sort()).toEqual(['1', '1', '2', '2']);
  });

  it('makes the stream, and publishes each item as the API wrote it', async () => {
    const sink = sinkTo(address());
    expect(await sink.open()).toEqual({ state: {} });
    await sink.begin(head);
    await sink.write(page(1, [parseJson('{"b":9007199254740993,"a":"ä\\n"}'), null]));
    await sink.write(page(2, ['x']));
    await sink.write(page(1, [[1]], { call: [0, 1], job: 'k é' }, 'a.b'));
    await sink.write(page(3, []));
    expect(await sink.commit({ since: 9007199254740993n })).toEqual([
      { name: `${prefix}.user`, rows: 3, total: 3 },
      { name: `${prefix}.a%2Eb`, rows: 1, total: 1 },
    ]);
    const received = await probe.messages(stream);
    expect(received.map(({ subject, id, text }) => [subject, id, text])).toEqual([
      [`${prefix}.user`, 'run-1:0.0:0:0', '{"b":9007199254740993,"a":"ä\\n"}'],
      [`${prefix}.user`, 'run-1:0.0:0:1', 'null'],
      [`${prefix}.user`, 'run-1:0.0:1:0', '"x"'],
      [`${prefix}.a%2Eb`, 'run-1:0.1:0:0', '[1]'],
    ]);
    expect(received[3]?.headers).toEqual({
      'Nats-Msg-Id': 'run-1:0.1:0:0',
      'Nats-Expected-Stream': stream,
      'Headwater-Run': 'run-1',
      'Headwater-Job': 'k%20%C3%A9',
      'Headwater-Page': '0',
    });
    const { subjects, duplicate_window: window } = await probe.config(stream);
    expect({ subjects, window }).toEqual({ subjects: [`${prefix}.>`], window: 24 * 3600 * 1e9 });
    expect(await sink.open()).toEqual({ finished: 'run-1', state: { since: 9007199254740993n }, unreported: head });
  });

  it('publishes a page as NDJSON in one message', async () => {
    const sink = sinkTo(address('&messages=pages'));
    await sink.open();
    await sink.begin(head);
    await sink.write(page(1, [{ a: 1 }, { a: 2 }]));
    await sink.write(page(2, []));
    expect(await sink.commit({})).toEqual([{ name: `${prefix}.user`, rows: 1, total: 1 }]);
    expect((await probe.messages(stream)).map(({ id, text }) => [id, text])).toEqual([
      ['run-1:0.0:0', '{"a":1}\n{"a":2}\n'],
    ]);
  });

  it.each([
    ['items', 'run-1:0.0:0:0', 'headwater.item.us%22%C3%A9r', 'application/json', '1'],
    ['pages', 'run-1:0.0:0', 'headwater.page.us%22%C3%A9r', 'application/x-ndjson', '1\n'],
  ])('a CloudEvent in binary mode for messages=%s', async (messages, id, type, contentType, text) => {
    const sink = sinkTo(address(`&cloudevents=true&messages=${messages}`));
    await sink.open();
    await sink.begin(head);
    await sink.write(page(1, [1], { job: 'a job' }, 'us"ér'));
    const [event] = await probe.messages(stream);
    expect(event?.text).toBe(text);
    expect(event?.headers).toMatchObject({
      'ce-specversion': '1.0',
      'ce-id': id,
      'ce-source': 'headwater/a%20job',
      'ce-type': type,
      'ce-time': '2023-11-14T22:13:20.000Z',
      'ce-datacontenttype': contentType,
    });
  });

  it('publishes thousands of items in their order', async () => {
    const sink = sinkTo(address());
    await sink.open();
    await sink.begin(head);
    await sink.write(page(1, numbers(2000)));
    expect(await texts()).toEqual(numbers(2000).map(String));
  });

  it('a call that is made again is published again, with other ids', async () => {
    const sink = sinkTo(address());
    await sink.open();
    await sink.begin(head);
    await sink.write(page(1, ['a']));
    await sink.write(page(2, ['b']));
    const again = sinkTo(address());
    expect(await checkpointsOf(again)).toEqual(['0.0:1', '0.0:2']);
    await again.write(page(1, ['a2']));
    await again.write(page(2, ['b2']));
    expect(await ids()).toEqual(['run-1:0.0:0:0', 'run-1:0.0:1:0', 'run-1:0.0~1:0:0', 'run-1:0.0~1:1:0']);
  });

  it('a new run drops the pages of an unfinished one, and leaves its messages', async () => {
    const first = sinkTo(address());
    await first.open();
    await first.begin(head);
    await first.write(page(1, ['a']));
    const second = sinkTo(address());
    await second.open();
    await second.begin({ ...head, id: 'run-2' });
    await second.write(page(1, ['b']));
    expect(await second.commit({})).toEqual([{ name: `${prefix}.user`, rows: 1, total: 2 }]);
    expect(await texts()).toEqual(['"a"', '"b"']);
  });

  describe('a stream that forgets ids after 100 milliseconds', () => {
    const FORGOTTEN = 250;
    beforeEach(() => probe.make(stream, { subjects: [`${prefix}.>`], duplicate_window: 100 * 1e6 }));

    async function firstPage(): Promise<void> {
      const sink = sinkTo(address());
      await sink.open();
      await sink.begin(head);
      await sink.write(page(1, ['a', 'b']));
      await sink.close();
    }
    /** As a process leaves it that dies after the page is in the journal. */
    async function journaled(one: Page): Promise<void> {
      const journal = fileJournal(join(work, 'journal'));
      await journal.open();
      await journal.append(one);
      await journal.close();
    }
    async function resumed(): Promise<void> {
      await delay(FORGOTTEN);
      const sink = sinkTo(address());
      expect(await checkpointsOf(sink)).toEqual(['0.0:1', '0.0:2']);
      await sink.write(page(3, ['f']));
      expect(await sink.commit({})).toEqual([{ name: `${prefix}.user`, rows: 6, total: 6 }]);
      expect([...(await texts())].sort()).toEqual(['"a"', '"b"', '"c"', '"d"', '"e"', '"f"']);
      expect(new Set(await ids()).size).toBe(6);
    }

    it('publishes the page that the dead process had not begun to publish', async () => {
      await firstPage();
      await journaled(page(2, ['c', 'd', 'e']));
      await resumed();
    });

    it.each([1, 2, 3])('publishes the rest of a page of three of which %i were published', async (count) => {
      await firstPage();
      await journaled(page(2, ['c', 'd', 'e']));
      for (const [at, item] of ['c', 'd', 'e'].slice(0, count).entries())
        await probe.publish(`${prefix}.user`, JSON.stringify(item), `run-1:0.0:1:${at}`);
      await resumed();
    });

    it('does so when a process died doing that', async () => {
      await firstPage();
      await journaled(page(2, ['c', 'd', 'e']));
      await probe.publish(`${prefix}.user`, '"d"', 'run-1:0.0:1:1');
      await checkpointsOf(sinkTo(address()));
      await resumed();
    });

    it('commits what is left of the last page', async () => {
      await firstPage();
      await journaled(page(2, ['c']));
      await delay(FORGOTTEN);
      const sink = sinkTo(address());
      await sink.open();
      await sink.commit({});
      expect(await texts()).toEqual(['"a"', '"b"', '"c"']);
    });

    it.each(['', '{"run":"run-0","pages":1,"sequence":99}', '{"run":'])(
      'needs no memory of what was published: %j',
      async (memory) => {
        await firstPage();
        await writeFile(join(work, 'published.json'), memory);
        await journaled(page(2, ['c', 'd', 'e']));
        await resumed();
      },
    );

    it('publishes under the dataType, also where tables have another name', async () => {
      const sink = sinkTo(address());
      await sink.open();
      await sink.begin(head);
      const one = page(1, ['a'], {}, 'a.b');
      await sink.write(Object.create(one, { table: { value: 'a_b' } }) as Page);
      await sink.close();
      await probe.purge(stream, `${prefix}.>`);
      await rm(join(work, 'published.json'));
      await delay(FORGOTTEN);
      const second = sinkTo(address());
      await second.open();
      expect(await second.commit({})).toMatchObject([{ name: `${prefix}.a%2Eb`, rows: 1 }]);
      expect((await probe.messages(stream)).map(({ subject }) => subject)).toEqual([`${prefix}.a%2Eb`]);
    });

    it('knows pages that the journal lost with the power', async () => {
      const sink = sinkTo(address());
      await sink.open();
      await sink.begin(head);
      for (const [at, item] of ['a', 'b', 'c'].entries()) await sink.write(page(at + 1, [item]));
      await sink.close();
      const journal = fileJournal(join(work, 'journal'));
      await journal.begin(head);
      await journal.append(page(1, ['a']));
      await journal.close();
      await delay(FORGOTTEN);

      const second = sinkTo(address());
      expect(await checkpointsOf(second)).toEqual(['0.0:1']);
      await second.write(page(1, ['other'], { call: [0, 1] }));
      await second.close();
      const third = sinkTo(address());
      await third.open();
      await third.write(page(2, ['b']));
      await third.write(page(3, ['c']));
      await third.write(page(4, ['d']));
      expect(await third.commit({})).toEqual([{ name: `${prefix}.user`, rows: 5, total: 5 }]);
      expect(await texts()).toEqual(['"a"', '"b"', '"c"', '"other"', '"d"']);
    });

    it('does not publish what the next process drops', async () => {
      await firstPage();
      await journaled(page(2, ['c']));
      const sink = sinkTo(address());
      await sink.open();
      await sink.begin({ ...head, id: 'run-2' });
      await sink.commit({});
      expect(await texts()).toEqual(['"a"', '"b"']);
    });
  });

  it.each(['workqueue', 'interest'] as const)(
    'goes on in a stream of %s retention by the ids that the server knows',
    async (retention) => {
      await probe.make(stream, { subjects: [`${prefix}.>`], retention });
      const first = sinkTo(address());
      await first.open();
      await first.begin(head);
      await first.write(page(1, ['a']));
      await first.close();
      const journal = fileJournal(join(work, 'journal'));
      await journal.open();
      await journal.append(page(2, ['b', 'c']));
      await journal.close();
      await probe.publish(`${prefix}.user`, '"b"', 'run-1:0.0:1:0');
      const before = await probe.taken(stream);
      const second = sinkTo(address());
      expect(await checkpointsOf(second)).toEqual(['0.0:1', '0.0:2']);
      expect(await second.commit({})).toEqual([{ name: `${prefix}.user`, rows: 3 }]);
      expect((await probe.taken(stream)) - before).toBe(1);
    },
  );

  it('finishes a commit that a dead process had decided', async () => {
    const sink = sinkTo(address());
    await sink.open();
    await sink.begin(head);
    await sink.write(page(1, ['a']));
    await sink.close();
    const receipt = { run: 'run-1', state: { n: 9007199254740993n }, record: { run_id: 'run-1' } };
    await writeFile(join(work, 'receipt.json'), checkedText(receipt));
    const second = sinkTo(address());
    expect(await second.open()).toEqual({ finished: 'run-1', state: { n: 9007199254740993n }, unreported: head });
    await second.markReported?.();
    await second.close();
    expect(await readdir(work)).not.toContain('published.json');
    expect(await sinkTo(address()).open()).toEqual({ finished: 'run-1', state: { n: 9007199254740993n } });
    expect(await texts()).toEqual(['"a"']);
  });

  it.each(['', '[]', '{"run":1,"state":{}}', '{"run":"r","state":[]}'])('refuses the receipt %j', async (text) => {
    await writeFile(join(work, 'receipt.json'), text);
    await expect(sinkTo(address()).open()).rejects.toMatchObject({
      code: 'DESTINATION_DAMAGED',
      message: expect.stringContaining('receipt.json') as string,
    });
  });

  it('refuses an item that is too large before anything of its page is published', async () => {
    await probe.make(stream, { subjects: [`${prefix}.>`], max_msg_size: 1000 });
    const sink = sinkTo(address());
    await sink.open();
    await sink.begin(head);
    const large = sink.write(page(1, ['small', 'x'.repeat(1000)]));
    await expect(large).rejects.toMatchObject({
      code: 'SINK_FAILED',
      message: expect.stringMatching(
        /page 0 of the table "user": run-1:0\.0:0:1 has 1\d{3} bytes .* takes 1000/,
      ) as string,
    });
    expect(await texts()).toEqual([]);
    expect(await checkpointsOf(sinkTo(address()))).toEqual([]);
  });

  it('counts the size of a message as the server does', async () => {
    const size = 1024 * 1024;
    const sink = sinkTo(address());
    await sink.open();
    await sink.begin(head);
    const error: unknown = await sink.write(page(1, ['x'.repeat(size)])).catch((cause: unknown) => cause);
    const excess = Number(/has (\d+) bytes/.exec(String(error))?.[1]) - size;
    await expect(sink.write(page(1, ['x'.repeat(size - excess + 1)]))).rejects.toMatchObject({ code: 'SINK_FAILED' });
    await sink.write(page(1, ['x'.repeat(size - excess)]));
    expect((await texts()).map(({ length }) => length)).toEqual([size - excess + 2]);
  });

  it('says so when the stream is full, and goes on when there is room', async () => {
    const full = { subjects: [`${prefix}.>`], max_msgs: 2, discard: DiscardPolicy.New };
    await probe.make(stream, full);
    const sink = sinkTo(address());
    await sink.open();
    await sink.begin(head);
    await expect(sink.write(page(1, ['a', 'b', 'c']))).rejects.toMatchObject({
      code: 'SINK_FAILED',
      message: expect.stringContaining('maximum messages exceeded') as string,
    });
    expect(await texts()).toEqual(['"a"', '"b"']);
    await probe.update(stream, { ...full, max_msgs: 10 });
    const second = sinkTo(address());
    expect(await checkpointsOf(second)).toEqual(['0.0:1']);
    await second.commit({});
    expect(await texts()).toEqual(['"a"', '"b"', '"c"']);
  });

  it('refuses a table whose subject the stream does not take', async () => {
    await probe.make(stream, { subjects: [`${prefix}.user`, `${prefix}.x.*`] });
    const sink = sinkTo(address());
    await sink.open();
    await sink.begin(head);
    await sink.write(page(1, ['a']));
    await expect(sink.write(page(1, ['b'], { call: [0, 1] }, 'group'))).rejects.toMatchObject({
      code: 'SINK_FAILED',
      message: expect.stringContaining(`its subjects do not cover ${prefix}.group`) as string,
    });
    const second = sinkTo(address());
    expect(await checkpointsOf(second)).toEqual(['0.0:1']);
    await second.write(page(2, ['c']));
    expect(await texts()).toEqual(['"a"', '"c"']);
  });

  it('refuses a stream that cannot be made', async () => {
    await probe.make(stream, { subjects: [`${prefix}.>`] });
    await expect(sinkTo(address('', `${stream}-2`)).open()).rejects.toMatchObject({
      code: 'DESTINATION_ADDRESS',
      message: expect.stringContaining('subjects overlap') as string,
    });
  });

  it('can be closed at any time, and opened again', async () => {
    const sink = sinkTo(address());
    await sink.close();
    await sink.open();
    await sink.begin(head);
    await sink.write(page(1, ['a']));
    await sink.close();
    await sink.close();
    expect(await checkpointsOf(sink)).toEqual(['0.0:1']);
    await sink.commit({});
    expect(await texts()).toEqual(['"a"']);
  });
});

withOwnServer(`nats, with a server that dies${ownReason}`, () => {
  let folder: string;
  let server: PrivateServer;
  const MANY = 4000;
  const PER_PAGE = 1000;
  const large = page(1, numbers(MANY));
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'headwater-nats-server-'));
    server = await startNatsServer(folder);
    const probe = await NatsProbe.connect(server.url);
    await probe.make('HEADWATER', { subjects: ['headwater.>'], duplicate_window: 100 * 1e6 });
    await probe.close();
  });
  afterEach(async () => {
    for (const sink of sinks.splice(0)) await sink.close();
    await server.kill();
    await rm(folder, { recursive: true, force: true });
  });

  async function expectAllOnce(count = MANY): Promise<void> {
    const probe = await NatsProbe.connect(server.url);
    const received = await probe.messages('HEADWATER');
    await probe.close();
    expect(received).toHaveLength(count);
    expect(new Set(received.map(({ id }) => id)).size).toBe(count);
    expect(new Set(received.map(({ text }) => text)).size).toBe(count);
  }
  /** Ends the server when some of the page that is then written has come. */
  async function killInTheMiddle(): Promise<{ readonly killed: Promise<void> }> {
    const probe = await NatsProbe.connect(server.url);
    const { seen } = await probe.watch('headwater.>', 100);
    return { killed: seen.then(() => server.kill()).then(() => probe.close()) };
  }

  it('waits for the server, and publishes what is missing', async () => {
    const sink = sinkTo(server.url);
    await sink.open();
    await sink.begin(head);
    await server.kill();
    let isWritten = false;
    const written = sink.write(large).then(() => (isWritten = true));
    await delay(300);
    expect(isWritten).toBe(false);
    await server.start();
    await written;
    await expectAllOnce();
  });

  it('ends at once when it is closed while it waits for the server', async () => {
    const sink = sinkTo(server.url, Infinity);
    await sink.open();
    await sink.begin(head);
    await server.kill();
    const written = expect(sink.write(large)).rejects.toMatchObject({ code: 'SINK_FAILED' });
    await delay(300);
    await sink.close();
    await written;
    await server.start();
  });

  it('fails when the server stays away, and a later process publishes what is missing', async () => {
    const sink = sinkTo(server.url, 700);
    await sink.open();
    await sink.begin(head);
    const { killed } = await killInTheMiddle();
    let pages = 0;
    let failure: unknown;
    // One of them is under way when the server dies, or comes right after.
    while (failure === undefined && pages < 50) {
      pages += 1;
      const from = (pages - 1) * PER_PAGE;
      failure = await sink.write(page(pages, numbers(PER_PAGE, from))).then(
        () => undefined,
        (error: unknown) => error,
      );
    }
    await killed;
    expect(failure).toMatchObject({
      code: 'SINK_FAILED',
      message: expect.stringContaining('HEADWATER took no more') as string,
    });
    await sink.close();
    await server.start();
    const second = sinkTo(server.url);
    expect(await checkpointsOf(second)).toHaveLength(pages);
    expect(await second.commit({})).toEqual([
      { name: 'headwater.user', rows: pages * PER_PAGE, total: pages * PER_PAGE },
    ]);
    await expectAllOnce(pages * PER_PAGE);
  });
});

withOwnServer(`nats, with a server that asks for credentials${ownReason}`, () => {
  it('logs in, and names no credentials', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'headwater-nats-server-'));
    const server = await startNatsServer(folder, ['--user', 'me', '--pass', 'p@ss/word']);
    try {
      const { host } = new URL(server.url);
      const good = sinkTo(`nats://me:p%40ss%2Fword@${host}/S`);
      expect(good.name).toBe(`nats://${host}/S`);
      expect(await good.open()).toEqual({ state: {} });
      await good.close();
      const error: unknown = await sinkTo(`nats://me:wr0ng@${host}/S`)
        .open()
        .catch((cause: unknown) => cause);
      expect(error).toMatchObject({ code: 'DESTINATION_ADDRESS' });
      expect(String(error)).toMatch(/S cannot be used: Authorization Violation/i);
      expect(JSON.stringify([String(error), String((error as Error).cause)])).not.toContain('wr0ng');
    } finally {
      await server.kill();
      await rm(folder, { recursive: true, force: true });
    }
  });
});

describe('nats without a server', () => {
  it('says that there is none', async () => {
    const error: unknown = await sinkTo('nats://me:s3cret@127.0.0.1:9/S')
      .open()
      .catch((cause: unknown) => cause);
    expect(error).toMatchObject({ code: 'DESTINATION_ADDRESS' });
    expect(String(error)).toContain('nats://127.0.0.1:9/S cannot be used');
    expect(String(error)).not.toContain('s3cret');
  });
});
