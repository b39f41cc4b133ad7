import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { deliver, sinks } from '../../src';
import type { Destination, JsonObject, RowCounts, Stored } from '../../src';
import { knownCounts, rowCounts } from '../../src/sinks/row-counts';
import { json } from '../support/answers';
import { startServer } from '../support/api-server';
import type { ApiServer } from '../support/api-server';
import { describeWithPostgres, NEEDS, testDatabase } from '../support/postgres';
import { itWithSqlite } from '../support/sqlite';

/** One run: how it loads, and the rows that the API has; one of `null` has nothing in the key. */
interface Run {
  readonly load: 'replace' | 'append' | 'merge';
  readonly ids: readonly (number | null)[];
}

const run = fc.record<Run>({
  load: fc.constantFrom('replace', 'append', 'merge'),
  ids: fc.array(fc.option(fc.integer({ min: 1, max: 6 }), { nil: null, freq: 5 }), { maxLength: 8 }),
});

type Row = number | null;

/** What runs make of a table, and what is to be told of each. */
function modelOf(
  before: readonly Row[],
  { load, ids }: Run,
): { readonly after: readonly Row[]; readonly told: object } {
  if (load === 'replace')
    return { after: ids, told: { added: ids.length, changed: 0, removed: before.length, total: ids.length } };
  if (load === 'append') {
    const after = [...before, ...ids];
    return { after, told: { added: ids.length, changed: 0, removed: 0, total: after.length } };
  }
  const keys = new Set(ids.filter((id) => id !== null));
  const stored = [...ids.filter((id) => id === null), ...keys];
  const changed = [...keys].filter((key) => before.includes(key)).length;
  const after = [...before.filter((id) => id === null || !keys.has(id)), ...stored];
  const added = stored.length - changed;
  return { after, told: { added, changed, removed: before.length + added - after.length, total: after.length } };
}

describe('what a commit did to rows', () => {
  it('follows from what was counted', () => {
    expect(rowCounts({ stored: 3, matched: 1 }, 5, 7)).toEqual({ added: 2, changed: 1, removed: 0, total: 7 });
    expect(rowCounts({ stored: 0, matched: 0 }, 5, 0)).toEqual({ added: 0, changed: 0, removed: 5, total: 0 });
  });

  let server: ApiServer;
  let items: readonly JsonObject[] = [];
  beforeEach(async () => {
    server = await startServer(() => json({ data: [...items] }));
  });
  afterEach(() => server.close());

  const runInto = async (destination: Destination, load: Run['load'], rows: readonly JsonObject[]): Promise<Stored> => {
    items = rows;
    const job = { endpoint: 'items', dataField: 'data', load, ...(load === 'merge' ? { primaryKey: ['id'] } : {}) };
    const delivery = await deliver({ api: { baseUrl: server.origin }, config: { jobs: [job] } }, [destination]);
    const [stored] = delivery.stored[0]?.tables ?? [];
    if (stored === undefined) throw new Error('Nothing was stored.');
    return stored;
  };

  const seen: RowCounts[] = [];
  /** @param isSparing whether numbers may be left out; those that are told have to be right all the same */
  const told = (
    destinationAt: (file: string) => Destination,
    {
      isSparing = false,
      begin = () => Promise.resolve(),
    }: { isSparing?: boolean; begin?: () => Promise<unknown> } = {},
  ): Promise<void> =>
    fc.assert(
      fc.asyncProperty(fc.array(run, { minLength: 1, maxLength: 4 }), async (runs) => {
        const folder = await mkdtemp(join(tmpdir(), 'headwater-counts-'));
        try {
          await begin();
          let before: readonly Row[] = [];
          for (const one of runs) {
            // PostgreSQL stores no row without a key, and lets old rows with equal keys stay.
            const ids = [...new Set(one.ids)].filter(
              (id) => id !== null && (one.load !== 'append' || !before.includes(id)),
            );
            const each = isSparing ? { ...one, ids } : one;
            const { after, told: expected } = modelOf(before, each);
            const sent = each.ids.map((id, at) => (id === null ? { at, name: 'x' } : { id, at }));
            // A key that no item has is refused.
            if (each.load === 'merge' && !sent.some((item) => 'id' in item)) continue;
            const stored = await runInto(destinationAt(join(folder, 'a')), each.load, sent);
            const counted = knownCounts(stored);
            if (isSparing) expect(expected).toMatchObject(knownCounts(stored));
            else expect(counted).toEqual(expected);
            seen.push(counted);
            before = after;
          }
        } finally {
          await rm(folder, { recursive: true });
        }
      }),
      { numRuns: isSparing ? 5 : 12 },
    );

  itWithSqlite('is told by SQLite as a model of the table has it, whatever runs came before', () =>
    told((file) => sinks.sqlite(file)),
  );
  it('is told by DuckDB as a model of the table has it, whatever runs came before', () =>
    told((file) => sinks.duckdb(file)));

  describeWithPostgres(`in PostgreSQL ${NEEDS}`, () => {
    it('is told as a model of the table has it, or not at all', async () => {
      const database = await testDatabase();
      const drop = (): Promise<unknown> => database.query('DROP SCHEMA public CASCADE; CREATE SCHEMA public');
      seen.length = 0;
      try {
        await told(() => sinks.postgres(database.url), { isSparing: true, begin: drop });
        // What is left out is left out for a reason: others are there.
        for (const name of ['added', 'changed', 'removed', 'total'] as const)
          expect(seen.some((counts) => counts[name] !== undefined)).toBe(true);
        expect(seen.every(({ added, changed }) => added !== undefined && changed !== undefined)).toBe(true);
      } finally {
        await database.drop();
      }
    }, 120_000);
  });
});
