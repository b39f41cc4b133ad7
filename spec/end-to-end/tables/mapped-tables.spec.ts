/** Mappings in destinations with typed tables (docs/language/mappings.md), as in CSV, but for the types of values. */
import { deliver } from '../../../src';
import type { Json, JsonObject, Log } from '../../../src';
import { describeAlike } from '../../support/cases';
import { describeWithPostgres, NEEDS } from '../../support/postgres';
import { describeWithSqlite } from '../../support/sqlite';
import { duckdbPlace, ndjsonPlace, parquetPlace, postgresPlace, sqlitePlace } from '../../support/tables';
import type { TablesPlace } from '../../support/tables';

type Run = Readonly<Record<string, readonly Json[] | string>>;

/** Delivers the items of each endpoint; a string is the body itself. */
const load = (place: TablesPlace, config: JsonObject, run: Run, logger?: Log) =>
  deliver(
    {
      api: { baseUrl: 'https://api.test/' },
      config: { jobs: Object.keys(run).map((endpoint) => ({ endpoint })), ...config },
    },
    [place.to()],
    {
      fetch: (url) => {
        const items = run[new URL(String(url instanceof Request ? url.url : url)).pathname.slice(1)] ?? [];
        return Promise.resolve(new Response(typeof items === 'string' ? items : JSON.stringify(items)));
      },
      ...(logger === undefined ? {} : { logger }),
    },
  );

const key = (destination: string) => ({ mapping: { destination, primaryKey: true } });
const columnsOf = (rows: readonly JsonObject[] | undefined): readonly string[] => Object.keys(rows?.[0] ?? {});
const sorted = (rows: readonly JsonObject[] | undefined): readonly string[] =>
  (rows ?? []).map((row) => JSON.stringify(Object.values(row))).sort();

const BOATS = {
  boats: {
    id: key('boat_id'),
    'owner.name': 'owner',
    'at/lat': { mapping: { destination: 'lat' }, delimiter: '/' },
    engine: { mapping: { destination: 'engine' }, forceType: true },
    seen: { type: 'date', mapping: { destination: 'seen' } },
    never: 'never',
    source: { type: 'user', mapping: { destination: 'source' } },
  },
};

