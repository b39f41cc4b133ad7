/** Compressed files of tables (docs/sinks.md#compressed-files). */
import fc from 'fast-check';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import type { OutputPlan } from '../../../src/plan/plan';
import { csvTables } from '../../../src/sinks/csv';
import { PLAIN } from '../../../src/sinks/csv/files';
import { LatestRows } from '../../../src/sinks/files/old-files';
import { ndjsonFolder } from '../../../src/sinks/ndjson';
import { itOfAll } from '../../support/cases';
import { aHead, anOutput, aPageOf, compiled, stepwise } from '../../support/durable';

const replaced = anOutput();
const added = anOutput({ incremental: true });
const keyed = anOutput({ incremental: true, primaryKeys: new Map([['user', ['id']]]) });

describe('compressed files', () => {
  let root: string;
  let folder: string;
  let warned: string[] = [];
  let runs = 0;
  beforeEach(async () => {
    root = await mkdtemp(join(tmpdir(), 'headwater-spec-'));
    folder = join(root, 'out');
    await mkdir(folder);
    warned = [];
  });
  afterEach(() => rm(root, { recursive: true }));

  const warn = (_: string, message: string): number => warned.push(message);
  const kinds = {
    ndjson: (output: OutputPlan, compress?: 'gzip') =>
      ndjsonFolder(folder, [output], { warn, ...(compress && { compress }) }),
    csv: (output: OutputPlan, compress?: 'gzip') =>
      csvTables({ folder, layout: PLAIN, outputs: [output], warn, ...(compress && { compress }) }),
  };
  const store = async (
    kind: keyof typeof kinds,
    output: OutputPlan,
    items: object[],
    compress?: 'gzip',
  ): Promise<unknown> => {
    const sink = kinds[kind](output, compress);
    await sink.open();
    await sink.begin(aHead({ id: `run ${(runs += 1)}` }));
    try {
      await sink.write(aPageOf('user', items as never));
      return await sink.commit({});
    } finally {
      await sink.close();
    }
  };
  /** All files, with their plain texts. */
  const files = async (place = folder): Promise<Record<string, string>> => {
    const names = (await readdir(place)).filter((name) => !name.startsWith('.')).sort();
    const texts = names.map(async (name): Promise<[string, string]> => {
      const bytes = await readFile(join(place, name));
      return [name, (name.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString()];
    });
    return Object.fromEntries(await Promise.all(texts));
  };
  const text = {
    ndjson: (...items: object[]) => items.map((item) => `${JSON.stringify(item)}\n`).join(''),
    csv: (...items: { id: number; a: string }[]) =>
      ['"id","a"\n', ...items.map(({ id, a }) => `"${id}","${a}"\n`)].join(''),
  };
  const [one, two, three] = [
    { id: 1, a: 'x' },
    { id: 2, a: 'y' },
    { id: 1, a: 'z' },
  ] as const;

  describe.each(['ndjson', 'csv'] as const)('%s', (kind) => {
    const plain = `user.${kind}`;
    const packed = `${plain}.gz`;

    it('are replaced', async () => {
      expect(await store(kind, replaced, [one], 'gzip')).toMatchObject([{ name: packed }]);
      await store(kind, replaced, [two], 'gzip');
      expect(await files()).toEqual({ [packed]: text[kind](two) });
    });

    it('get rows, and by a key rows are replaced', async () => {
      await store(kind, added, [one], 'gzip');
      await store(kind, added, [two], 'gzip');
      expect(await files()).toEqual({ [packed]: text[kind](one, two) });
      await store(kind, keyed, [three], 'gzip');
      const [[name, rows] = ['', '']] = Object.entries(await files());
      expect(name).toBe(packed);
      expect(rows.split('\n').sort()).toEqual(text[kind](three, two).split('\n').sort());
    });

    it('keep the rows of a file that was not compressed, and take its place; and the other way round', async () => {
      await store(kind, added, [one]);
      await store(kind, added, [two], 'gzip');
      expect(await files()).toEqual({ [packed]: text[kind](one, two) });
      await store(kind, added, [three]);
      expect(await files()).toEqual({ [plain]: text[kind](one, two, three) });
    });

    it('take the place of a file that was not compressed where tables are replaced; and the other way round', async () => {
      await store(kind, replaced, [one]);
      await store(kind, replaced, [two], 'gzip');
      expect(await files()).toEqual({ [packed]: text[kind](two) });
      await store(kind, replaced, [one]);
      expect(await files()).toEqual({ [plain]: text[kind](one) });
      expect(warned).toEqual([]);
    });

    it('of somebody else stay, with a warning', async () => {
      await writeFile(join(folder, packed), gzipSync('mine'));
      await store(kind, replaced, [one]);
      expect(await files()).toEqual({ [plain]: text[kind](one), [packed]: 'mine' });
      expect(warned).toEqual([expect.stringContaining(`was not made by the last run, and stays`)]);
    });

    it('where rows are added, are refused beside one that is not compressed', async () => {
      await writeFile(join(folder, packed), gzipSync(text[kind](one)));
      await writeFile(join(folder, plain), text[kind](two));
      await expect(store(kind, added, [one], 'gzip')).rejects.toMatchObject({ code: 'DESTINATION_INCOMPATIBLE' });
      expect(Object.keys(await files())).toEqual([plain, packed]);
    });

    it.each([
      ['cut off', -4],
      ['that are none', 0],
    ])('%s are damaged', async (_, end) => {
      const bytes = end === 0 ? Buffer.from('plain') : gzipSync(text[kind](one)).subarray(0, end);
      await writeFile(join(folder, packed), bytes);
      await expect(store(kind, added, [two], 'gzip')).rejects.toMatchObject({ code: 'DESTINATION_DAMAGED' });
      expect(await readFile(join(folder, packed))).toEqual(bytes);
    });

    it('of several parts are read to the end', async () => {
      await writeFile(
        join(folder, packed),
        Buffer.concat([gzipSync(text[kind](one)), gzipSync(kind === 'csv' ? '"2","y"\n' : text.ndjson(two))]),
      );
      await store(kind, added, [three], 'gzip');
      expect(await files()).toEqual({ [packed]: text[kind](one, two, three) });
    });
  });

  it('of a table without rows have its header', async () => {
    await store('csv', replaced, [one]);
    await store('csv', replaced, [], 'gzip');
    expect(await files()).toEqual({ 'user.csv.gz': '"id","a"\n' });
  });

  itOfAll(
    'killed before any step of the commit that compresses a table, the old file or the new one is the table',
    async () => {
      await writeFile(join(folder, 'user.ndjson'), text.ndjson(one));
      const sink = kinds.ndjson(added, 'gzip');
      await sink.open();
      await sink.begin(aHead());
      await sink.write(aPageOf('user', [two]));
      await sink.close();
      const program = `
      const sink = require(args[0]).ndjsonFolder(folder, [{ incremental: true, compatLevel: 3 }], { compress: 'gzip' });
      await sink.open(); start(); await sink.commit({ n: 1 });
      await sink.close();`;
      const source = await compiled('sinks/ndjson/index', join(root, 'js'));
      const steps = await (await stepwise(program, root)).copied(folder, join(root, 'copies'), source);
      expect(steps).toBeGreaterThan(20);
      for (let at = 0; at < steps; at += 1) {
        const place = join(root, 'copies', String(at));
        const again = ndjsonFolder(place, [added], { compress: 'gzip' });
        const { unfinished } = await again.open();
        if (unfinished !== undefined) {
          expect(await files(place)).toEqual({ 'user.ndjson': text.ndjson(one) });
          await again.commit({ n: 1 });
        }
        expect(await files(place)).toEqual({ 'user.ndjson.gz': text.ndjson(one, two) });
        await again.close();
      }
    },
  );
});

interface Row {
  readonly key: string | undefined;
  readonly content: number;
}

const rows = fc.array(
  fc.record({ key: fc.option(fc.constantFrom('a', 'b', 'c', 'd'), { nil: undefined }), content: fc.nat(2) }),
  { maxLength: 12 },
);

describe('LatestRows', () => {
  it('keeps old rows whose key does not come again, and the last row of each key', () => {
    const property = fc.property(rows, rows, (old: readonly Row[], own: readonly Row[]) => {
      const latest = new LatestRows();
      const gaveWay = own.map(({ key, content }) => latest.add(key, content));
      const keptOld = old.filter(({ key, content }) => !latest.replaces(key, () => content));
      const keptOwn = own.filter((_, at) => !latest.isReplaced(at));

      const lastOf = new Map(own.flatMap((row) => (row.key === undefined ? [] : [[row.key, row] as const])));
      expect(keptOld).toEqual(old.filter(({ key }) => key === undefined || !lastOf.has(key)));
      expect(keptOwn).toEqual(own.filter((row) => row.key === undefined || lastOf.get(row.key) === row));
      expect(gaveWay.filter((each) => each)).toHaveLength(own.length - keptOwn.length);

      const matching = [...lastOf.values()].filter((row) => old.some(({ key }) => key === row.key));
      const same = matching.filter((row) => old.some(({ key, content }) => key === row.key && content === row.content));
      expect(latest.counts).toEqual({ stored: keptOwn.length, matched: matching.length, same: same.length });
    });
    fc.assert(property);
  });
});
