import promises, { appendFile, link, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { stringifyJson } from '../../../src/core/json/stringify';
import type { DurableSink, Stored } from '../../../src/core/durable-sink';
import type { Page } from '../../../src/core/model';
import type { OutputPlan } from '../../../src/plan/plan';
import { stamped } from '../../../src/run/deliver/write-pages';
import { ndjsonFolder } from '../../../src/sinks/ndjson';
import { itOfAll, runsOf } from '../../support/cases';
import { aHead, allOf, anOutput, aPageOf, compiled, stepwise, textsIn } from '../../support/durable';
import { newTable } from '../../support/stored';

const added = anOutput({ incremental: true });
const keyed = anOutput({ incremental: true, primaryKeys: new Map([['user', ['id']]]) });

describe('ndjsonFolder', () => {
  let root: string;
  let folder: string;
  beforeEach(async () => {
    root = await mkdtemp(join(tmpdir(), 'headwater-spec-'));
    folder = join(root, 'out');
    await mkdir(folder);
  });
  afterEach(() => rm(root, { recursive: true }));

  const store = async (outputs: readonly OutputPlan[], pages: readonly Page[]): Promise<readonly Stored[]> => {
    const sink = ndjsonFolder(folder, outputs);
    await sink.open();
    await sink.begin(aHead());
    try {
      for (const page of pages) await sink.write(page);
      return await sink.commit({});
    } finally {
      await sink.close();
    }
  };
  const old = (text: string, name = 'user.ndjson'): Promise<void> => writeFile(join(folder, name), text);
  const next = (pages: number): { checkpoint: { pages: number } } => ({ checkpoint: { pages } });

  it('replaces files by the items of the run, a line each, and leaves others', async () => {
    await old('{"old":1}\n');
    await old('stays', 'other');
    const pages = [
      aPageOf('user', [{ id: 9007199254740993n }, 'Zoë\n']),
      aPageOf('order', [null], { checkpoint: { call: [0, 1] }, extra: new Map([['x', 'not in the line']]) }),
      aPageOf('user', [[1.5]], next(2)),
    ];
    expect(await store([anOutput()], pages)).toEqual([
      // Nobody reads a file that goes.
      { ...newTable('user.ndjson', 3), removed: undefined },
      newTable('order.ndjson', 1),
    ]);
    expect(await textsIn(folder)).toEqual({
      'user.ndjson': '{"id":9007199254740993}\n"Zoë\\n"\n[1.5]\n',
      'order.ndjson': 'null\n',
      other: 'stays',
    });
    expect((await stat(join(folder, 'user.ndjson'))).mode & 0o444).toBe(0o444);
  });

  it('replaces a file by an empty one when no item came', async () => {
    await old('{"old":1}\n');
    expect(await store([anOutput()], [aPageOf('user', [])])).toEqual([
      { ...newTable('user.ndjson', 0), removed: undefined },
    ]);
    expect(await textsIn(folder)).toEqual({ 'user.ndjson': '' });
  });

  it('adds to files when it is incremental', async () => {
    await old('{"old":1}\n"its last line is open"');
    await old('{"old":2}\n', 'none.ndjson');
    const pages = [
      aPageOf('user', [{ old: 1 }]),
      aPageOf('fresh', [1], { checkpoint: { call: [0, 1] } }),
      aPageOf('none', [], { checkpoint: { call: [0, 2] } }),
      aPageOf('never', [], { checkpoint: { call: [0, 3] } }),
    ];
    expect(await store([added], pages)).toEqual([
      { ...newTable('user.ndjson', 1), total: 3 },
      newTable('fresh.ndjson', 1),
      { name: 'none.ndjson', rows: 0 },
      { name: 'never.ndjson', rows: 0 },
    ]);
    expect(await textsIn(folder)).toEqual({
      'user.ndjson': '{"old":1}\n"its last line is open"\n{"old":1}\n',
      'fresh.ndjson': '1\n',
      'none.ndjson': '{"old":2}\n',
    });
  });

  it('adds a line, and removes those with the same key', async () => {
    await old('{"id":1,"v":"old"}\n{"id":2,"v":"old"}\n{"id":"1","v":"a text"}\n[0]\n{"v":"no key"}\n{"id":null}\n');
    const pages = [
      aPageOf('user', [
        { v: 'new', id: 2 },
        { id: 9007199254740993n, v: 1 },
      ]),
      aPageOf('user', [{ id: 9007199254740992n, v: 2 }, { id: 9007199254740993n, v: 3 }, { v: 'no key' }], next(2)),
      aPageOf('user', [{ id: null }, 'text', { id: [1] }, { id: [1], v: 'last' }], next(3)),
    ];
    expect(await store([keyed], pages)).toEqual([
      { ...newTable('user.ndjson', 7), repeated: 2, added: 6, changed: 1, total: 12 },
    ]);
    expect((await textsIn(folder))['user.ndjson']?.split('\n')).toEqual([
      '{"id":1,"v":"old"}',
      '{"id":"1","v":"a text"}',
      '[0]',
      '{"v":"no key"}',
      '{"id":null}',
      '{"v":"new","id":2}',
      '{"id":9007199254740992,"v":2}',
      '{"id":9007199254740993,"v":3}',
      '{"v":"no key"}',
      '{"id":null}',
      '"text"',
      '{"id":[1],"v":"last"}',
      '',
    ]);
  });

  it('equals its model with any keys, old and new', async () => {
    const item = fc.record({
      id: fc.constantFrom(1, 2, '1', true, 'ä', null),
      day: fc.constantFrom(1, null, 'x'),
      v: fc.nat(),
    });
    const outputs = [anOutput({ incremental: true, primaryKeys: new Map([['user', ['id', 'day']]]) })];
    await fc.assert(
      fc.asyncProperty(fc.array(fc.array(item, { maxLength: 8 }), { maxLength: 5 }), async (runs) => {
        await rm(folder, { recursive: true });
        const model = new Map<unknown, string>();
        for (const items of runs) {
          await store(outputs, [aPageOf('user', items)]);
          for (const one of items) {
            const key = one.id === null && one.day === null ? Symbol() : stringifyJson([one.id, one.day]);
            model.delete(key);
            model.set(key, `${stringifyJson(one)}\n`);
          }
        }
        await mkdir(folder, { recursive: true });
        expect((await textsIn(folder))['user.ndjson'] ?? '').toBe([...model.values()].join(''));
      }),
      { numRuns: runsOf(25) },
    );
  });

  it('writes lines that are larger than what is written at once', async () => {
    const long = 'x'.repeat(1_200_000);
    const items = [{ id: 1, long }, { id: 2 }, { id: 1 }, { id: 3, long }, { id: 4 }];
    await store([keyed], [aPageOf('user', items)]);
    const lines = [{ id: 2 }, { id: 1 }, { id: 3, long }, { id: 4 }].map((one) => `${JSON.stringify(one)}\n`);
    expect((await textsIn(folder))['user.ndjson'] === lines.join('')).toBe(true);
  });

  describe('the file of a table that has a file of the journal for itself', () => {
    const inJournal = (file: number): string => join(folder, '.headwater', 'journal', `${file}.data`);
    const table = (name: string): string => join(folder, `${name}.ndjson`);

    it('is that file, which nothing changes any more', async () => {
      const sink = ndjsonFolder(folder, [anOutput()]);
      await sink.open();
      await sink.begin(aHead());
      await sink.write(aPageOf('user', [1]));
      await sink.write(aPageOf('user', [2], next(2)));
      const { ino } = await stat(inJournal(0));
      expect(await sink.commit({})).toEqual([newTable('user.ndjson', 2)]);
      expect((await stat(table('user'))).ino).toBe(ino);
      await appendFile(table('user'), '"by hand"\n');
      await link(table('user'), join(root, 'kept'));
      await sink.begin(aHead({ id: 'next' }));
      await sink.write(aPageOf('user', [3]));
      await sink.commit({});
      await sink.close();
      expect(await readFile(join(root, 'kept'), 'utf8')).toBe('1\n2\n"by hand"\n');
      expect(await textsIn(folder)).toEqual({ 'user.ndjson': '3\n' });
    });

    it('is made of the pages where the journal has others in that file', async () => {
      const twice = [aPageOf('user', [1]), aPageOf('user', [2], { checkpoint: { call: [0], pages: 1 } })];
      await store([anOutput()], twice);
      expect(await textsIn(folder)).toEqual({ 'user.ndjson': '2\n' });
    });

    it('is made of the pages where rows have columns of the run', async () => {
      await store([anOutput()], [stamped(aPageOf('user', [{ id: 1 }]), 'r'), aPageOf('user', [{ id: 2 }], next(2))]);
      expect((await readFile(table('user'), 'utf8')).split('\n')).toEqual([
        expect.stringMatching(/^\{"id":1,.*"r".*\}$/),
        '{"id":2}',
        '',
      ]);
    });

    it('is not read: its rows were counted when the pages came', async () => {
      const sink = ndjsonFolder(folder, [anOutput()]);
      await sink.open();
      await sink.begin(aHead());
      await sink.write(aPageOf('user', [1, 2]));
      const opening = jest.spyOn(promises, 'open');
      expect(await sink.commit({})).toEqual([newTable('user.ndjson', 2)]);
      expect(opening.mock.calls.map(([path]) => path)).not.toContain(inJournal(0));
      opening.mockRestore();
      await sink.close();
    });

    it('is refused where its end is not that of the last page', async () => {
      const sink = ndjsonFolder(folder, [anOutput()]);
      await sink.open();
      await sink.begin(aHead());
      await sink.write(aPageOf('user', [1]));
      await writeFile(inJournal(0), '17\n');
      await expect(sink.commit({})).rejects.toMatchObject({ code: 'JOURNAL_DAMAGED' });
      await sink.close();
      expect(await textsIn(folder)).toEqual({});
    });

    it('is refused in a run that goes on where a page is not as it was written', async () => {
      const first = ndjsonFolder(folder, [anOutput()]);
      await first.open();
      await first.begin(aHead());
      await first.write(aPageOf('user', [1]));
      await first.close();
      await writeFile(inJournal(0), '7\n');
      const sink = ndjsonFolder(folder, [anOutput()]);
      const { damage } = await sink.open();
      expect(damage).toMatchObject({ code: 'JOURNAL_DAMAGED' });
      await sink.close();
      expect(await textsIn(folder)).toEqual({});
    });
  });

  it('names the bucket where tables of several meet; runs of one share its files', async () => {
    const outputs = [
      anOutput({ bucket: 'a' }),
      anOutput({ bucket: 'b', incremental: true }),
      anOutput(),
      anOutput({ bucket: 'a' }),
    ];
    await old('"old"\n', 'a.user.ndjson');
    await old('"old"\n', 'b.user.ndjson');
    await store(
      outputs,
      outputs.map((_, run) => aPageOf('user', [run], { iteration: run, checkpoint: { call: [run, 0] } })),
    );
    expect(await textsIn(folder)).toEqual({
      'a.user.ndjson': '0\n3\n',
      'b.user.ndjson': '"old"\n1\n',
      'user.ndjson': '2\n',
    });
    await store([anOutput({ bucket: 'a' })], [aPageOf('user', ['alone'])]);
    expect((await textsIn(folder))['user.ndjson']).toBe('"alone"\n');
  });

  it.each([
    ['../user', '%2E.%2Fuser.ndjson'],
    ['a/b', 'a%2Fb.ndjson'],
    ['a\\b', 'a%5Cb.ndjson'],
    ['a\0', 'a%00.ndjson'],
    ['a%2Fb', 'a%252Fb.ndjson'],
    ['.headwater', '%2Eheadwater.ndjson'],
  ])('names the file of %j as a URL would', async (dataType, file) => {
    await store([anOutput()], [aPageOf(dataType, [1])]);
    expect(await textsIn(folder)).toEqual({ [file]: '1\n' });
    expect(await readdir(root)).toEqual(['out']);
  });

  describe('killed', () => {
    let js: string;
    beforeAll(async () => (js = await mkdtemp(join(tmpdir(), 'headwater-spec-'))));
    afterAll(() => rm(js, { recursive: true }));
    const outputs = [added];
    const pages = [
      aPageOf('a', [1, 2]),
      aPageOf('b', ['x'], { checkpoint: { call: [0, 1] } }),
      aPageOf('a', [3], next(2)),
    ];
    const before = { 'a.ndjson': '"old"\n', other: 'stays' };
    const after = { 'a.ndjson': '"old"\n1\n2\n3\n', 'b.ndjson': '"x"\n', other: 'stays' };
    const begun = async (): Promise<DurableSink> => {
      await old('"old"\n', 'a.ndjson');
      await old('stays', 'other');
      const sink = ndjsonFolder(folder, outputs);
      await sink.open();
      await sink.begin(aHead());
      for (const page of pages) await sink.write(page);
      return sink;
    };
    const program = (rest: string): string => `
      const sink = require(args[0]).ndjsonFolder(folder, [{ incremental: true, compatLevel: 3 }]);
      ${rest}
      await sink.close();`;
    const commitProgram = program('await sink.open(); start(); await sink.commit({ n: 1 });');

    /** Each file is the old or the new one; then all are the new ones. */
    const expectOnce = async (place: string): Promise<void> => {
      const texts = await textsIn(place);
      for (const [name, text] of Object.entries(texts)) {
        const key = name as keyof typeof after;
        expect([{ 'b.ndjson': undefined, ...before }[key], after[key]]).toContain(text);
      }
      const sink = ndjsonFolder(place, outputs);
      const { unfinished } = await sink.open();
      if (unfinished !== undefined) {
        expect(texts).toEqual(before);
        expect(await allOf(unfinished.checkpoints())).toHaveLength(3);
        await sink.commit({ n: 1 });
      }
      expect(await textsIn(place)).toEqual(after);
      expect(await sink.open()).toMatchObject({ finished: 'run-1', state: { n: 1 } });
      await sink.close();
    };

    itOfAll('before any step of a commit, everything is in place once, then or when it is opened again', async () => {
      await (await begun()).close();
      const source = await compiled('sinks/ndjson/index', js);
      const steps = await (await stepwise(commitProgram, root)).copied(folder, join(root, 'copies'), source);
      expect(steps).toBeGreaterThan(20);
      for (let at = 0; at < steps; at += 1) await expectOnce(join(root, 'copies', String(at)));
      await expectOnce(folder);
    });

    itOfAll('before any step of the opening that finishes a commit, as well', async () => {
      await (await begun()).close();
      const source = await compiled('sinks/ndjson/index', js);
      const steps = await (await stepwise(commitProgram, root)).copied(folder, join(root, 'copies'), source);
      const places = Array.from({ length: steps }, (_, at) => join(root, 'copies', String(at)));
      const isDecided = async (place: string): Promise<boolean> =>
        (await readdir(join(place, '.headwater'))).includes('commit.json');
      const decided = (await Promise.all(places.map(isDecided))).indexOf(true);
      const place = places[decided] ?? '';
      const opening = await stepwise(program('start(); await sink.open();'), root);
      const repeated = await opening.copied(place, join(root, 'again'), source);
      expect(repeated).toBeGreaterThan(10);
      for (let at = 0; at < repeated; at += 1) await expectOnce(join(root, 'again', String(at)));
    });

    itOfAll('with SIGKILL at any moment, and again, a run that goes on stores each item once', async () => {
      await old('"old"\n', 'a.ndjson');
      const source = await compiled('sinks/ndjson/index', js);
      const run = await stepwise(
        program(`
          start();
          const standing = await sink.open();
          if (standing.finished !== 'run-1') {
            let done = 0;
            if (standing.unfinished === undefined)
              await sink.begin({ id: 'run-1', fingerprint: 'f', startedAt: 1, previousStart: 0 });
            else for await (const { pages } of standing.unfinished.checkpoints()) done = pages;
            for (let page = done; page < 12; page += 1)
              await sink.write({
                iteration: 0,
                table: 'a',
                count: 1,
                lines: () => Buffer.from(page + '\\n'),
                reply: { response: {}, data: [page] },
                extra: new Map(),
                checkpoint: { call: [0, 0], job: 'j', pages: page + 1, items: page + 1, volume: 0 },
              });
            await sink.commit({ n: 1 });
          }`),
        root,
      );
      let kills = 0;
      for (const at of [3, 9, 17, 26, 30, 31, 34, 12, 22, 8, 15, 10, 19]) {
        if (await run.killed(folder, at, source)) break;
        kills += 1;
      }
      await run.killed(folder, -1, source);
      expect(kills).toBeGreaterThan(3);
      const numbers = Array.from({ length: 12 }, (_, at) => `${at}\n`);
      expect(await textsIn(folder)).toEqual({ 'a.ndjson': `"old"\n${numbers.join('')}` });
    });
  });
});
