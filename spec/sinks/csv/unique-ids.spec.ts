/** Equal elements of one list, and equal items: joins by ids of CSV tables. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { deliver, destinationOf } from '../../../src';
import type { JsonObject } from '../../../src';
import { json } from '../../support/answers';
import { startServer } from '../../support/api-server';
import { queryDuckDB } from '../../support/duckdb';

let folder: string;
beforeEach(async () => (folder = await mkdtemp(join(tmpdir(), 'headwater-ids-'))));
afterEach(() => rm(folder, { recursive: true, force: true }));

const line = { sku: 'a', taxes: [{ rate: 1 }], at: { stops: ['x'] } };
const ORDERS = [{ id: 1, lines: [line, line] }];

async function store(
  pages: readonly JsonObject[][],
  settings: JsonObject = {},
  config: JsonObject = {},
): Promise<void> {
  const server = await startServer(({ url }) =>
    json(pages[Number(new URL(url, 'http://api').searchParams.get('offset')) / 2] ?? []),
  );
  const api = { baseUrl: server.origin, pagination: { method: 'offset', limit: 2 } };
  const job = { endpoint: 'orders', dataType: 'orders' };
  await deliver({ api, config: { jobs: [job], ...config } }, [destinationOf({ to: `csv:${folder}`, ...settings })]);
  await server.close();
}

const table = (name: string): string => `read_csv('${folder}/${name}.csv', all_varchar = true, header = true)`;
async function joined(child: string, on: string, parent = 'orders_lines'): Promise<number> {
  const sql = `SELECT count(*) FROM ${table(parent)} AS parent JOIN ${table(child)} AS child ON parent.${on} = child."JSON_parentId"`;
  return Number((await queryDuckDB(':memory:', sql))[0]?.[0]);
}

describe('ids of rows', () => {
  it('are equal for equal rows, as the language has it: two equal elements join to four rows', async () => {
    await store([ORDERS]);
    expect(await joined('orders_lines_taxes', 'taxes')).toBe(4);
  });

  it('are unique with uniqueIds: each element joins to its own rows, within objects as well', async () => {
    await store([ORDERS], { uniqueIds: true });
    expect(await joined('orders_lines', 'lines', 'orders')).toBe(2);
    expect(await joined('orders_lines_taxes', 'taxes')).toBe(2);
    expect(await joined('orders_lines_at_stops', 'at_stops')).toBe(2);
  });

  it('are unique for equal items, in several pages of which one changes the structure, and in several runs', async () => {
    const pages = [
      [...ORDERS, ...ORDERS],
      [{ id: 2, note: 'new', lines: [{ sku: 'b', more: 'new' }] }],
    ] as JsonObject[][];
    for (const runs of [1, 2]) {
      await store(pages, { uniqueIds: true }, { incrementalOutput: true });
      expect(await joined('orders_lines', 'lines', 'orders')).toBe(runs * 5);
      expect(await joined('orders_lines_taxes', 'taxes')).toBe(runs * 4);
    }
  });

  it('lead to the rows of lists that go with a row which is replaced', async () => {
    const config = { incrementalOutput: true, primaryKeys: { orders: 'id' } };
    await store([ORDERS], { uniqueIds: true }, config);
    await store([[{ id: 1, lines: [line] }]], { uniqueIds: true }, config);
    expect(await joined('orders_lines', 'lines', 'orders')).toBe(1);
    expect(await queryDuckDB(':memory:', `SELECT * FROM ${table('orders_lines_taxes')}`)).toHaveLength(1);
  });
});
