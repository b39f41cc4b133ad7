/** Rows that are added to CSV files, through whole runs (docs/sinks.md). */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { deliver, sinks } from '../../../src';
import type { JsonObject } from '../../../src';
import { json } from '../../support/answers';
import { startServer } from '../../support/api-server';
import type { ApiServer } from '../../support/api-server';
import { filesIn, load } from '../../support/load';

let folder: string;
let server: ApiServer;
/** What the API has; a page has two items. */
let items: readonly unknown[] = [];
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'headwater-csv-'));
  server = await startServer(({ url }) => {
    const offset = Number(new URL(url, 'http://api').searchParams.get('offset') ?? 0);
    return json(items.slice(offset, offset + 2));
  });
});
afterEach(async () => {
  await server.close();
  await rm(folder, { recursive: true, force: true });
});

const out = (name = 'out'): string => join(folder, name);
const file = (name = 'boats'): string => join(out(), `${name}.csv`);
const text = (name?: string): Promise<string> => readFile(file(name), 'utf8');
const configured = (config: JsonObject = {}): JsonObject & { config: JsonObject } => ({
  api: { baseUrl: server.origin, pagination: { method: 'offset', limit: 2 } },
  config: { incrementalOutput: true, jobs: [{ endpoint: 'boats' }], ...config },
});
const run = async (next: readonly unknown[], config: JsonObject = {}): Promise<void> => {
  items = next;
  await deliver(configured(config), [sinks.csv(out())]);
};
const keyed = { primaryKeys: { boats: 'id' } };

