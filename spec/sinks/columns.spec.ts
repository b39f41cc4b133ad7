/** Tables of objects whose keys are data: an error before anything is stored, not a table that nobody can read. */
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { deliver, destinationOf } from '../../src';
import type { Json, JsonObject } from '../../src';
import { fingerprintOf } from '../../src/language/configuration/fingerprint';
import { json } from '../support/answers';
import { startServer } from '../support/api-server';
import type { ApiServer } from '../support/api-server';
import { filesIn, load } from '../support/load';
import { NEEDS, describeWithPostgres, testDatabase } from '../support/postgres';
import { newTable } from '../support/stored';

const wide = (keys: number, key = (at: number): string => `key${at}`): JsonObject =>
  Object.fromEntries(Array.from({ length: keys }, (_, at) => [key(at), at]));

describe('an object with many keys', () => {
  let server: ApiServer;
  let folder: string;
  let keys: number;
  beforeEach(async () => {
    keys = 2001;
    server = await startServer(({ url }) => json(url === '/users' ? [wide(keys)] : [{ id: 1, of: wide(keys) }]));
    folder = await mkdtemp(join(tmpdir(), 'headwater-spec-'));
  });
  afterEach(async () => {
    await server.close();
    await rm(folder, { recursive: true });
  });
  const configOf = (settings: JsonObject = {}, endpoint = 'users'): Json => ({
    api: { baseUrl: server.origin },
    config: {
      jobs: [{ endpoint, dataType: 'users', ...(endpoint === 'nested' ? { responseFilter: 'of' } : {}) }],
      ...settings,
    },
  });
  const deliverTo = (to: string, config: Json, resume = false) => deliver(config, [destinationOf(to)], { resume });
  const refusal = (most: string): unknown =>
    expect.objectContaining({
      code: 'TABLE_COLUMNS',
      message: expect.stringMatching(
        new RegExp(
          `^The table "users" would get more than ${most} columns: its items have keys such as "key0", .*"key\\d+"\\..*maxColumns.*responseFilter`,
        ),
      ) as string,
    });

  it.each([['csv:out'], ['duckdb:items.duckdb']])(
    '%s: fifty times too many end as well',
    async (url) => {
      keys = 100_000;
      await expect(deliverTo(url.replace(':', `:${folder}/`), configOf())).rejects.toEqual(refusal('2,000'));
    },
    60_000,
  );

  it('names the table of a list that has too many', async () => {
    const list = await startServer(() => json([{ id: 1, of: [wide(6)] }]));
    const config = { api: { baseUrl: list.origin }, config: { jobs: [{ endpoint: 'users' }], maxColumns: 5 } };
    await expect(deliverTo(`duckdb:${folder}/items.duckdb?nested=tables`, config)).rejects.toThrow(
      'The table "users_of" would get more than 5 columns',
    );
    await list.close();
  });

  it('one column of JSON takes any number', async () => {
    keys = 20_000;
    const { stored } = await deliverTo(`csv:${folder}/out`, configOf({}, 'nested'));
    expect(stored[0]?.tables).toEqual([newTable('users.csv', 1)]);
  });

  it('the conversion of the language has no limit', async () => {
    await load(configOf(), filesIn(folder));
    const [header = ''] = (await readFile(join(folder, 'users'), 'utf8')).split('\n', 1);
    expect(header.split(',').length).toBe(2001);
  });

  it('the limit is no part of what tells runs apart', () => {
    expect(fingerprintOf(configOf({ maxColumns: 7 }))).toBe(fingerprintOf(configOf()));
    expect(fingerprintOf({ parameters: configOf({ maxColumns: 7 }) })).toBe(fingerprintOf({ parameters: configOf() }));
    const withParameter = (maxColumns: number): Json => ({ config: { jobs: [{ params: { maxColumns } }] } });
    expect(fingerprintOf(withParameter(1))).not.toBe(fingerprintOf(withParameter(2)));
  });

  describeWithPostgres(`in PostgreSQL ${NEEDS}`, () => {
    it('has the limit of PostgreSQL, whatever the configuration says', async () => {
      const database = await testDatabase();
      try {
        await expect(deliverTo(database.url, configOf({ maxColumns: 5000 }))).rejects.toMatchObject({
          code: 'TABLE_COLUMNS',
          message: expect.stringMatching(/more than 1,600 columns.*PostgreSQL takes no more/) as string,
        });
        await expect(deliverTo(database.url, configOf({ maxColumns: 50 }))).rejects.toEqual(refusal('50'));
      } finally {
        await database.drop();
      }
    });
  });
});
