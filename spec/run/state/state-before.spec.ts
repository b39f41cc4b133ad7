/** What earlier runs left counts where their rows are: in this destination, in these tables, for what the jobs ask now. */
import { mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { deliver, destinationOf, sinks } from '../../../src';
import type { Destination, JsonObject, RunEvent } from '../../../src';
import { json } from '../../support/answers';
import { startServer } from '../../support/api-server';
import type { ApiServer } from '../../support/api-server';
import { ALL_CASES, describeAlike, itOfAll, someOf } from '../../support/cases';
import { runToEnd } from '../../support/command';
import { changeDuckDB } from '../../support/duckdb';
import { describeWithPostgres, NEEDS, testDatabase } from '../../support/postgres';
import { changeSqlite, describeWithSqlite } from '../../support/sqlite';
import { BUCKET, describeWithS3, NEEDS_S3, removeKey, useS3 } from '../../support/s3';

interface Item {
  readonly id: number;
  readonly at: string;
  readonly kind: number;
  readonly l?: readonly JsonObject[];
}
const ITEMS: readonly Item[] = [
  { id: 1, at: '2024-01-01', kind: 1 },
  { id: 2, at: '2024-01-15', kind: 2 },
  { id: 3, at: '2024-02-01', kind: 1 },
];

let server: ApiServer;
let folder: string;
let items: readonly Item[];
beforeEach(async () => {
  items = ITEMS;
  server = await startServer(({ url }) => json(items.filter(({ at }) => at >= (sinceIn(url) ?? ''))));
  folder = await mkdtemp(join(tmpdir(), 'headwater-spec-'));
});
afterEach(async () => {
  await server.close();
  await rm(folder, { recursive: true });
});
const sinceIn = (url: string): string | undefined =>
  new URL(url, 'http://api.test').searchParams.get('since') ?? undefined;

const MERGE: JsonObject = { load: 'merge', primaryKey: 'id' };
const configured = (job: JsonObject): JsonObject => ({
  api: { baseUrl: server.origin },
  config: { jobs: [{ endpoint: 'items', ...job }] },
});
const INCREMENTAL: JsonObject = { incremental: { field: 'at', param: 'since' } };
const configOf = (job: JsonObject = {}): JsonObject => configured({ ...MERGE, ...INCREMENTAL, ...job });
const appending = (): JsonObject => configured({ load: 'append', ...INCREMENTAL });

interface Ran {
  /** What each request asked from. */
  readonly since: readonly (string | undefined)[];
  /** The warnings about what counts no more, and about tables that are empty. */
  readonly reported: readonly string[];
  readonly state: JsonObject;
}
async function run(config: JsonObject, to: readonly Destination[], state?: JsonObject): Promise<Ran> {
  const before = server.requests.length;
  const reported: string[] = [];
  const onEvent = (event: RunEvent): void => {
    if (event.type === 'warning' && ['STATE_RESET', 'TABLE_EMPTY'].includes(event.code))
      reported.push(`${event.code} ${event.message}`);
  };
  const delivery = await deliver(config, to, { onEvent, ...(state === undefined ? {} : { state }) });
  return { since: server.requests.slice(before).map(({ url }) => sinceIn(url)), reported, state: delivery.state };
}
const duckdb = (): Destination => sinks.duckdb(join(folder, 'o.duckdb'));
/** For what is the same in each destination. */
const inFolder = (name = 'o'): Destination => sinks.ndjson(join(folder, name));
const RESET = /^STATE_RESET config\.jobs\[0\]\.incremental: /;

describe('a state that is kept elsewhere', () => {
  const sinkOf: Readonly<Record<string, (name: string) => Destination>> = {
    duckdb: (name) => sinks.duckdb(join(folder, `${name}.duckdb`)),
    csv: (name) => sinks.csv(join(folder, name)),
    ndjson: (name) => sinks.ndjson(join(folder, name)),
    parquet: (name) => sinks.parquet(join(folder, name)),
  };

  it.each(Object.entries(sinkOf))('counts for %s: that has what it says, and for no other', async (_, to) => {
    const { state } = await run(configOf(), [to('first')], {});
    const again = await run(configOf(), [to('first')], state);
    expect(again).toMatchObject({ since: ['2024-02-01'], reported: [] });
    const { since, reported } = await run(configOf(), [to('second')], again.state);
    expect(since).toEqual([undefined]);
    expect(reported).toEqual([expect.stringMatching(RESET)]);
    expect(reported[0]).toMatch(/second.*is new/);
  });

  it('counts no more where the destination was removed', async () => {
    const { state } = await run(configOf(), [inFolder()], {});
    await rm(join(folder, 'o'), { recursive: true });
    expect(await run(configOf(), [inFolder()], state)).toMatchObject({
      since: [undefined],
      reported: [expect.stringMatching(RESET)],
    });
  });

  it('counts no more where a file of the last run is gone', async () => {
    const to = sinks.csv(join(folder, 'out'));
    const { state } = await run(configOf(), [to], {});
    await rm(join(folder, 'out', 'items.csv'));
    const { since, reported } = await run(configOf(), [to], state);
    expect(since).toEqual([undefined]);
    expect(reported).toEqual([expect.stringMatching(/"items\.csv" of the last run is gone/)]);
  });

  it('counts as far as a destination has come that has come less far', async () => {
    items = ITEMS.slice(0, 2);
    await run(configOf(), [inFolder('less')]);
    items = ITEMS;
    const { state } = await run(configOf(), [inFolder('more')], {});
    const { since, reported } = await run(configOf(), [inFolder('less')], state);
    expect(since).toEqual(['2024-01-15']);
    expect(reported).toEqual([expect.stringMatching(/^STATE_RESET .*less has come to, which is less/)]);
  });

  it('says itself where to go on in a destination that has come further', async () => {
    await run(configOf(), [inFolder()]);
    items = ITEMS.slice(0, 2);
    const { state } = await run(configOf(), [inFolder('other')], {});
    items = ITEMS;
    expect(await run(configOf(), [inFolder()], state)).toMatchObject({ since: ['2024-01-15'], reported: [] });
  });

  it('counts for several destinations where all of them have it', async () => {
    const { state } = await run(configOf(), [inFolder()], {});
    const both = [inFolder(), sinks.csv(join(folder, 'out'))];
    const first = await run(configOf(), both, state);
    expect(first).toMatchObject({ since: [undefined], reported: [expect.stringMatching(RESET)] });
    expect(await run(configOf(), both, first.state)).toMatchObject({ since: ['2024-02-01'], reported: [] });
  });

  it('is all that there is for standard output, which keeps nothing', async () => {
    const [config, state] = [join(folder, 'c.json'), join(folder, 's.json')];
    await writeFile(config, JSON.stringify(configOf()));
    for (let round = 0; round < 2; round += 1) {
      const { status, stderr } = await runToEnd(['run', config, '--to', 'ndjson:-', '--state', state]);
      expect({ status, resets: stderr.includes('asks for everything') }).toEqual({ status: 0, resets: false });
    }
    expect(server.requests.map(({ url }) => sinceIn(url))).toEqual([undefined, '2024-02-01']);
  });

  it('counts for the start of the last run as well', async () => {
    const config = configured({ ...MERGE, params: { since: { time: 'previousStart' } } });
    const { state } = await run(config, [inFolder()], {});
    const again = await run(config, [inFolder()], state);
    expect(again.since).not.toEqual(['0']);
    expect(again.reported).toEqual([]);
    const { since, reported } = await run(config, [inFolder('new')], again.state);
    expect(since).toEqual(['0']);
    expect(reported).toEqual([expect.stringMatching(/^STATE_RESET config\.jobs\[0\]\.params: .*new is new/)]);
  });
});

describe('a job that has been changed under its id', () => {
  const job = (changes: JsonObject): JsonObject => configOf({ id: 'j', ...changes });

  it.each<[string, JsonObject, JsonObject]>([
    ['a filter is left out', { filter: 'kind==1' }, {}],
    ['an exclusion is left out', { exclude: 'kind==2' }, {}],
    ['another table', {}, { dataType: 'other' }],
    ['another endpoint', {}, { endpoint: 'items2' }],
    ['other parameters', { params: { a: 1 } }, { params: { a: 2 } }],
  ])('starts over, and says so: %s', async (_, first, second) => {
    const kept = [inFolder()];
    const { state } = await run(job(first), kept, {});
    const { since, reported, state: left } = await run(job(second), kept, state);
    expect(since).toEqual([undefined]);
    expect(reported[0]).toMatch(
      /^STATE_RESET config\.jobs\[0\]\.incremental: starts over: the job asks for something else/,
    );
    expect(reported).toHaveLength(1);
    expect(await run(job(second), kept, left)).toMatchObject({ since: ['2024-02-01'], reported: [] });
  });

  it('goes on from where it was when it is changed back, and no further', async () => {
    items = ITEMS.slice(0, 2);
    const first = await run(job({}), [inFolder()], {});
    items = ITEMS;
    const other = await run(job({ params: { a: 1 } }), [inFolder()], first.state);
    expect(await run(job({}), [inFolder()], other.state)).toMatchObject({ since: ['2024-01-15'], reported: [] });
  });

  it('goes on where it asks for the same', async () => {
    const { state } = await run(job({ params: { limit: 5 } }), [inFolder()], {});
    expect(await run(job({ params: { limit: 50 } }), [inFolder()], state)).toMatchObject({
      since: ['2024-02-01'],
      reported: [],
    });
  });
});

/** How rows go behind the back of runs. */
interface Lost {
  readonly to: () => Destination;
  readonly gone: () => Promise<unknown>;
  /** Absent: nobody empties such a table. */
  readonly emptied?: () => Promise<unknown>;
}

function losing(lost: () => Lost): void {
  it('a table that is gone is loaded from the beginning, and that is told of', async () => {
    const { to, gone } = lost();
    await run(configOf(), [to()]);
    // The last run brought nothing of its own.
    items = [];
    expect(await run(configOf(), [to()])).toMatchObject({ since: ['2024-02-01'], reported: [] });
    items = ITEMS;
    await gone();
    const { since, reported } = await run(configOf(), [to()]);
    expect(since).toEqual([undefined]);
    expect(reported).toEqual([expect.stringMatching(RESET)]);
    expect(await run(configOf(), [to()])).toMatchObject({ since: ['2024-02-01'], reported: [] });
  });

  it('a table that is gone is loaded from the beginning where rows are only added, too', async () => {
    const { to, gone } = lost();
    await run(appending(), [to()]);
    await gone();
    expect(await run(appending(), [to()])).toMatchObject({
      since: [undefined],
      reported: [expect.stringMatching(RESET)],
    });
  });

  it('a table that has lost all of its rows is loaded from the beginning where rows are merged', async () => {
    const { to, emptied } = lost();
    if (emptied === undefined) return;
    await run(configOf(), [to()]);
    await emptied();
    const { since, reported } = await run(configOf(), [to()]);
    expect(since).toEqual([undefined]);
    expect(reported).toEqual([expect.stringMatching(/"items" .* has no rows any more\.$/)]);
  });

  it('a table that has lost all of its rows gets what is new where rows are only added, and that is told of', async () => {
    const { to, emptied } = lost();
    if (emptied === undefined) return;
    await run(appending(), [to()]);
    await emptied();
    expect(await run(appending(), [to()])).toMatchObject({
      since: ['2024-02-01'],
      reported: [expect.stringMatching(/^TABLE_EMPTY .*remove the table/)],
    });
  });

  it('a table that never had a row is no loss', async () => {
    const { to } = lost();
    const none = configOf({ filter: 'kind==9' });
    await run(none, [to()]);
    expect(await run(none, [to()])).toMatchObject({ since: ['2024-02-01'], reported: [] });
  });
}

describe('a table in DuckDB', () =>
  losing(() => {
    const file = join(folder, 'o.duckdb');
    return {
      to: () => sinks.duckdb(file),
      gone: () => changeDuckDB(file, 'ALTER TABLE items RENAME TO kept'),
      emptied: () => changeDuckDB(file, 'DELETE FROM items'),
    };
  }));

describe('tables in DuckDB', () =>
  losingTables(() => {
    const file = join(folder, 'o.duckdb');
    return { to: () => sinks.duckdb(file), drop: (table) => changeDuckDB(file, `DROP TABLE ${table}`) };
  }));

describeWithSqlite('a table in SQLite', () =>
  losing(() => {
    const file = join(folder, 'o.sqlite');
    const change = (sql: string): Promise<unknown> => {
      changeSqlite(file, sql);
      return Promise.resolve();
    };
    return {
      to: () => sinks.sqlite(file),
      gone: () => change('DROP TABLE items'),
      emptied: () => change('DELETE FROM items'),
    };
  }),
);

describeWithSqlite('tables in SQLite', () =>
  losingTables(() => {
    const file = join(folder, 'o.sqlite');
    const drop = (table: string): Promise<unknown> => {
      changeSqlite(file, `DROP TABLE ${table}`);
      return Promise.resolve();
    };
    return { to: () => sinks.sqlite(file), drop };
  }),
);

describe.each<[string, (out: string) => Destination]>([
  ['csv', (out) => sinks.csv(out)],
  ['ndjson', (out) => sinks.ndjson(out, { nested: 'tables' })],
  ...(ALL_CASES ? [['parquet', (out: string) => sinks.parquet(out)] as [string, (out: string) => Destination]] : []),
])('files of %s', (suffix, to) =>
  losingTables(() => {
    const out = join(folder, 'out');
    return { to: () => to(out), drop: (table) => rm(join(out, `${table}.${suffix}`)) };
  }),
);

describe('a file of CSV', () =>
  losing(() => ({
    to: () => sinks.csv(join(folder, 'out')),
    gone: () => rm(join(folder, 'out', 'items.csv')),
    emptied: () => writeFile(join(folder, 'out', 'items.csv'), '"id","at","kind"\n'),
  })));

describe('a file of NDJSON', () =>
  losing(() => ({
    to: () => sinks.ndjson(join(folder, 'out')),
    gone: () => rename(join(folder, 'out', 'items.ndjson'), join(folder, 'items.ndjson')),
    emptied: () => writeFile(join(folder, 'out', 'items.ndjson'), ''),
  })));

describeAlike('a file of Parquet', () =>
  losing(() => ({
    to: () => sinks.parquet(join(folder, 'out')),
    gone: () => rm(join(folder, 'out', 'items.parquet')),
  })),
);

/** A place where tables go, each of which can be taken away. */
interface Losing {
  readonly to: () => Destination;
  readonly drop: (table: string) => Promise<unknown>;
}

function losingTables(losing: () => Losing, load: JsonObject = MERGE): void {
  const withLists = (lists: boolean) => ITEMS.map((item) => ({ ...item, l: lists ? [{ x: item.id }, { x: 9 }] : [] }));
  const parent = (): JsonObject =>
    configured({
      ...INCREMENTAL,
      ...load,
      children: [{ endpoint: 'kids/{id}', dataType: 'kids', placeholders: { id: 'id' }, ...load }],
    });
  /** The first request of a run, and what was told. */
  const first = async (config: JsonObject): Promise<Omit<Ran, 'state'>> => {
    const { since, reported } = await run(config, [losing().to()]);
    return { since: since.slice(0, 1), reported };
  };
  beforeEach(() => {
    items = withLists(true);
  });

  const tables = [
    ['of lists of a child', 'kids_l'],
    ['of a child', 'kids'],
    ['of lists', 'items_l'],
  ] as const;
  it.each(someOf(tables, 3))(
    'a table %s that is gone is loaded from the beginning, and that is told of once',
    async (_, table) => {
      await first(parent());
      // The last run brought nothing of its own.
      items = [];
      expect(await first(parent())).toEqual({ since: ['2024-02-01'], reported: [] });
      items = withLists(true);
      await losing().drop(table);
      const { since, reported } = await first(parent());
      expect(since).toEqual([undefined]);
      expect(reported).toHaveLength(1);
      expect(reported[0]).toMatch(RESET);
      expect(reported[0]).toContain(`"${table}`);
      expect(await first(parent())).toEqual({ since: ['2024-02-01'], reported: [] });
    },
  );

  itOfAll('a table of lists that is gone is told of once where there are no lists any more', async () => {
    await first(parent());
    items = withLists(false);
    await losing().drop('items_l');
    expect(await first(parent())).toMatchObject({ since: [undefined] });
    expect(await first(parent())).toEqual({ since: ['2024-02-01'], reported: [] });
  });

  it('a table of lists that lost its rows by runs is no loss', async () => {
    await first(parent());
    items = withLists(false).map((item) => ({ ...item, at: '2024-03-01' }));
    expect(await first(parent())).toEqual({ since: ['2024-02-01'], reported: [] });
    expect(await first(parent())).toEqual({ since: ['2024-03-01'], reported: [] });
  });
}

describe('a child table of a mapping', () => {
  it('that is gone is loaded from the beginning, and that is told of', async () => {
    items = ITEMS.map((item) => ({ ...item, l: [{ x: item.id }] }));
    const column = (destination: string, primaryKey = false): JsonObject => ({
      type: 'column',
      mapping: { destination, primaryKey },
    });
    const parts = { type: 'table', destination: 'parts', tableMapping: { x: column('x') } };
    const config = {
      api: { baseUrl: server.origin },
      config: {
        jobs: [{ endpoint: 'items', load: 'merge', ...INCREMENTAL }],
        mappings: { items: { id: column('id', true), at: column('at'), l: parts } },
      },
    };
    await run(config, [duckdb()]);
    expect(await run(config, [duckdb()])).toMatchObject({ since: ['2024-02-01'], reported: [] });
    await changeDuckDB(join(folder, 'o.duckdb'), 'DROP TABLE parts');
    const { since, reported } = await run(config, [duckdb()]);
    expect(since).toEqual([undefined]);
    expect(reported).toEqual([expect.stringMatching(/"parts" .* is gone\.$/)]);
  });
});

describe('files of several buckets', () => {
  it('are looked for by their names', async () => {
    const to = sinks.csv(join(folder, 'out'));
    const config = { ...configOf(), iterations: [{ outputBucket: 'a' }, { outputBucket: 'b' }] };
    await run(config, [to]);
    expect(await run(config, [to])).toMatchObject({ since: ['2024-02-01', '2024-02-01'], reported: [] });
  });
});

describeWithPostgres(`a table in PostgreSQL ${NEEDS}`, () => {
  let database: Awaited<ReturnType<typeof testDatabase>>;
  beforeEach(async () => {
    database = await testDatabase();
  });
  afterEach(() => database.drop());
  losing(() => ({
    to: () => sinks.postgres(database.url),
    gone: () => database.query('DROP TABLE items'),
    emptied: () => database.query('TRUNCATE items'),
  }));
});

describeWithPostgres(`tables in PostgreSQL ${NEEDS}`, () => {
  let database: Awaited<ReturnType<typeof testDatabase>>;
  beforeEach(async () => {
    database = await testDatabase();
  });
  afterEach(() => database.drop());
  const drop = (table: string): Promise<unknown> => database.query(`DROP TABLE ${table}`);
  losingTables(() => ({ to: () => sinks.postgres(database.url), drop }));
  describe('that shows rows before the commit', () => {
    const to = (): Destination => sinks.postgres(database.url, { visibility: 'page' });
    losingTables(() => ({ to, drop }), { load: 'append' });
  });
});

describeWithS3(`an object of a bucket${NEEDS_S3}`, () => {
  beforeEach(() => useS3());
  losing(() => {
    const prefix = `spec-${folder.slice(-6)}`;
    return {
      to: () => destinationOf(`ndjson:s3://${BUCKET}/${prefix}?journal=${encodeURIComponent(join(folder, 'journal'))}`),
      gone: () => removeKey(prefix, 'items.ndjson'),
    };
  });
});