describe('csv: with incrementalOutput', () => {
  it('rows are added to those that are there', async () => {
    await run([{ id: 1 }, { id: 2 }, { id: 3 }]);
    await run([{ id: 3 }]);
    expect(await text()).toBe('"id"\n"1"\n"2"\n"3"\n"3"\n');
  });

  it('a run without items leaves a table as it is', async () => {
    await run([{ id: 1 }]);
    await run([]);
    expect(await text()).toBe('"id"\n"1"\n');
  });

  it('columns of later runs are added, empty in earlier rows; those that a run lacks are empty in its rows', async () => {
    await run([{ id: 1, name: 'a "b",\nc' }]);
    await writeFile(
      file(),
      (await text()).replace('"id","name"', '"name","id"').replace(/"1",("(.|\n)*")\n$/, '$1,"1"\n'),
    );
    await run([{ id: 2, year: 1904 }]);
    expect(await text()).toBe('"name","id","year"\n"a ""b"",\nc","1",""\n"","2","1904"\n');
  });

  it('by mappings and their primary keys, and tables without rows stay', async () => {
    const mappings = {
      boats: { id: { mapping: { destination: 'number', primaryKey: true } }, name: 'name' },
      crew: { id: 'id' },
    };
    await run(
      [
        { id: 1, name: 'a' },
        { id: 2, name: 'b' },
      ],
      { mappings },
    );
    await writeFile(file('crew'), '"id"\n"7"\n');
    await run([{ id: 2, name: 'c' }], { mappings });
    expect(await text()).toBe('"number","name"\n"1","a"\n"2","c"\n');
    expect(await text('crew')).toBe('"id"\n"7"\n');
  });

  describe('of rows of one run with the same key, only the last one has its child rows', () => {
    const box = (id: number, ...lines: JsonObject[]): JsonObject => ({ id, lines });
    const line = (no: number, ...tags: string[]): JsonObject => ({ no, tags });
    it('in mapped tables, at any depth', async () => {
      const key = (destination: string): JsonObject => ({ mapping: { destination, primaryKey: true } });
      const tags = { type: 'table', destination: 'tag', tableMapping: { '.': 'tag' } };
      const lines = {
        ...{ type: 'table', destination: 'line', parentKey: { destination: 'boat', primaryKey: true } },
        tableMapping: { no: key('no'), tags },
      };
      const mappings = { boats: { id: key('id'), lines } };
      await run([box(1, line(1, 'a'), line(2, 'b')), box(2, line(1, 'c'), line(1, 'd')), box(1, line(1, 'e'))], {
        mappings,
      });
      expect(await text('line')).toBe('"no","boat"\n"1","2"\n"1","1"\n');
      expect(await text('tag')).toBe('"tag","line_pk"\n"d","1,2"\n"e","1,1"\n');
    });
  });

  it('a file that somebody has edited is read as CSV is', async () => {
    await run([{ id: 1, name: 'a' }]);
    await writeFile(file(), '\uFEFFid,name\r\n1,"x, y"\r\n2,z');
    await run([{ id: 3, name: 'c' }]);
    expect(await text()).toBe('"id","name"\n"1","x, y"\n"2","z"\n"3","c"\n');
    await writeFile(file(), '"id","name"\n"4","open"');
    await run([{ id: 5, name: 'd' }]);
    expect(await text()).toBe('"id","name"\n"4","open"\n"5","d"\n');
  });

  it.each([
    ['a line with another number of fields', '"id","x"\n"1"\n', 'line 2'],
    ['two columns of one name', '"id","id"\n"1","2"\n', '"id"'],
  ])('%s: the run fails, names the file and what to do, and leaves it', async (_, content, reason) => {
    await run([{ id: 1 }]);
    await writeFile(file(), content);
    await expect(run([{ id: 2, y: 1 }])).rejects.toMatchObject({
      code: 'DESTINATION_INCOMPATIBLE',
      table: 'boats',
      destination: `csv:${out()}`,
      message: expect.stringMatching(new RegExp(`boats\\.csv.*${reason}.*Correct the file`)) as string,
    });
    expect(await text()).toBe(content);
    await writeFile(file(), '"id"\n"1"\n');
    await deliver(configured(), [sinks.csv(out())], { resume: true });
    expect(await text()).toBe('"id","y"\n"1",""\n"2","1"\n');
  });

  it('without it, a table takes the place of the old one', async () => {
    await run([{ id: 1 }, { id: 2 }], { incrementalOutput: false });
    await run([{ id: 3 }], { incrementalOutput: false });
    expect(await text()).toBe('"id"\n"3"\n');
  });

  it('holds for files that are made at one go; with manifests, a file has the rows of its run', async () => {
    const files = { suffix: '.csv', bucketPrefix: 'if-several' } as const;
    const plain = filesIn(out(), { ...files, manifests: false });
    const described = filesIn(out('b'), { ...files, manifests: true });
    for (const id of [1, 2]) {
      items = [{ id }];
      for (const sink of [plain, described]) await load(configured(), sink);
    }
    expect(await text()).toBe('"id"\n"1"\n"2"\n');
    expect(await readFile(join(out('b'), 'boats.csv'), 'utf8')).toBe('"id"\n"2"\n');
    expect(await readFile(join(out('b'), 'boats.csv.manifest'), 'utf8')).toBe('{"incremental":true}');
  });

  it('takes files that are larger than what is read at once', async () => {
    const many = (from: number): readonly unknown[] => [
      { id: from, t: 'ä"\n,'.repeat(60_000) },
      { id: from + 1, t: 'x' },
    ];
    await run(many(1), keyed);
    await run(many(2), keyed);
    await run(many(7));
    const lengths = (await text()).length;
    expect(lengths).toBeGreaterThan(3 * 60_000 * 4);
    expect([...(await text()).matchAll(/^"(\d)","/gm)].map(([, id]) => id)).toEqual(['1', '2', '3', '7', '8']);
  });
});

describe('csv: with a primary key', () => {
  it.each([
    ['was saved with other delimiters', 'id;v\r\n1;1\r\n2;8\r\n', 'save it with commas'],
    ['has a key of another name', 'number,v\n1,1\n', 'no column "id"'],
  ])('a file that %s is refused, and stays', async (_, edited, reported) => {
    await run([{ id: 1, v: 1 }], keyed);
    await writeFile(file(), edited);
    await expect(run([{ id: 1, v: 2 }], keyed)).rejects.toMatchObject({
      code: 'DESTINATION_INCOMPATIBLE',
      message: expect.stringContaining(reported) as string,
    });
    expect(await text()).toBe(edited);
  });

  it('a file without rows gets the columns of the key', async () => {
    await run([{ id: 1, v: 1 }], keyed);
    await writeFile(file(), '"v"\n');
    await run([{ id: 1, v: 2 }], keyed);
    expect(await text()).toBe('"v","id"\n"2","1"\n');
  });
});
