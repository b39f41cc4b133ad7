import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFile, mkdir, mkdtemp, readdir, readFile, rm, stat, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import fc from 'fast-check';
import type { Page } from '../../../src/core/model';
import { fileJournal } from '../../../src/sinks/journal/file-journal';
import type { Journal } from '../../../src/sinks/journal/journal';
import { runsOf, someOf } from '../../support/cases';
import { aHead, allOf, allPages, aPageOf, asJournaled, compiled, stepwise, textsIn } from '../../support/durable';

/** Three pages of two tables, with all that can stand in a record. */
const three: readonly Page[] = [
  aPageOf('user', [{ id: 9007199254740993n, name: 'Zoë "\n' }, null], {
    extra: new Map([
      ['b', '1'],
      ['__proto__', '"2"'],
      ['1', ''],
    ]),
    checkpoint: {
      position: { next: 9007199254740993n },
      digest: 'abc',
      cursor: { parent: '{"id":"1"}', value: 9007199254740993n, least: 1, furthest: 9007199254740995n, ascends: true },
    },
  }),
  aPageOf('order', [[1.5]], { iteration: 3, checkpoint: { call: [3, 1, 0, 0], parents: '{"id":1}\n' } }),
  aPageOf('user', ['x'], { checkpoint: { pages: 2, items: 3, volume: 120 } }),
];

/** The same in few bytes. */
const short: readonly Page[] = [
  aPageOf('a', [1, 'ä']),
  aPageOf('b', [2], { checkpoint: { call: [1] } }),
  aPageOf('a', [3], { checkpoint: { pages: 2 } }),
];

