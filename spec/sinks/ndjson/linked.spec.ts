/** Linked tables as lines of JSON (docs/sinks.md#linked-tables-as-lines). */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { deliver, destinationOf } from '../../../src';
import type { Delivery, JsonObject } from '../../../src';
import { bytes } from '../../support/answers';
import { startServer } from '../../support/api-server';

let folder: string;
beforeEach(async () => (folder = await mkdtemp(join(tmpdir(), 'headwater-lines-'))));
afterEach(() => rm(folder, { recursive: true, force: true }));

async function store(
  items: readonly string[],
  job: JsonObject = {},
  settings: JsonObject = { nested: 'tables' },
): Promise<Delivery> {
  const server = await startServer(() => bytes(`[${items.join(',')}]`, { 'content-type': 'application/json' }));
  try {
    const config = { api: { baseUrl: server.origin }, config: { jobs: [{ endpoint: 'orders', ...job }] } };
    return await deliver(config, [destinationOf({ to: `ndjson:${folder}`, ...settings })]);
  } finally {
    await server.close();
  }
}

const read = (table: string): Promise<string> => readFile(join(folder, `${table}.ndjson`), 'utf8');

const SEVEN = '{"id":7,"address":{"city":"Bern"},"lines":[{"sku":"a","taxes":[1.50,2]},{"sku":"a"}],"note":null}';

it('keeps items as they came unless tables are asked for', async () => {
  await store([SEVEN], {}, {});
  expect(await read('orders')).toBe(`${SEVEN}\n`);
});

it.each([
  ['the destination', {}, { nested: 'tables' }],
  ['the job', { nested: 'tables' }, {}],
])('makes a file a table where %s says so', async (_, job, settings) => {
  const { stored } = await store([SEVEN], job, settings);
  expect(await read('orders')).toBe('{"_row_id":1,"id":7,"address_city":"Bern"}\n');
  expect(await read('orders_lines')).toBe(
    '{"_row_id":1,"_parent_row_id":1,"_position":0,"sku":"a"}\n{"_row_id":2,"_parent_row_id":1,"_position":1,"sku":"a"}\n',
  );
  expect(await read('orders_lines_taxes')).toBe(
    '{"_row_id":1,"_parent_row_id":1,"_position":0,"value":1.50}\n{"_row_id":2,"_parent_row_id":1,"_position":1,"value":2}\n',
  );
  expect(stored[0]?.tables.map(({ rows }) => rows)).toEqual([1, 2, 2]);
});

it('refuses a job that comes to the name of a table of lists, also where its own objects and lists stay JSON', async () => {
  await store([SEVEN]);
  const before = await read('orders_lines');
  const refused = store(['{"x":9}'], { dataType: 'orders_lines' }, {});
  await expect(refused).rejects.toMatchObject({ code: 'TABLE_NAME', table: 'orders_lines' });
  expect(await read('orders_lines')).toBe(before);
});

it('takes away the lines of lists at any depth with the line that they belong to', async () => {
  const job = { load: 'merge', primaryKey: 'id' };
  const settings = { nested: 'tables', compress: 'gzip' };
  await store([SEVEN, '{"id":8,"lines":[{"sku":"z","taxes":[9]}]}'], job, settings);
  await store(['{"id":7,"address":{"city":"Basel"}}'], job, settings);
  const plain = async (table: string): Promise<string> =>
    gunzipSync(await readFile(join(folder, `${table}.ndjson.gz`))).toString();
  expect(await plain('orders')).toBe('{"_row_id":2,"id":8}\n{"_row_id":3,"id":7,"address_city":"Basel"}\n');
  expect(await plain('orders_lines')).toBe('{"_row_id":3,"_parent_row_id":2,"_position":0,"sku":"z"}\n');
  expect(await plain('orders_lines_taxes')).toBe('{"_row_id":3,"_parent_row_id":3,"_position":0,"value":9}\n');
});

it('adds rows with new ids, and empties tables that are replaced by nothing', async () => {
  await store([SEVEN], { load: 'append' });
  await store([SEVEN], { load: 'append' });
  expect((await read('orders')).match(/"_row_id":\d+/g)).toEqual(['"_row_id":1', '"_row_id":2']);
  expect((await read('orders_lines')).match(/"_parent_row_id":\d+/g)).toHaveLength(4);
  await store(['{"id":9}']);
  expect(await read('orders')).toBe('{"_row_id":1,"id":9}\n');
  expect(await read('orders_lines')).toBe('');
});

it('gives no id twice where the end of the last line was cut off by an editor', async () => {
  await store([SEVEN], { load: 'append' });
  await writeFile(join(folder, 'orders.ndjson'), (await read('orders')).trimEnd());
  await store([SEVEN], { load: 'append' });
  expect((await read('orders')).match(/"_row_id":\d+/g)).toEqual(['"_row_id":1', '"_row_id":2']);
});

it('has what the job adds, and the columns of the run, in lines of items', async () => {
  const server = await startServer(({ url }) =>
    bytes(url.includes('/7/') ? '[{"n":1,"l":[2]}]' : '[{"id":7}]', { 'content-type': 'application/json' }),
  );
  const children = [{ endpoint: 'orders/{id}/notes', dataType: 'notes', placeholders: { id: 'id' } }];
  const config = {
    api: { baseUrl: server.origin },
    config: { jobs: [{ endpoint: 'orders', children }], runColumns: true },
  };
  await deliver(config, [destinationOf(`ndjson:${folder}?nested=tables`)], { runId: 'r' });
  await server.close();
  expect(await read('notes')).toMatch(
    /^\{"_row_id":1,"n":1,"parent_id":"7","_run_id":"r","_page":1,"_extracted_at":"[^"]+"\}\n$/,
  );
  expect(await read('notes_l')).toBe('{"_row_id":1,"_parent_row_id":1,"_position":0,"value":2}\n');
});

it('is refused on standard output', () => {
  expect(() => destinationOf('ndjson:-?nested=tables')([])).toThrow(/standard output has .* no linked tables/);
});