function mappedTables(name: string, make: () => Promise<TablesPlace>): void {
  describe(`mappings in ${name}`, () => {
    let place: TablesPlace;
    beforeEach(async () => (place = await make()));
    afterEach(() => place.drop());

    it('give the columns of the mapping in their order, typed, and nothing else', async () => {
      const warnings: string[] = [];
      const logger: Log = { log: (level, message) => level === 'warn' && warnings.push(message) };
      const items = [
        {
          id: 1,
          owner: { name: 'Ann', age: 40 },
          engine: { kw: 90.5 },
          at: { lat: 50.25 },
          seen: '2021-06-16T09:30:15Z',
        },
        { id: 2, extra: [1, 2], engine: [1] },
      ];
      await load(place, { mappings: BOATS, userData: { source: 'river' } }, { boats: items }, logger);
      const rows = await place.rows('boats');
      expect(columnsOf(rows)).toEqual(['boat_id', 'owner', 'lat', 'engine', 'seen', 'never', 'source']);
      const [first, second] = rows ?? [];
      const engineOf = (row: JsonObject | undefined): Json =>
        typeof row?.['engine'] === 'string' ? (JSON.parse(row['engine']) as Json) : (row?.['engine'] ?? null);
      expect({ ...first, engine: engineOf(first) }).toEqual({
        ...{ boat_id: 1, owner: 'Ann', lat: 50.25, engine: { kw: 90.5 }, seen: 1623835815, never: null },
        source: 'river',
      });
      expect({ ...second, engine: engineOf(second) }).toEqual({
        ...{ boat_id: 2, owner: null, lat: null, engine: [1], seen: null, never: null, source: 'river' },
      });
      expect(await place.rows('boats_extra')).toBeUndefined();
      expect(warnings).toEqual([expect.stringContaining('config.mappings.boats.never')]);
    });

    it('refuse an object where no column for one is', async () => {
      const failing = load(place, { mappings: BOATS }, { boats: [{ id: 1, owner: { name: ['a'] } }] });
      await expect(failing).rejects.toMatchObject({ code: 'API_SHAPE' });
    });

    it('make a table without rows, and leave dataTypes without a mapping to the automatic conversion', async () => {
      await load(place, { mappings: BOATS }, { boats: [], places: [{ id: 1, tags: ['x'], at: { x: 1 } }] });
      expect(await place.rows('boats')).toEqual([]);
      if (name !== 'ndjson') expect(await place.rows('places_tags')).toMatchObject([{ value: 'x' }]);
      expect(await place.rows('places')).toMatchObject(name === 'ndjson' ? [{ at: { x: 1 } }] : [{ at_x: 1 }]);
    });

    const boxes = (more: JsonObject, id: Json = key('id')) => ({
      boxes: { id, tags: { type: 'table', destination: 'tag', tableMapping: { '.': 'name' }, ...more } },
    });

    it('link child tables by the key of the parent', async () => {
      await load(
        place,
        { mappings: boxes({}) },
        { boxes: [{ id: 5, tags: ['x', 7] }, { id: 6 }, { id: 8, tags: [] }] },
      );
      expect(sorted(await place.rows('boxes'))).toEqual(['[5]', '[6]', '[8]']);
      const tags = await place.rows('tag');
      expect(columnsOf(tags)).toEqual(['name', 'boxes_pk']);
      expect(tags?.map((row) => row['name'])).toEqual(['x', name === 'ndjson' ? 7 : '7', null]);
      expect(tags?.map(({ boxes_pk }) => boxes_pk)).toEqual([5, 5, 6]);
    });

    it('link child tables by the digest of the language where there is no key', async () => {
      await load(place, { mappings: boxes({}, 'id') }, { boxes: [{ id: 5, tags: ['x', 'y'] }] });
      const [box] = (await place.rows('boxes')) ?? [];
      expect(box).toEqual({ id: 5, tag: expect.stringMatching(/^[0-9a-f]{32}$/) as string });
      expect(await place.rows('tag')).toEqual(['x', 'y'].map((tag) => ({ name: tag, boxes_pk: box?.['tag'] })));
    });

    it('link nothing where that is disabled, and add trees to their own table', async () => {
      const mappings = {
        ...boxes({ parentKey: { disable: true } }),
        places: {
          name: 'name',
          inside: { type: 'table', destination: 'places', parentKey: { disable: true } },
        },
      };
      const places = [{ name: 'north', inside: [{ name: 'weir' }, { name: 'lock' }] }];
      await load(place, { mappings }, { boxes: [{ id: 5, tags: ['x', 'y'] }], places });
      expect(await place.rows('tag')).toEqual([{ name: 'x' }, { name: 'y' }]);
      expect((await place.rows('places'))?.map((row) => row['name'])).toEqual(['weir', 'lock', 'north']);
    });

    const ORDERS = {
      orders: {
        id: key('id'),
        at: 'at',
        lines: {
          type: 'table',
          destination: 'line',
          parentKey: { destination: 'order_id', primaryKey: true },
          tableMapping: {
            no: key('no'),
            taxes: { type: 'table', destination: 'tax', tableMapping: { '.': 'rate' } },
          },
        },
        notes: {
          type: 'table',
          destination: 'note',
          tableMapping: {
            text: 'text',
            words: { type: 'table', destination: 'word', tableMapping: { '.': 'word' } },
          },
        },
        marks: { type: 'table', destination: 'mark', parentKey: { disable: true }, tableMapping: { '.': 'mark' } },
      },
    };
    const order = (id: number, lines: readonly Json[], note: string) => ({
      ...{ id, at: `2024-01-0${id}`, lines, notes: [{ text: note, words: [`w-${note}`] }], marks: [`m${id}`] },
    });

    it('merge rows by the key of the mapping, with the rows of child tables at any depth', async () => {
      const config = { mappings: ORDERS, incrementalOutput: true };
      await load(place, config, {
        orders: [
          order(
            1,
            [
              { no: 1, taxes: [1.5, 2] },
              { no: 2, taxes: [3] },
            ],
            'old',
          ),
          order(2, [{ no: 1, taxes: [4] }], 'stays'),
          order(3, [{ no: 1, taxes: [5] }], 'goes'),
        ],
      });
      await load(place, config, {
        orders: [
          order(1, [{ no: 9, taxes: [9] }], 'passing'),
          order(1, [{ no: 2, taxes: [7] }, { no: 3 }], 'new'),
          { id: 3, at: '2024-01-09', lines: [], notes: [], marks: [] },
        ],
      });
      expect(sorted(await place.rows('orders')).map((row) => row.replace(/T[^"]*/, ''))).toEqual([
        '[1,"2024-01-01"]',
        '[2,"2024-01-02"]',
        '[3,"2024-01-09"]',
      ]);
      expect(sorted(await place.rows('line'))).toEqual(['[1,2]', '[2,1]', '[3,1]']);
      expect(sorted(await place.rows('tax'))).toEqual(['[4,"1,2"]', '[7,"2,1"]', '[null,"3,1"]']);
      const notes = await place.rows('note');
      expect(notes?.map(({ text, orders_pk }) => [text, orders_pk]).sort()).toEqual([
        ['new', 1],
        ['stays', 2],
      ]);
      const links = new Map(notes?.map(({ text, word }) => [word, text]));
      const words = ((await place.rows('word')) ?? []).map(({ word, note_pk }) => [word, links.get(note_pk as string)]);
      expect(words.sort()).toEqual([
        ['w-new', 'new'],
        ['w-stays', 'stays'],
      ]);
      // Nothing says whose they are.
      expect(sorted(await place.rows('mark'))).toEqual(['["m1"]', '["m1"]', '["m2"]', '["m3"]']);
    });

    it('have of child rows with the same key the last one, with the rows below it', async () => {
      const config = { mappings: ORDERS, incrementalOutput: true };
      const lines = [
        { no: 1, taxes: [1] },
        { no: 2, taxes: [2] },
        { no: 1, taxes: [3] },
      ];
      await load(place, config, { orders: [order(1, [{ no: 1, taxes: [0] }], 'goes'), order(1, lines, 'stays')] });
      expect(sorted(await place.rows('line'))).toEqual(['[1,1]', '[2,1]']);
      expect(sorted(await place.rows('tax'))).toEqual(['[2,"2,1"]', '[3,"1,1"]']);
    });

    it('leave the rows of parents alone that only share a child table', async () => {
      const child = {
        type: 'table',
        destination: 'tag',
        parentKey: { destination: 'of' },
        tableMapping: { '.': 'name' },
      };
      const mappings = { boxes: { id: key('id'), tags: child }, bags: { id: key('id'), tags: child } };
      const config = { mappings, incrementalOutput: true };
      await load(place, config, { boxes: [{ id: 1, tags: ['box'] }], bags: [{ id: 1, tags: ['bag'] }] });
      await load(place, config, { boxes: [{ id: 1, tags: ['new'] }], bags: [] });
      expect(sorted(await place.rows('tag'))).toEqual(['["bag",1]', '["box",1]', '["new",1]']);
    });

    it('replace and append as the configuration says', async () => {
      const mappings = boxes({}, 'id');
      await load(place, { mappings }, { boxes: [{ id: 1, tags: ['a'] }] });
      await load(place, { mappings }, { boxes: [{ id: 2, tags: ['b'] }] });
      expect((await place.rows('boxes'))?.map(({ id }) => id)).toEqual([2]);
      expect((await place.rows('tag'))?.map((row) => row['name'])).toEqual(['b']);
      await load(place, { mappings, incrementalOutput: true }, { boxes: [{ id: 3, tags: [] }] });
      expect(((await place.rows('boxes')) ?? []).map(({ id }) => id).sort()).toEqual([2, 3]);
      expect((await place.rows('tag'))?.map((row) => row['name'])).toEqual(['b']);
      await load(place, { mappings }, { boxes: [] });
      expect([await place.rows('boxes'), await place.rows('tag')]).toEqual([[], []]);
    });

    it('refuse a table that a dataType without a mapping fills, too', async () => {
      const failing = load(place, { mappings: boxes({}) }, { boxes: [{ id: 1, tags: ['a'] }], tag: [{ id: 1 }] });
      await expect(failing).rejects.toMatchObject({ code: 'API_SHAPE', table: 'tag' });
    });

    it('keep texts that look like numbers, and numbers with all of their digits', async () => {
      const body = '[{"a":"007","b":12345678901234567.25,"c":"1e5","d":1234567890123456789012,"e":1.10},{"e":"x"}]';
      const mappings = { rows: { a: 'a', b: 'b', c: 'c', d: 'd', e: 'e' } };
      await load(place, { mappings }, { rows: body });
      const [row] = (await place.rows('rows')) ?? [];
      expect([row?.['a'], row?.['c']]).toEqual(['007', '1e5']);
      if (name !== 'ndjson')
        expect([row?.['b'], row?.['d'], row?.['e']].map(String)).toEqual([
          '12345678901234567.25',
          '1234567890123456789012',
          '1.10',
        ]);
    });
  });
}

mappedTables('duckdb', duckdbPlace);
describeAlike('in Parquet', () => mappedTables('parquet', parquetPlace));
mappedTables('ndjson', ndjsonPlace);
describeWithPostgres(NEEDS, () => mappedTables('postgres', postgresPlace));
describeWithSqlite('sqlite', () => mappedTables('sqlite', sqlitePlace));