describe('fileJournal', () => {
  let root: string;
  let folder: string;
  beforeEach(async () => {
    root = await mkdtemp(join(tmpdir(), 'headwater-spec-'));
    folder = join(root, 'deep', 'journal');
  });
  const opened: Journal[] = [];
  afterEach(async () => {
    for (const journal of opened.splice(0)) await journal.close();
    await rm(root, { recursive: true });
  });
  const journalIn = (place: string): Journal => {
    const journal = fileJournal(place);
    opened.push(journal);
    return journal;
  };

  const filled = async (pages: readonly Page[], head = aHead()): Promise<Journal> => {
    const journal = journalIn(folder);
    await journal.open();
    await journal.begin(head);
    for (const page of pages) await journal.append(page);
    return journal;
  };
  const expectPages = async (journal: Journal, pages: readonly Page[]): Promise<void> => {
    expect(await allPages(journal.pages())).toEqual(pages.map(asJournaled));
    expect(await allOf(journal.checkpoints())).toEqual(pages.map(({ checkpoint }) => checkpoint));
  };

  it('is empty at first', async () => {
    const journal = journalIn(folder);
    expect(await journal.open()).toBeUndefined();
    await expectPages(journal, []);
    await journal.close();
  });

  it('gives pages back as they were, to the process that wrote them and to the next', async () => {
    const head = aHead({ startedAt: 1.5, previousStart: 7 });
    const journal = await filled(three, head);
    await expectPages(journal, three);
    const next = journalIn(folder);
    expect(await next.open()).toEqual(head);
    await expectPages(next, three);
    await next.close();
    const afterClose = journalIn(folder);
    expect(await afterClose.open()).toEqual(head);
    await expectPages(afterClose, three);
    await afterClose.close();
    await journal.close();
  });

  it('keeps pages without items', async () => {
    const pages = [aPageOf('user', []), aPageOf('user', [1], { checkpoint: { pages: 2 } })];
    await filled(pages);
    const next = journalIn(folder);
    await next.open();
    await expectPages(next, pages);
    await next.close();
  });

  it('goes on behind what it has', async () => {
    await filled(three.slice(0, 2));
    const next = journalIn(folder);
    await next.open();
    await next.append(three[2] as Page);
    const last = aPageOf('third', [true], { checkpoint: { call: [0, 5] } });
    await next.append(last);
    await expectPages(next, [...three, last]);
    await next.close();
  });

  it('is for its owner only', async () => {
    const journal = await filled(three);
    const modeOf = async (path: string): Promise<string> => ((await stat(path)).mode & 0o777).toString(8);
    expect(await modeOf(folder)).toBe('700');
    const names = (await readdir(folder)).sort();
    const socket = expect.stringMatching(/^lock-.*\.sock$/) as string;
    expect(names).toEqual(['0.data', '1.data', 'head.json', 'journal.ndjson', 'lock', socket]);
    for (const name of names) expect(`${name} ${await modeOf(join(folder, name))}`).toBe(`${name} 600`);
    await journal.close();
  });

  it('forgets everything when a run is begun, and when it is cleared', async () => {
    const journal = await filled(three);
    const head = aHead({ id: 'run-2' });
    await journal.begin(head);
    await expectPages(journal, []);
    await journal.append(three[1] as Page);
    await expectPages(journal, three.slice(1, 2));
    await journal.clear();
    await expectPages(journal, []);
    expect(await journal.open()).toBeUndefined();
    expect((await readdir(folder)).filter((name) => !name.endsWith('.sock'))).toEqual(['lock']);
    await journal.close();
  });

  it('takes pages that come at once one after another', async () => {
    const journal = await filled([]);
    const pages = Array.from({ length: 50 }, (_, at) => aPageOf('user', [at], { checkpoint: { pages: at + 1 } }));
    await Promise.all(pages.map((page) => journal.append(page)));
    await expectPages(journal, pages);
    await journal.close();
  });

  it('can be read while pages come: up to where it was', async () => {
    const journal = await filled(three.slice(0, 2));
    const reading = journal.pages()[Symbol.asyncIterator]();
    expect((await reading.next()).value).toEqual(asJournaled(three[0] as Page));
    await journal.append(three[2] as Page);
    expect((await reading.next()).value).toEqual(asJournaled(three[1] as Page));
    expect((await reading.next()).done).toBe(true);
    await expectPages(journal, three);
    await journal.close();
  });

  it('has records and pages that are larger than what is read at once', async () => {
    const long = 'ä'.repeat(300_000);
    const pages = [
      aPageOf('user', [long, 1], { checkpoint: { parents: long } }),
      aPageOf('user', [2], { checkpoint: { pages: 2, parents: long } }),
    ];
    await filled(pages);
    const next = journalIn(folder);
    await next.open();
    expect((await allOf(next.checkpoints())).map(({ parents }) => parents === long)).toEqual([true, true]);
    const lines = (await allPages(next.pages())).map((page) => Buffer.from(page.lines).toString('utf8'));
    expect(lines).toEqual([`"${long}"\n1\n`, '2\n']);
    await next.close();
  });

  describe('cut anywhere', () => {
    /** Every length that a file can have been left with. */
    const eachLength = async (file: string, check: (length: number, next: Journal) => Promise<void>): Promise<void> => {
      await (await filled(short)).close();
      const files = await textsIn(folder);
      const bytes = Buffer.from(files[file] ?? '');
      const all = Array.from({ length: bytes.length + 1 }, (_, at) => bytes.length - at);
      for (const length of bytes.length > 100 ? someOf(all, 4) : all) {
        for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
        await writeFile(join(folder, file), bytes.subarray(0, length));
        const next = journalIn(folder);
        expect(await next.open()).toEqual(aHead());
        await check(length, next);
        await next.close();
      }
    };
    const prefixOf = async (next: Journal): Promise<number> => {
      const pages = await allPages(next.pages());
      expect(pages).toEqual(short.slice(0, pages.length).map(asJournaled));
      return pages.length;
    };

    it('its records give all pages whose record is whole, and it can go on', async () => {
      const lengths = new Set<number>();
      await eachLength('journal.ndjson', async (length, next) => {
        const kept = await prefixOf(next);
        lengths.add(kept);
        if (length % 8 > 0) return;
        for (const page of short.slice(kept)) await next.append(page);
        await expectPages(next, short);
      });
      expect([...lengths]).toEqual([3, 2, 1, 0]);
    });

    it('the lines of a table give all pages before the first that is not whole', async () => {
      const lengths = new Set<number>();
      await eachLength('0.data', async (_, next) => {
        const kept = await prefixOf(next);
        lengths.add(kept);
        for (const page of short.slice(kept)) await next.append(page);
        await expectPages(next, short);
      });
      expect([...lengths]).toEqual([3, 2, 0]);
    });

    it('lines without a record do not count', async () => {
      await filled(three);
      await appendFile(join(folder, '0.data'), '{"half');
      const next = journalIn(folder);
      await next.open();
      await expectPages(next, three);
      const more = aPageOf('user', [5], { checkpoint: { pages: 3 } });
      await next.append(more);
      await expectPages(next, [...three, more]);
      await next.close();
    });

    it.each(['garbage\n', '{}\n', '\n', '\0\0\0\0\n', '[1]\n', '{"call":[0]'])('ends before %j', async (junk) => {
      await filled(three);
      const records = join(folder, 'journal.ndjson');
      const good = await readFile(records, 'utf8');
      await appendFile(records, junk + good);
      const next = journalIn(folder);
      await next.open();
      await expectPages(next, three);
      await next.close();
      expect(await readFile(records, 'utf8')).toBe(good);
    });

    it('ends before a byte that is another one', async () => {
      await filled(three);
      const records = join(folder, 'journal.ndjson');
      const lines = (await readFile(records, 'utf8')).split('\n');
      await writeFile(records, [lines[0], lines[1]?.replace('"offset":0', '"offset":1'), ...lines.slice(2)].join('\n'));
      const next = journalIn(folder);
      await next.open();
      await expectPages(next, three.slice(0, 1));
      await next.close();
    });

    it('without its head it is empty, whatever else is left', async () => {
      await (await filled(three)).close();
      await rm(join(folder, 'head.json'));
      const next = journalIn(folder);
      expect(await next.open()).toBeUndefined();
      await expectPages(next, []);
      await next.begin(aHead({ id: 'run-2' }));
      await expectPages(next, []);
      await next.close();
    });
  });

  it('killed anywhere while a run is begun, it has the old run or none or the new one, never old pages in the new', async () => {
    const source = await compiled('sinks/journal/file-journal', join(root, 'js'));
    const program = `
      const journal = require(args[0]).fileJournal(folder);
      await journal.open();
      start();
      await journal.begin({ id: 'run-2', fingerprint: 'f', startedAt: 1, previousStart: 0 });
      await journal.close();`;
    await (await filled(three)).close();
    const copies = join(root, 'copies');
    const steps = await (await stepwise(program, root)).copied(folder, copies, source);
    const found = new Set<string>();
    for (let at = 0; at < steps; at += 1) {
      const next = journalIn(join(copies, String(at)));
      const head = await next.open();
      found.add(`${String(head?.id)}: ${(await allPages(next.pages())).length}`);
      await expectPages(next, head?.id === 'run-1' ? three : []);
      await next.close();
    }
    expect([...found]).toEqual(['run-1: 3', 'undefined: 0', 'run-2: 0']);
  });

  it('leaves out pages of calls that were made again, and of calls below them', async () => {
    const page = (call: readonly number[], pages: number, item: string): Page =>
      aPageOf('user', [item], { checkpoint: { call, pages } });
    const pages = [
      page([0, 1], 1, 'dropped'),
      page([0, 1, 0, 0], 1, 'dropped, below'),
      page([0, 10], 1, 'stays: another call'),
      page([0, 1], 2, 'dropped too'),
      page([0, 1], 1, 'again'),
      page([0, 1, 0, 0], 1, 'below, dropped'),
      page([0, 1, 0, 1], 1, 'below'),
      page([0, 1, 0, 0], 1, 'below, again'),
      page([0, 1], 2, 'goes on'),
    ];
    const journal = await filled(pages);
    const lines = (await allPages(journal.pages())).map((one) => Buffer.from(one.lines).toString('utf8'));
    expect(lines).toEqual(['stays: another call', 'again', 'below', 'below, again', 'goes on'].map((s) => `"${s}"\n`));
    expect(await allOf(journal.checkpoints())).toHaveLength(9);
    await journal.close();
  });

  it('equals its model after any pages, crashes and restarts', async () => {
    const calls = [[0], [0, 0], [0, 0, 0, 0], [0, 0, 0, 1], [0, 1], [1, 0]];
    const step = fc.oneof(
      {
        weight: 6,
        arbitrary: fc.record({
          kind: fc.constant('page' as const),
          table: fc.constantFrom('a', 'b', '__proto__'),
          call: fc.constantFrom(...calls),
          pages: fc.integer({ min: 1, max: 3 }),
          items: fc.array(fc.jsonValue(), { maxLength: 3 }),
        }),
      },
      { weight: 1, arbitrary: fc.record({ kind: fc.constant('crash' as const), cut: fc.nat(400) }) },
      { weight: 1, arbitrary: fc.constant({ kind: 'close' as const }) },
    );
    const isBelow = (call: readonly number[], above: readonly number[]): boolean =>
      above.every((number, at) => call[at] === number);
    let runs = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 25 }), async (steps) => {
        folder = join(root, `property-${(runs += 1)}`);
        let journal = await filled([]);
        let model: Page[] = [];
        for (const one of steps) {
          if (one.kind === 'page') {
            const { call, pages, items } = one;
            const page = aPageOf(one.table, items as never, { checkpoint: { call, pages } });
            await journal.append(page);
            model.push(page);
            continue;
          }
          if (one.kind === 'close') await journal.close();
          else {
            const records = join(folder, 'journal.ndjson');
            await truncate(records, Math.max(0, (await stat(records)).size - one.cut));
          }
          journal = journalIn(folder);
          expect(await journal.open()).toEqual(aHead());
          const { length } = await allOf(journal.checkpoints());
          if (one.kind === 'close' || one.cut === 0) expect(length).toBe(model.length);
          model = model.slice(0, length);
        }
        const kept = model.filter(
          ({ checkpoint: { call } }, at) =>
            !model.slice(at + 1).some(({ checkpoint: later }) => later.pages === 1 && isBelow(call, later.call)),
        );
        expect(await allPages(journal.pages())).toEqual(kept.map(asJournaled));
        expect(await allOf(journal.checkpoints())).toEqual(model.map(({ checkpoint }) => checkpoint));
        await journal.close();
      }),
      { numRuns: runsOf(40) },
    );
  });

  describe('with others', () => {
    const lock = (): string => join(folder, 'lock');

    it('refuses a folder that a living process has, until it ends', async () => {
      const child = spawn(process.execPath, ['-e', 'setTimeout(() => undefined, 10000)'], { stdio: 'ignore' });
      await once(child, 'spawn');
      await mkdir(folder, { recursive: true });
      await writeFile(lock(), String(child.pid));
      const journal = journalIn(folder);
      await expect(journal.open()).rejects.toMatchObject({
        code: 'DESTINATION_LOCKED',
        message: expect.stringContaining(`Another run (process ${child.pid}) writes to the folder`) as string,
      });
      await journal.close();
      expect(await readFile(lock(), 'utf8')).toBe(String(child.pid));
      child.kill('SIGKILL');
      await once(child, 'close');
      await journal.open();
      expect(await readFile(lock(), 'utf8')).toMatch(new RegExp(`^${process.pid} `));
      await journal.close();
      expect(await readdir(folder)).toEqual([]);
    });

    it.each([
      ['is empty', ''],
      ['says anything', 'garbage'],
      ['is of this process', String(process.pid)],
      ['is of a process whose number another one has now', `${process.ppid} 1`],
    ])('takes over a lock that %s', async (_, text) => {
      await mkdir(folder, { recursive: true });
      await writeFile(lock(), text);
      const journal = journalIn(folder);
      await journal.open();
      expect(await readFile(lock(), 'utf8')).toMatch(new RegExp(`^${process.pid} `));
      await journal.close();
    });

    (process.platform === 'linux' ? it : it.skip)(
      'takes over from a killed process whose parent has not heard of it (Linux tells them apart)',
      async () => {
        // The shell becomes a sleep, which does not ask after its children.
        const shell = spawn('sh', ['-c', 'sleep 0.3 & echo $!; exec sleep 12'], {
          stdio: ['ignore', 'pipe', 'ignore'],
        });
        const [number] = (await once(shell.stdout, 'data')) as [Buffer];
        await mkdir(folder, { recursive: true });
        await writeFile(lock(), number.toString().trim());
        const isZombie = async (): Promise<boolean> =>
          (await readFile(`/proc/${Number(number)}/stat`, 'latin1')).includes(') Z ');
        for (let tries = 0; tries < 100 && !(await isZombie()); tries += 1) await wait(50);
        expect(process.kill(Number(number), 0)).toBe(true);
        const journal = journalIn(folder);
        await expect(journal.open()).resolves.toBeUndefined();
        await journal.close();
        shell.kill();
      },
      15_000,
    );

    it('of several processes that find a dead lock one takes it', async () => {
      const source = await compiled('sinks/journal/file-journal', join(root, 'js'));
      await mkdir(folder, { recursive: true });
      await writeFile(lock(), '4194304 1');
      const program = `
        const journal = require(args[0]).fileJournal(folder);
        const { appendFile, stat } = require('node:fs/promises');
        try {
          await journal.open();
        } catch (error) {
          if (error.code === 'DESTINATION_LOCKED') await appendFile(args[1], '.');
          throw error;
        }
        for (let wait = 0; wait < 200 && (await stat(args[1]).catch(() => ({}))).size !== 3; wait += 1)
          await new Promise((resolve) => setTimeout(resolve, 25));
        await journal.close();`;
      const refused = join(root, 'refused');
      const { killed } = await stepwise(program, root);
      const outcomes = await Promise.allSettled([1, 2, 3, 4].map(() => killed(folder, -1, source, refused)));
      expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
      expect(await readFile(refused, 'utf8')).toBe('...');
      expect(await readdir(folder)).toEqual([]);
    });
  });

  it('says so when the folder cannot be used', async () => {
    await writeFile(join(root, 'deep'), '');
    await expect(journalIn(folder).open()).rejects.toMatchObject({
      code: 'DESTINATION_ADDRESS',
      message: expect.stringContaining('something else is in its place') as string,
    });
  });

  it('says so when the head is not that of a run', async () => {
    await (await filled([])).close();
    await writeFile(join(folder, 'head.json'), '{"id":1}');
    const journal = journalIn(folder);
    expect(await journal.open()).toBeUndefined();
    const damage: unknown = expect.objectContaining({
      code: 'JOURNAL_DAMAGED',
      message: expect.stringMatching(/head\.json" was changed or damaged.*Run again without --resume/) as string,
    });
    expect(journal.damage()).toEqual(damage);
    expect(() => journal.checkpoints()).toThrow('head.json');
    await expect(journal.append(three[0] as Page)).rejects.toEqual(damage);
    await journal.begin(aHead());
    expect(journal.damage()).toBeUndefined();
    await journal.append(three[0] as Page);
    await expectPages(journal, three.slice(0, 1));
  });

  it('gives an error and not other lines when bytes of a page are changed while it is open', async () => {
    const journal = await filled(three);
    const data = join(folder, '0.data');
    await writeFile(data, (await readFile(data, 'utf8')).replace('Zoë', 'Zoe '));
    await expect(allPages(journal.pages())).rejects.toMatchObject({
      code: 'JOURNAL_DAMAGED',
      message: expect.stringMatching(
        /0\.data" was changed.*a page of the table "user" is not as it was written/,
      ) as string,
    });
  });

  describe('of which some was safe', () => {
    /** Three pages, of which the first is safe, against a loss of power as well. */
    const closed = async (): Promise<{ readonly data: string; readonly text: string }> => {
      let now = 0;
      const clock = jest.spyOn(performance, 'now').mockImplementation(() => now);
      const journal = await filled(three.slice(0, 1));
      now += 1000;
      await journal.append(three[1] as Page);
      await journal.append(three[2] as Page);
      clock.mockRestore();
      await journal.close();
      const data = join(folder, '0.data');
      return { data, text: await readFile(data, 'utf8') };
    };
    it('ends before a later page that is cut, and goes on', async () => {
      const { data, text } = await closed();
      await writeFile(data, text.slice(0, -1));
      const next = journalIn(folder);
      await next.open();
      expect(next.damage()).toBeUndefined();
      await expectPages(next, three.slice(0, 2));
      await next.append(three[2] as Page);
      await expectPages(next, three);
    });

    it.each([
      ['the safe page is cut', 'pages that were safe are missing', (text: string) => text.slice(0, 5)],
      ['it has other bytes', 'a page of the table "user" is not', (text: string) => text.replace('Zoë', 'Zoe ')],
      [
        'a later page has other bytes',
        'a page of the table "user" is not',
        (text: string) => text.replace('"x"', '"y"'),
      ],
    ])('does not go on when %s, and leaves the file as it is', async (_, what, change) => {
      const { data, text } = await closed();
      await writeFile(data, change(text));
      const next = journalIn(folder);
      await next.open();
      expect(next.damage()).toMatchObject({
        code: 'JOURNAL_DAMAGED',
        message: expect.stringMatching(`0\\.data" was changed or damaged by others .${what}`) as string,
      });
      expect(() => next.places()).toThrow('0.data');
      // Nothing is cut before a run is begun.
      expect(await readFile(data, 'utf8')).toBe(change(text));
    });
  });

  it('says so when pages were changed while it was open', async () => {
    const journal = await filled(three);
    await truncate(join(folder, '0.data'), 5);
    await expect(allPages(journal.pages())).rejects.toMatchObject({ code: 'DESTINATION_DAMAGED' });
    await truncate(join(folder, 'journal.ndjson'), 5);
    await expect(allOf(journal.checkpoints())).rejects.toMatchObject({ code: 'DESTINATION_DAMAGED' });
    await journal.close();
  });
});
