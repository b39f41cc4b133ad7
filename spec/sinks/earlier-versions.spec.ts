/** Destinations and unfinished runs that earlier versions left: they go on. */
import { cp, mkdtemp, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { deliver, destinationOf } from '../../src';
import type { DeliverOptions, Delivery, Json } from '../../src';
import { describeAvailable } from '../support/adapters';
import { queryDuckDB } from '../support/duckdb';
import { NEEDS_SQLITE, tableOfSqlite } from '../support/sqlite';
import { csvRows, lineRows, parquetRows } from '../support/tables';

const VERSIONS = resolve(__dirname, '../fixtures/versions');

/** The configuration of the runs that made the fixtures. */
const CONFIG: Json = {
  api: { baseUrl: 'http://127.0.0.1:39873/', pagination: { method: 'offset', limit: 2 } },
  config: { incrementalOutput: true, jobs: [{ endpoint: 'stations' }] },
};
const IDS = [4, 5, 6, 7, 8];

type Rows = readonly { readonly id?: unknown }[];

/** A destination: its address in a folder, and what a reader sees. */
interface Left {
  readonly scheme: string;
  readonly at: string;
  readonly rows: (path: string, table: string) => Promise<Rows>;
}

const LEFT: readonly Left[] = [
  {
    scheme: 'ndjson',
    at: 'ndjson',
    rows: async (path, table) => lineRows(await readFile(join(path, `${table}.ndjson`), 'utf8')),
  },
  {
    scheme: 'csv',
    at: 'csv',
    rows: async (path, table) => csvRows(await readFile(join(path, `${table}.csv`), 'utf8')),
  },
  { scheme: 'parquet', at: 'parquet', rows: (path, table) => parquetRows(join(path, `${table}.parquet`)) },
  {
    scheme: 'duckdb',
    at: 'stations.duckdb',
    rows: async (path, table) => (await queryDuckDB(path, `SELECT * FROM ${table}`)).map(([id]) => ({ id })),
  },
  { scheme: 'sqlite', at: 'stations.sqlite', rows: (path, table) => Promise.resolve(tableOfSqlite(path, table)) },
];

let folder: string;
let requested: string[];
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'headwater-versions-'));
  requested = [];
});
afterEach(() => rm(folder, { recursive: true, force: true }));

/** Copies what a version left, and returns how to run its configuration there. */
async function left(version: string, { scheme, at, rows }: Left) {
  await cp(join(VERSIONS, version, scheme), folder, { recursive: true });
  for (const name of await readdir(folder, { recursive: true }))
    if (name.endsWith('.gz'))
      await writeFile(join(folder, name.slice(0, -3)), gunzipSync(await readFile(join(folder, name))));
  const path = join(folder, at);
  const fetch = (url: string | URL | Request): Promise<Response> => {
    const address = url instanceof Request ? url.url : String(url);
    const offset = Number(new URL(address).searchParams.get('offset') ?? 0);
    requested.push(address);
    const items = IDS.slice(offset, offset + 2).map((id) => ({
      id,
      name: `station ${id}`,
      level: id / 2,
      tags: ['a', 'b'].slice(0, id % 3),
    }));
    return Promise.resolve(Response.json(items));
  };
  return {
    run: (options: DeliverOptions = {}): Promise<Delivery> =>
      deliver(CONFIG, [destinationOf(`${scheme}:${path}`)], { ...options, fetch }),
    ids: async (): Promise<readonly number[]> =>
      (await rows(path, 'stations')).map(({ id }) => Number(id)).sort((a, b) => a - b),
    /** How many rows the table of the lists has; lines of JSON have lists in them. */
    lists: async (): Promise<number> => (scheme === 'ndjson' ? 9 : (await rows(path, 'stations_tags')).length),
  };
}

describe.each(LEFT)('what earlier versions left', (destination) => {
  const { scheme } = destination;
  describeAvailable(`in ${scheme}:`, scheme === 'sqlite' ? NEEDS_SQLITE : undefined, () => {
    it('an unfinished run of the version before goes on, and requests no page that is safe', async () => {
      const { run, ids, lists } = await left('2026-11-27', destination);
      expect((await run({ resume: true })).resumedPages).toBe(2);
      expect(requested.map((url) => new URL(url).search)).toEqual(['?limit=2&offset=4']);
      expect(await ids()).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
      expect(await lists()).toBe(9);
    });

    it('rows of the version before are added to where the unfinished run is dropped', async () => {
      const { run, ids, lists } = await left('2026-11-27', destination);
      await run();
      expect(await ids()).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
      expect(await lists()).toBe(9);
    });
  });
});
