/** Rows that are merged: which rows a key tells from others, and what is refused where it could not (docs/sinks.md#tables). */
import { deliver } from '../../src';
import type { Destination, Json, JsonObject } from '../../src';
import { csvPlace, duckdbPlace, ndjsonPlace, parquetPlace, postgresPlace, sqlitePlace } from '../support/tables';
import type { TablesPlace } from '../support/tables';
import { describeWithPostgres, NEEDS } from '../support/postgres';
import { describeWithSqlite } from '../support/sqlite';

type Create = () => Promise<TablesPlace>;

const run = (to: Destination, config: JsonObject, answer: (path: string) => Json): Promise<unknown> =>
  deliver({ api: { baseUrl: 'http://api.test/' }, config }, [to], {
    fetch: (url) =>
      Promise.resolve(
        Response.json(
          answer(new URL(typeof url === 'string' ? url : url instanceof URL ? url.href : url.url).pathname.slice(1)),
        ),
      ),
  });

async function inPlace(create: Create, work: (place: TablesPlace) => Promise<void>): Promise<void> {
  const place = await create();
  try {
    await work(place);
  } finally {
    await place.drop();
  }
}

const KIDS: JsonObject = {
  jobs: [
    {
      endpoint: 'par',
      children: [
        {
          ...{ endpoint: 'par/{id}/kids', dataType: 'kids', placeholders: { id: 'id' } },
          ...{ load: 'merge', primaryKey: ['parent_id', 'n'] },
        },
      ],
    },
  ],
};
const PARENTS: Json = [{ id: 1 }, { id: 2 }, { id: 3 }];
const merged = (kids: Record<string, Json>) => (path: string) =>
  path === 'par' ? PARENTS : (kids[path[4] ?? ''] ?? []);

const UNCLEAR = { code: 'DESTINATION_INCOMPATIBLE', message: expect.stringContaining('"parent_id"') as string };

const ALL: readonly (readonly [string, Create])[] = [
  ['csv', () => csvPlace()],
  ['ndjson', () => ndjsonPlace()],
  ['duckdb', () => duckdbPlace()],
  ['parquet', () => parquetPlace()],
];

/** A key of placeholders whose name an item has as well. */
function placeholders(create: Create): void {
  it('refuse a key of a placeholder that some items have as a key of their own', () =>
    inPlace(create, async (place) => {
      const later = {
        1: [{ n: 1, parent_id: 'x' }],
        2: [{ n: 1, v: 'two' }],
        3: [{ n: 1, v: 'three' }],
      };
      await expect(run(place.to(), KIDS, merged(later))).rejects.toMatchObject(UNCLEAR);
      expect((await place.rows('kids')) ?? []).toEqual([]);
    }));

  it('take the key of the items where all have it', () =>
    inPlace(create, async (place) => {
      const own = { 1: [{ n: 1, parent_id: 'x' }], 2: [{ n: 1, parent_id: 'y' }] };
      await run(place.to(), KIDS, merged(own));
      await run(place.to(), KIDS, merged(own));
      expect(await place.rows('kids')).toHaveLength(2);
    }));
}

describe.each(ALL)('rows that are merged in %s', (_, create) => placeholders(create));
describeWithSqlite('rows that are merged in SQLite', () => placeholders(() => sqlitePlace()));
describeWithPostgres(`rows that are merged in PostgreSQL ${NEEDS}`, () => placeholders(() => postgresPlace()));

describe('csv: to whose rows others are added', () => {
  it.each(['merge', 'append'])('%s refuses items with a key that was the name of a placeholder in the file', (load) =>
    inPlace(
      () => csvPlace(),
      async (place) => {
        const [parents] = KIDS['jobs'] as [{ endpoint: string; children: [JsonObject] }];
        const child = { ...parents.children[0], load, ...(load === 'append' ? { primaryKey: [] } : {}) };
        const config = { jobs: [{ ...parents, children: [child] }] };
        await run(place.to(), config, merged({ 1: [{ n: 1 }], 2: [{ n: 1 }] }));
        const before = await place.rows('kids');
        expect(before).toHaveLength(2);
        await expect(run(place.to(), config, merged({ 3: [{ n: 3, parent_id: 'x' }] }))).rejects.toMatchObject(UNCLEAR);
        expect(await place.rows('kids')).toEqual(before);
      },
    ),
  );
});

const ONE: JsonObject = { jobs: [{ endpoint: 't', load: 'merge', primaryKey: 'id' }] };

