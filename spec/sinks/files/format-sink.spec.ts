/** Tables as files of a format of one's own: here, lines of JSON arrays. */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { deliver } from '../../../src';
import type { Json, JsonObject } from '../../../src';
import { formatSink } from '../../../src/components';
import type { Cell, FileFormat } from '../../../src/components';
import { parseList } from '../../../src/core/json/parse';
import { stringifyJson } from '../../../src/core/json/stringify';

const LINES: FileFormat = {
  suffix: '.rows',
  write: async (path, _, pages) => {
    let text = '';
    for await (const rows of pages) text += rows.map((cells) => `${stringifyJson(cells)}\n`).join('');
    await writeFile(path, text);
  },
  read: async function* (path, columns) {
    const lines = parseList((await readFile(path, 'utf8')).split('\n').filter((line) => line !== ''));
    yield lines.map((cells) => columns.map(({ type }, at) => cellOf((cells as Json[])[at] as Cell, type)));
  },
};
const cellOf = (cell: Cell, type: string): Cell =>
  cell !== null && ['integer', 'bigint'].includes(type) ? BigInt(cell) : cell;

describe('formatSink', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'headwater-spec-'));
  });
  afterEach(() => rm(folder, { recursive: true }));
  const run = (items: string, job: JsonObject = {}) =>
    deliver(
      { api: { baseUrl: 'https://api.test/' }, config: { jobs: [{ endpoint: 'items', ...job }] } },
      [(outputs) => formatSink({ scheme: 'rows', place: folder, format: LINES, outputs })],
      { fetch: () => Promise.resolve(new Response(items, { headers: { 'content-type': 'application/json' } })) },
    );
  const rows = async (): Promise<readonly string[]> =>
    (await readFile(join(folder, 'items.rows'), 'utf8')).split('\n').slice(0, -1);
  const MERGE: JsonObject = { load: 'merge', primaryKey: 'id' };

  it('counts rows that are new, changed and the same, in columns that become wider', async () => {
    await run('[{"id":1,"v":7},{"id":2,"v":8},{"id":3,"v":9}]', MERGE);
    const { stored } = await run('[{"id":2,"v":8},{"id":3,"v":"x"},{"id":4,"v":null},{"id":4,"v":1.50}]', MERGE);
    expect(stored[0]?.tables).toEqual([
      {
        ...{ name: 'items.rows', rows: 3, repeated: 1, added: 1, changed: 1, unchanged: 1, removed: 0, total: 4 },
        changes: [{ change: 'type_changed', column: 'v', from: 'integer', type: 'text' }],
      },
    ]);
    expect(await rows()).toEqual(['[1,"7"]', '[2,"8"]', '[3,"x"]', '[4,"1.50"]']);
  });

  it('adds to no file that it does not know, and to none that has other rows', async () => {
    await run('[{"id":1}]', { load: 'append' });
    await writeFile(join(folder, 'items.rows'), '[1]\n[2]\n');
    await expect(run('[{"id":3}]', { load: 'append' })).rejects.toMatchObject({
      code: 'DESTINATION_DAMAGED',
      message: `${JSON.stringify(join(folder, 'items.rows'))} has 2 rows, and 1 were stored. Restore the file, or move it away.`,
    });
    await rm(join(folder, '.tables.json'));
    await expect(run('[{"id":3}]', { load: 'append' })).rejects.toMatchObject({ code: 'DESTINATION_INCOMPATIBLE' });
    expect(await rows()).toEqual(['[1]', '[2]']);
    await run('[{"id":3}]');
    expect(await rows()).toEqual(['[3]']);
  });

  it('begins a table again whose file was moved away', async () => {
    await run('[{"id":1}]', { load: 'append' });
    await rm(join(folder, 'items.rows'));
    await run('[{"id":"2"}]', { load: 'append' });
    expect(await rows()).toEqual(['["2"]']);
  });
});
