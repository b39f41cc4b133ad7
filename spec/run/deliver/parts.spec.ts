// Takes minutes, and begins first (scripts/jest/sequencer.cjs).
/** A run that several processes make: here, each of them is a call of `deliverPart`. */
import { randomUUID } from 'node:crypto';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { deliver, destinationOf, extract, sinks } from '../../../src';
import type { Destination, JsonObject } from '../../../src';
import type { RunManifest, SharedJournal } from '../../../src/core/durable-sink';
import { runFrom } from '../../../src/cluster/run-state';
import { partsBelow } from '../../../src/core/run-parts';
import type { ParentPage, RunPart } from '../../../src/core/run-parts';
import { deliverWithHooks } from '../../../src/run/deliver/deliver';
import { deliverPart, partsOf } from '../../../src/run/deliver/parts';
import type { PartEnd } from '../../../src/run/deliver/parts';
import { prepare } from '../../../src/run/validate';
import { afterDelay, json } from '../../support/answers';
import type { Answer } from '../../support/answers';
import { startServer } from '../../support/api-server';
import type { ApiServer, ReceivedRequest } from '../../support/api-server';
import { NatsProbe, natsUrl } from '../../support/nats-server';
import { NEEDS, describeWithPostgres, testDatabase } from '../../support/postgres';
import { BUCKET, NEEDS_S3, describeWithS3, download, keysIn, removeKey, useS3 } from '../../support/s3';
import { csvRows, lineRows, parquetRows } from '../../support/tables';

const textIn = (file: string): Promise<string> => readFile(file, 'utf8');
const PARENTS = 25;
const PAGE = 10;
const LATENCY_MS = 5;

const GIVEN = { runId: '', configuration: '', destination: '', sealed: '', parts: 0, heartbeatSeconds: 30 };

describe('deliverPart', () => {
  it('refuses a destination of one machine, with what to take', async () => {
    const config = { api: { baseUrl: 'https://api.test' }, config: { jobs: [{ endpoint: 'x' }] } };
    const manifest: RunManifest = { id: 'r', fingerprint: '', startedAt: 0, previousStart: 0 };
    const part: RunPart = { kind: 'job', call: [0, 0], below: true };
    await expect(
      deliverPart(config, sinks.ndjson('never-made'), part, { manifest, state: {}, attempt: 1 }),
    ).rejects.toMatchObject({
      code: 'DESTINATION_INCOMPATIBLE',
      message: expect.stringContaining('postgres://') as string,
    });
  });
});

/** A destination that processes of several machines write to. */
interface Place {
  /** The destination as a machine has it that did nothing before. */
  readonly to: () => Destination;
  readonly tables: () => Promise<Readonly<Record<'parents' | 'kids', readonly Row[]>>>;
  /** Whether a page for a run that was replaced is refused; else it is written, and in no run. */
  readonly refusesLatePages: boolean;
  /** How many pages wait to be committed. */
  readonly waiting: () => Promise<number>;
  /** Removes the first page of a part, where pages are files that somebody may remove. */
  readonly loseAPage?: () => Promise<void>;
  readonly drop: () => Promise<void>;
}
type Row = Readonly<Record<string, unknown>>;

async function inPostgres(): Promise<Place> {
  const database = await testDatabase();
  return {
    to: () => sinks.postgres(database.url),
    refusesLatePages: true,
    tables: async () => ({
      parents: await database.query('SELECT id FROM parents'),
      kids: await database.query('SELECT of, at FROM kids'),
    }),
    waiting: async () => Number((await database.query('SELECT count(*) AS pages FROM _headwater.pages'))[0]?.pages),
    drop: () => database.drop(),
  };
}