function typed(create: Create): void {
  it('find integers of a column of doubles when it becomes text', () =>
    inPlace(create, async (place) => {
      const bodies: readonly Json[] = [
        [
          { id: 1, v: 1 },
          { id: 1.5, v: 2 },
        ],
        [
          { id: 'A7', v: 3 },
          { id: 1, v: 4 },
        ],
      ];
      for (const body of bodies) await run(place.to(), ONE, () => body);
      const rows = (await place.rows('t')) ?? [];
      expect(rows.map(({ id, v }) => [id, Number(v)]).sort()).toEqual([
        ['1', 4],
        ['1.5', 2],
        ['A7', 3],
      ]);
    }));

  it.each([
    [
      'integers beyond 64 bits beside fractions',
      ['[{"id":1},{"id":2}]', '[{"id":9223372036854775808}]', '[{"id":0.1}]'],
      '[{"id":"abc"},{"id":1},{"id":9223372036854775808},{"id":0.1}]',
      ['0.1', '1', '2', '9223372036854775808', 'abc'],
    ],
    [
      'zeros behind the point',
      ['[{"id":1.0},{"id":2.50},{"id":0.0},{"id":100}]', '[{"id":9223372036854775808}]'],
      '[{"id":"abc"},{"id":1},{"id":2.5},{"id":0},{"id":100}]',
      ['0', '1', '100', '2.5', '9223372036854775808', 'abc'],
    ],
  ])('find decimals of a column when it becomes text: %s', (_, before, after, expected) =>
    inPlace(create, async (place) => {
      const config = { api: { baseUrl: 'http://api.test/' }, config: ONE };
      for (const body of [...before, after]) {
        const answer = () => new Response(body, { headers: { 'content-type': 'application/json' } });
        await deliver(config, [place.to()], { fetch: () => Promise.resolve(answer()) });
      }
      expect(((await place.rows('t')) ?? []).map(({ id }) => id).sort()).toEqual(expected);
    }),
  );

  it('refuse a key of moments that becomes text', () =>
    inPlace(create, async (place) => {
      await run(place.to(), ONE, () => [{ id: '2024-02-29T12:00:00.5+02:00', v: 1 }]);
      await expect(run(place.to(), ONE, () => [{ id: 'unknown', v: 2 }])).rejects.toMatchObject({
        code: 'DESTINATION_INCOMPATIBLE',
        message: expect.stringContaining('"id" of the primary key') as string,
      });
      expect(await place.rows('t')).toHaveLength(1);
    }));

  it('write moments in a column that becomes text in one way', () =>
    inPlace(create, async (place) => {
      await run(place.to(), ONE, () => [
        { id: 1, at: '2024-02-29T10:00:00Z' },
        { id: 2, at: '2024-02-29T12:00:00.5+02:00' },
      ]);
      await run(place.to(), ONE, () => [{ id: 3, at: 'unknown' }]);
      const rows = (await place.rows('t')) ?? [];
      expect(rows.map(({ at }) => at).sort()).toEqual(['2024-02-29T10:00:00.5Z', '2024-02-29T10:00:00Z', 'unknown']);
    }));
}

describe.each(ALL.slice(2))('rows that are merged by typed columns in %s', (_, create) => typed(create));
describeWithPostgres(`rows that are merged by typed columns in PostgreSQL ${NEEDS}`, () =>
  typed(() => postgresPlace()),
);

function mapped(create: Create): void {
  it('refuse keys of several columns that could not be told from each other below them', () =>
    inPlace(create, async (place) => {
      const key = (destination: string): Json => ({ mapping: { destination, primaryKey: true } });
      const tags = { type: 'table', destination: 'tag', tableMapping: { '.': 'n' } };
      const config: JsonObject = {
        jobs: [{ endpoint: 'b', load: 'merge' }],
        mappings: { b: { r: key('r'), q: key('q'), tags } },
      };
      await run(place.to(), config, () => [{ r: 'Smith', q: 'NY', tags: ['t1', 't2'] }]);
      await run(place.to(), config, () => [{ r: 'Smith', q: 'NY', tags: ['t3'] }]);
      const before = await place.rows('tag');
      expect(before?.map(({ n }) => n)).toEqual(['t3']);
      await expect(run(place.to(), config, () => [{ r: 'Smith,J', q: 'NY', tags: ['t4'] }])).rejects.toMatchObject({
        code: 'API_SHAPE',
        message: expect.stringMatching(/"r".*comma.*parentKey/) as string,
      });
      expect(await place.rows('tag')).toEqual(before);
    }));
}

describe.each(ALL)('mapped rows that are merged in %s', (_, create) => mapped(create));
describeWithSqlite('mapped rows that are merged in SQLite', () => mapped(() => sqlitePlace()));
describeWithPostgres(`mapped rows that are merged in PostgreSQL ${NEEDS}`, () => mapped(() => postgresPlace()));

/** Tables whose rows were stored under another key, or renamed since. */
function renamed(create: Create): void {
  const added = (load: JsonObject): JsonObject => ({ jobs: [{ endpoint: 't', ...load }] });
  const LACKS = (column: string): object => ({
    code: 'DESTINATION_INCOMPATIBLE',
    message: expect.stringContaining(`has rows, but no column "${column}"`) as string,
  });

  it.each([
    ['one column', 'id', 'id'],
    ['several, of which one is there', ['n', 'lang'], 'lang'],
  ])('are refused where the table lacks the key: %s', (_, primaryKey, missing) =>
    inPlace(create, async (place) => {
      await run(place.to(), added({ load: 'append' }), () => [{ n: 1 }, { n: 2 }]);
      const before = await place.rows('t');
      const merge = added({ load: 'merge', primaryKey });
      const items: Json = [{ n: 1, id: 1, lang: 'de' }];
      await expect(run(place.to(), merge, () => items)).rejects.toMatchObject(LACKS(missing));
      expect(await place.rows('t')).toEqual(before);
    }),
  );

  it('are stored where nothing comes, and where the table has the key', () =>
    inPlace(create, async (place) => {
      await run(place.to(), added({ load: 'append' }), () => [{ n: 1 }, { n: 2 }]);
      await run(place.to(), added({ load: 'merge', primaryKey: 'id' }), () => []);
      await run(place.to(), added({ load: 'merge', primaryKey: 'n' }), () => [{ n: 1, id: 1 }]);
      expect(await place.rows('t')).toHaveLength(2);
    }));
}

describe.each(ALL)('rows that are merged into older ones in %s', (_, create) => renamed(create));
describeWithSqlite('rows that are merged into older ones in SQLite', () => renamed(() => sqlitePlace()));
describeWithPostgres(`rows that are merged into older ones in PostgreSQL ${NEEDS}`, () =>
  renamed(() => postgresPlace()),
);
