/** Rows of mapped child tables in SQLite go with their parents, whatever the type of the key (docs/language/mappings.md#child-tables). */
import { deliver } from '../../../src';
import type { Json, JsonObject } from '../../../src';
import { describeWithSqlite } from '../../support/sqlite';
import { sqlitePlace } from '../../support/tables';
import type { TablesPlace } from '../../support/tables';

describeWithSqlite('rows of child tables in sqlite', () => {
  let place: TablesPlace;
  beforeEach(async () => (place = await sqlitePlace()));
  afterEach(() => place.drop());

  const load = (mappings: JsonObject, body: string) =>
    deliver(
      {
        api: { baseUrl: 'https://api.test/' },
        config: { jobs: [{ endpoint: 'boxes' }], mappings, incrementalOutput: true },
      },
      [place.to()],
      { fetch: () => Promise.resolve(new Response(body)) },
    );
  const keyed = (destination: string, type?: string): Json => ({
    mapping: { destination, primaryKey: true, ...(type === undefined ? {} : { type }) },
  });
  /** Boxes with bags with tags: the key of each table is `key`. */
  const boxesOf = (key: JsonObject): JsonObject => ({
    boxes: {
      ...key,
      bags: {
        type: 'table',
        destination: 'bag',
        parentKey: { destination: 'box', primaryKey: true },
        tableMapping: { tags: { type: 'table', destination: 'tag', tableMapping: { '.': 'name' } } },
      },
    },
  });
  const namesOf = async (): Promise<readonly Json[]> =>
    ((await place.rows('tag')) ?? []).map((row) => row['name'] as Json);

  it.each([
    ['integers', '5', '6'],
    ['integers of 64 bits', '9007199254740993', '9007199254740992'],
    ['doubles', '0.30000000000000004', '0.3'],
    ['decimals', '12345678901234567.250', '12345678901234567.5'],
    ['booleans', 'true', 'false'],
    ['dates', '"2024-02-29"', '"2024-03-01"'],
    ['times', '"2024-02-29T10:00:00Z"', '"2024-02-29T11:00:00Z"'],
    ['strings', '"a,\\"b\\""', '"c"'],
    ['strings beside numbers', '"x"', '1.10'],
  ])('go with a key of %s, at two depths', async (_, one, other) => {
    const mappings = boxesOf({ id: keyed('id') });
    const box = (id: string, tag: string): string => `{"id":${id},"bags":[{"tags":["${tag}"]}]}`;
    await load(mappings, `[${box(one, 'goes')},${box(other, 'stays')}]`);
    await load(mappings, `[${box(one, 'new')}]`);
    expect(await namesOf()).toEqual(['stays', 'new']);
    await load(mappings, `[{"id":${other},"bags":[]}]`);
    expect(await namesOf()).toEqual(['new']);
  });

  it('go with a key of several columns, which are as the language writes them', async () => {
    const mappings = boxesOf({ id: keyed('id'), at: keyed('at'), is: keyed('is') });
    const box = (id: number, tag: string): JsonObject => ({ id, at: '2024-02-29', is: true, bags: [{ tags: [tag] }] });
    await load(mappings, JSON.stringify([box(1, 'goes'), box(2, 'stays')]));
    await load(mappings, JSON.stringify([box(1, 'new')]));
    expect(await namesOf()).toEqual(['stays', 'new']);
  });

  it('have the types that a mapping chooses, and are found by them', async () => {
    const mappings = boxesOf({ id: keyed('id', 'decimal(12,2)') });
    await load(mappings, '[{"id":"1.10","bags":[{"tags":["goes"]}]},{"id":2,"bags":[{"tags":["stays"]}]}]');
    expect(await place.rows('boxes')).toEqual([{ id: '1.1' }, { id: '2' }]);
    expect((await place.rows('bag'))?.map((row) => row['box'])).toEqual(['1.1', '2']);
    await load(mappings, '[{"id":1.1,"bags":[{"tags":["new"]}]}]');
    expect(await namesOf()).toEqual(['stays', 'new']);
    await expect(load(mappings, '[{"id":0.125,"bags":[]}]')).rejects.toMatchObject({ code: 'COLUMN_TYPE' });
  });

  it('refuse a key of several columns that cannot be made again', async () => {
    const ofBags = {
      id: keyed('id'),
      share: keyed('share'),
      tags: { type: 'table', destination: 'tag', tableMapping: { '.': 'name' } },
    };
    const mappings = {
      boxes: { id: keyed('id'), bags: { type: 'table', destination: 'bag', tableMapping: ofBags } },
    };
    const body = '[{"id":1,"bags":[{"id":1,"share":0.5,"tags":["a"]}]}]';
    await load(mappings, body);
    await expect(load(mappings, body)).rejects.toMatchObject({ code: 'DESTINATION_INCOMPATIBLE', table: 'bag' });
    expect(await namesOf()).toEqual(['a']);
  });
});