/** Files of a format in a bucket, where `read` reads one of them. */
const inBucket = (format: string, read: (file: string) => Promise<readonly Row[]>) => async (): Promise<Place> => {
  useS3();
  const machines = await mkdtemp(join(tmpdir(), 'headwater-machines-'));
  const prefix = `spec-${randomUUID()}`;
  let count = 0;
  return {
    refusesLatePages: false,
    to: () => destinationOf(`${format}:s3://${BUCKET}/${prefix}?journal=${join(machines, String((count += 1)))}`),
    tables: async () => {
      const copy = join(machines, 'copy');
      await download(prefix, copy);
      const [parents, kids] = ['parents', 'kids'].map((table) => read(join(copy, `${table}.${format}`)));
      return { parents: (await parents) ?? [], kids: (await kids) ?? [] };
    },
    waiting: async () => (await keysIn(prefix)).filter((key) => key.startsWith(`.headwater/${format}/journal/`)).length,
    loseAPage: async () => {
      const keys = (await keysIn(prefix)).filter((key) => key.endsWith('000000001'));
      await removeKey(prefix, keys[0] ?? '');
    },
    drop: () => rm(machines, { recursive: true }),
  };
};

async function inStream(): Promise<Place> {
  const probe = await NatsProbe.connect(natsUrl ?? '');
  const stream = `SPEC-${randomUUID()}`;
  const kept = async (): Promise<readonly string[]> => (await probe.kept(stream))?.subjects ?? [];
  return {
    refusesLatePages: false,
    to: () => (outputs, warn) => {
      const { shared } = sinks.nats(`${natsUrl ?? ''}/${stream}?subject=${stream}`)(outputs, warn);
      if (shared?.sink === undefined) throw new Error('It has no sink of parts.');
      return shared.sink;
    },
    tables: async () => {
      const all = await probe.messages(stream);
      const ofLast = all.filter(({ headers }) => headers['Headwater-Run'] === all.at(-1)?.headers['Headwater-Run']);
      const rowsOf = (table: string): readonly Row[] =>
        ofLast.filter(({ subject }) => subject === `${stream}.${table}`).map(({ text }) => JSON.parse(text) as Row);
      return { parents: rowsOf('parents'), kids: rowsOf('kids') };
    },
    waiting: async () => (await kept()).filter((subject) => subject.includes('.journal.')).length,
    loseAPage: async () => {
      const page = (await kept()).find((subject) => subject.endsWith('000000001'));
      await probe.purge((await probe.kept(stream))?.stream ?? '', page ?? '');
    },
    drop: async () => {
      await probe.clear(stream);
      await probe.close();
    },
  };
}

describe.each<[string, () => Promise<Place>, jest.Describe]>([
  [`PostgreSQL ${NEEDS}`, inPostgres, describeWithPostgres],
  [`NDJSON in a bucket${NEEDS_S3}`, inBucket('ndjson', async (file) => lineRows(await textIn(file))), describeWithS3],
  [`CSV in a bucket${NEEDS_S3}`, inBucket('csv', async (file) => csvRows(await textIn(file))), describeWithS3],
  [`Parquet in a bucket${NEEDS_S3}`, inBucket('parquet', parquetRows), describeWithS3],
  ['NATS JetStream (needs HEADWATER_TEST_NATS)', inStream, natsUrl === undefined ? describe.skip : describe],
])('a run in parts, in %s', (_, placeOf, describeWithServer) => {
  describeWithServer('', () => {
    let server: ApiServer;
    let place: Place;
    let mostAtOnce = 0;
    let latency = LATENCY_MS;
    let list: { total: number; readonly length: number; readonly idOf: (at: number) => number };
    beforeEach(async () => {
      place = await placeOf();
      let atOnce = 0;
      latency = LATENCY_MS;
      list = { total: PARENTS, length: PARENTS, idOf: (at) => at };
      const answerOf = ({ url }: ReceivedRequest): Answer => {
        const { pathname, searchParams } = new URL(url, 'http://api.test');
        const [, , id] = pathname.split('/');
        if (id !== undefined && id !== '')
          return json([
            { of: Number(id), at: 'a' },
            { of: Number(id), at: 'b' },
          ]);
        const offset = Number(searchParams.get('offset') ?? 0);
        const { total, length, idOf } = list;
        const left = Math.max(0, Math.min(PAGE, length - offset));
        return json({ items: Array.from({ length: left }, (_, at) => ({ id: idOf(offset + at) })), total });
      };
      server = await startServer((request) => {
        atOnce += 1;
        mostAtOnce = Math.max(mostAtOnce, atOnce);
        setTimeout(() => (atOnce -= 1), latency);
        return afterDelay(latency, answerOf(request));
      });
    });
    afterEach(async () => {
      await server.close();
      await place.drop();
    });

    const configured = (ofParents: JsonObject = {}): JsonObject => ({
      api: { baseUrl: server.origin, pagination: { method: 'offset', limit: PAGE } },
      config: {
        jobs: [
          {
            endpoint: 'parents',
            dataField: 'items',
            ...ofParents,
            children: [{ endpoint: 'parents/{id}', dataType: 'kids', dataField: '.', placeholders: { id: 'id' } }],
          },
        ],
      },
    });
    const to = (): Destination => place.to();

    interface Begun {
      readonly manifest: RunManifest;
      readonly state: JsonObject;
      readonly parts: readonly RunPart[];
    }
    /** Begins a run, up to where others may make its parts. */
    async function beginApart(
      runId: string,
      config = configured(),
    ): Promise<Begun & { readonly share: () => Promise<void> }> {
      let begun: Begun | undefined;
      let shared: SharedJournal | undefined;
      const destination: Destination = (outputs, warn) => {
        const sink = to()(outputs, warn);
        ({ shared } = sink);
        return sink;
      };
      await deliverWithHooks(
        config,
        [destination],
        { runId },
        {
          begun: ({ manifest, state, iterations }) => {
            const { startedAt: currentStart, previousStart } = manifest;
            begun = { manifest, state, parts: partsOf(iterations, { currentStart, previousStart }) };
            return {
              runId,
              alreadyCommitted: false,
              stored: [],
              resumedPages: 0,
              state: {},
              outcome: 'complete',
              jobs: [],
            };
          },
        },
      );
      if (begun === undefined) throw new Error('The run did not begin.');
      const { manifest } = begun;
      const share = async (): Promise<void> => {
        try {
          await shared?.begin?.(manifest);
        } finally {
          await shared?.close();
        }
      };
      return { ...begun, share };
    }
    async function begin(runId: string, config = configured()): Promise<Begun> {
      const { share, ...begun } = await beginApart(runId, config);
      await share();
      return begun;
    }
    const make = ({ manifest, state }: Begun, part: RunPart, attempt = 1): Promise<PartEnd> =>
      deliverPart(configured(), to(), part, { manifest, state, attempt });
    const commit = (runId: string) => deliver(configured(), [to()], { runId });
    const below = ({ parents }: PartEnd): readonly RunPart[] => parents.flatMap((page) => partsBelow(page, 4));
    const rows = async (): Promise<unknown> => {
      const { parents, kids } = await place.tables();
      const ids = new Set(parents.map(({ id }) => id)).size;
      const pairs = new Set(kids.map(({ of, at }) => `${String(of)} ${String(at)}`)).size;
      return { parents: parents.length, ids, kids: kids.length, pairs };
    };
    const WHOLE = { parents: PARENTS, ids: PARENTS, kids: 2 * PARENTS, pairs: 2 * PARENTS };

    it('makes the tables of an undisturbed run, with each request once', async () => {
      const begun = await begin('one');
      expect(begun.parts).toEqual([{ kind: 'job', call: [0, 0], below: false }]);
      const ends: PartEnd[] = [];
      for (const part of begun.parts) ends.push(await make(begun, part));
      expect(ends[0]?.parents.map(({ page, items }) => [page, items])).toEqual([
        [0, 10],
        [1, 10],
        [2, 5],
      ]);
      // As workers do it: several at once, in any order.
      await Promise.all(
        ends
          .flatMap(below)
          .reverse()
          .map((part) => make(begun, part)),
      );
      const { outcome } = await commit('one');
      expect(outcome).toBe('complete');
      expect(await rows()).toEqual(WHOLE);
      const asked = server.requests.map(({ url }) => url);
      expect(new Set(asked).size).toBe(asked.length);
    });

    it('tells of pages that are stored before the part ends, so that their children are called meanwhile', async () => {
      const begun = await begin('ten');
      const [parents] = begun.parts;
      if (parents === undefined) throw new Error('no part');
      const { manifest, state } = begun;
      const options = { manifest, state, attempt: 1 };
      const children: Promise<PartEnd>[] = [];
      const found = (page: ParentPage): void => {
        children.push(...partsBelow(page, 4).map((part) => make(begun, part)));
      };
      expect(await deliverPart(configured(), to(), parents, { ...options, found })).toMatchObject({ parents: [] });
      expect(children).toHaveLength(8);
      await Promise.all(children);
      const again: ParentPage[] = [];
      await deliverPart(configured(), to(), parents, { ...options, attempt: 2, found: (page) => again.push(page) });
      expect(again.map(({ page, items }) => [page, items])).toEqual([
        [0, 10],
        [1, 10],
        [2, 5],
      ]);
      await commit('ten');
      expect(await rows()).toEqual(WHOLE);
      const asked = server.requests.map(({ url }) => url);
      expect(new Set(asked).size).toBe(asked.length);
    });

    it('makes a part with settings that were changed meanwhile', async () => {
      const config = configured({ id: 'parents' });
      const begun = await begin('twelve', config);
      const [parents] = begun.parts;
      if (parents === undefined) throw new Error('no part');
      const { manifest, state } = begun;
      const [first] = below(await deliverPart(config, to(), parents, { manifest, state, attempt: 1 }));
      if (first === undefined) throw new Error('no children');
      mostAtOnce = 0;
      // Long enough for a busy machine to send all of them.
      latency = 1000;
      const tuned = [{ job: 'parents', concurrency: 3 }];
      await deliverPart(config, to(), first, { manifest, state, attempt: 1, tuned });
      expect(mostAtOnce).toBe(3);
    });

    it('waits for the end of a part whose job may begin again', async () => {
      const config = configured({ unique: 'id' });
      const begun = await begin('eleven', config);
      const [parents] = begun.parts;
      if (parents === undefined) throw new Error('no part');
      const { manifest, state } = begun;
      const found = jest.fn();
      const end = await deliverPart(config, to(), parents, { manifest, state, attempt: 1, found });
      expect([end.parents.length, found.mock.calls]).toEqual([3, []]);
    });

    it('goes on with a part where the attempt before was broken off', async () => {
      const begun = await begin('two');
      const [parents] = begun.parts;
      if (parents === undefined) throw new Error('no part');
      const children = below(await make(begun, parents));
      const [first, ...others] = children;
      if (first === undefined) throw new Error('no children');
      const abort = new AbortController();
      const broken = deliverPart(configured(), to(), first, {
        ...{ manifest: begun.manifest, state: begun.state, attempt: 1, signal: abort.signal },
        written: (pages) => {
          if (pages === 2) abort.abort(new Error('broken off'));
        },
      });
      await expect(broken).rejects.toThrow('broken off');
      await make(begun, first, 2);
      for (const part of others) await make(begun, part);
      await commit('two');
      expect(await rows()).toEqual(WHOLE);
    });

    it('makes what is missing at the commit, and commits a run once', async () => {
      await begin('three');
      await commit('three');
      expect(await rows()).toEqual(WHOLE);
      const before = server.requests.length;
      expect(await commit('three')).toMatchObject({ alreadyCommitted: true });
      expect(server.requests).toHaveLength(before);
    });

    it('refuses pages of an attempt that is not the last one, and of a run that is over or was replaced', async () => {
      const begun = await begin('four');
      const { shared } = to()([], undefined);
      if (shared === undefined) throw new Error('not shared');
      const early = await shared.take(begun.manifest, 'a part', 1);
      const late = await shared.take(begun.manifest, 'a part', 2);
      const taken = { code: 'PART_TAKEN', message: expect.stringContaining('another worker') as string };
      const over = { code: 'RUN_OVER', message: expect.stringContaining('The run "four" is over') as string };
      await expect(shared.take(begun.manifest, 'a part', 1)).rejects.toMatchObject(taken);
      const page = await onePage();
      await expect(early.write(page)).rejects.toMatchObject(taken);
      await late.write(page);
      await begin('five');
      if (place.refusesLatePages) await expect(late.write(page)).rejects.toMatchObject(over);
      else await late.write(page);
      await expect(shared.take(begun.manifest, 'another', 1)).rejects.toMatchObject(over);
      await commit('five');
      await shared.close();
      expect(await rows()).toEqual(WHOLE);
    });

    if (placeOf !== inPostgres)
      it('has one run where two begin at the same time', async () => {
        const first = await beginApart('thirteen');
        const second = await beginApart('fourteen');
        await first.share();
        const [part] = first.parts;
        if (part === undefined) throw new Error('no part');
        const end = await make(first, part);
        await expect(second.share()).rejects.toMatchObject({ code: 'DESTINATION_LOCKED' });
        await first.share();
        for (const child of below(end)) await make(first, child);
        const before = server.requests.length;
        await commit('thirteen');
        expect([await rows(), server.requests.length]).toEqual([WHOLE, before]);
      });

    if (placeOf !== inPostgres)
      it('stores nothing where a page was removed', async () => {
        const begun = await begin('nine');
        for (const part of begun.parts) await make(begun, part);
        await place.loseAPage?.();
        await expect(commit('nine')).rejects.toMatchObject({ code: 'JOURNAL_DAMAGED' });
      });

    it('drops a run that is cancelled: tables stay as they were', async () => {
      await begin('six');
      await commit('six');
      const begun = await begin('seven');
      for (const part of begun.parts) await make(begun, part);
      const { shared } = to()([], undefined);
      await shared?.drop('seven');
      await shared?.drop('six');
      await shared?.close();
      expect(await place.waiting()).toBe(0);
      expect(await rows()).toEqual(WHOLE);
      await begin('eight');
      await commit('eight');
      expect(await rows()).toEqual(WHOLE);
    });

    describe('a long list', () => {
      const LONG = 475;
      const short: JsonObject = { recursionFilter: 'id<3' };
      const listed = (): JsonObject => {
        const { api } = configured();
        const children = [{ endpoint: 'parents/{id}', dataType: 'kids', dataField: '.', placeholders: { id: 'id' } }];
        const below = children.map((child) => ({ ...child, ...short }));
        return { api, config: { jobs: [{ endpoint: 'parents', dataField: 'items', children: below }] } } as JsonObject;
      };
      /** Makes all parts, in the order of a cluster or in the opposite one, some at once; returns them. */
      async function makeAll({ manifest, state, parts }: Begun, isReversed = false): Promise<readonly RunPart[]> {
        const run = runFrom({ ...GIVEN, parts: 200 });
        run.begin({ isOver: false, manifest, state: '', parts });
        const made: RunPart[] = [];
        while (run.isDue(false)) {
          const due: RunPart[] = [];
          while (run.isDue(false)) {
            const part = run.next(false);
            if (part === undefined) return made;
            due.push(part);
          }
          if (isReversed) due.reverse();
          made.push(...due);
          await Promise.all(
            due.map(async (part) => {
              run.ended(await deliverPart(listed(), to(), part, { manifest, state, attempt: 1 }), part);
            }),
          );
        }
        return made;
      }
      /** The requests of lists, and how the run ends, as one process has it. */
      async function plainly() {
        const before = server.requests.length;
        const folder = await mkdtemp(join(tmpdir(), 'headwater-spec-'));
        const ended = await deliver(listed(), [sinks.ndjson(folder)], { acceptIncomplete: true });
        await rm(folder, { recursive: true });
        return { ...ended, requests: server.requests.slice(before).map(({ url }) => url) };
      }
      const commitList = (runId: string) => deliver(listed(), [to()], { runId, acceptIncomplete: true });
      const kindsOf = (parts: readonly RunPart[]): readonly string[] => [...new Set(parts.map(({ kind }) => kind))];

      it('is read by several processes at once, with the requests, the order and the judgement of one process', async () => {
        list = { ...list, total: LONG, length: LONG };
        const plain = await plainly();
        const begun = await begin('long', listed());
        const made = await makeAll(begun, true);
        expect(kindsOf(made)).toEqual(['job', 'pages', 'rest', 'children']);
        const requests = (): readonly string[] => server.requests.slice(plain.requests.length).map(({ url }) => url);
        expect([...requests()].sort()).toEqual([...plain.requests].sort());
        // Who makes a part again requests nothing.
        for (const part of made.filter(({ kind }) => kind !== 'children'))
          await deliverPart(listed(), to(), part, { ...begun, attempt: 2 });
        expect(requests()).toHaveLength(plain.requests.length);
        const { outcome, jobs } = await commitList('long');
        expect([outcome, jobs]).toEqual(['complete', plain.jobs]);
        const { parents, kids } = await place.tables();
        expect(parents.map(({ id }) => Number(id))).toEqual(Array.from({ length: LONG }, (_, at) => at));
        expect(kids).toHaveLength(6);
      });

      it('is judged by what all of its parts have met', async () => {
        list = { total: LONG, length: LONG, idOf: (at) => (at % 100 === 50 ? at - 1 : at) };
        const plain = await plainly();
        await makeAll(await begin('overlapping', listed()));
        const { outcome, jobs } = await commitList('overlapping');
        expect([outcome, jobs]).toEqual([plain.outcome, plain.jobs]);
        expect(outcome).toBe('doubtful');
      });

      it('is read by one process where the pages are not those that the first ones announce', async () => {
        list = { ...list, total: 2 * LONG, length: LONG };
        const plain = await plainly();
        const made = await makeAll(await begin('announced', listed()));
        expect(kindsOf(made)).toEqual(['job', 'pages', 'rest', 'children']);
        const { outcome, jobs } = await commitList('announced');
        expect([outcome, jobs]).toEqual([plain.outcome, plain.jobs]);
        const { parents, kids } = await place.tables();
        expect([parents.length, new Set(parents.map(({ id }) => id)).size, kids.length]).toEqual([LONG, LONG, 6]);
      });
    });

    /** A page of the job, as an extraction has it. */
    async function onePage() {
      for await (const page of extract(configured()).pages()) return page;
      throw new Error('no page');
    }
  });
});

describe('partsOf', () => {
  it('shares windows and partitions, and leaves whole what counts its pages in another way', () => {
    const jobs: JsonObject[] = [
      { endpoint: 'plain' },
      { endpoint: 'parents', children: [{ endpoint: 'x/{id}', placeholders: { id: 'id' } }] },
      { endpoint: 'divided', partitions: { kind: ['a', 'b', 'c'] }, params: { k: { partition: 'kind' } } },
    ];
    const { planned } = prepare({ api: { baseUrl: 'https://api.test' }, config: { jobs } }, {});
    expect(partsOf(planned.iterations, { currentStart: 0, previousStart: 0 })).toEqual([
      { kind: 'job', call: [0, 0], below: true },
      { kind: 'job', call: [0, 1], below: false },
      { kind: 'job', call: [0, 2], below: true, share: { at: 0, of: 3 } },
      { kind: 'job', call: [0, 2], below: true, share: { at: 1, of: 3 } },
      { kind: 'job', call: [0, 2], below: true, share: { at: 2, of: 3 } },
    ]);
  });
});
