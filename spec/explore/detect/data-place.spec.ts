/** Data that are no list of objects: `init` writes how they are made rows (docs/language/rows.md). */
import { firstValueFrom, toArray } from 'rxjs';
import { extract } from '../../../src';
import type { Json } from '../../../src';
import { discover } from '../../../src/explore/discover/discover';
import { SHIPS } from './apis';
import { findData } from '../../../src/explore/detect/data-place';
import { serve, type Serving } from './serve';

const NAMES = ['id', 'name', 'updated_at'];
const OBJECTS = SHIPS.map(({ id, name, updated_at }) => ({ id, name, updated_at }));
const ROWS = OBJECTS.map(({ id, name, updated_at }) => [id, name, updated_at]);

describe('a message in the place of items', () => {
  it.each<[Json, string]>([
    [{ status: 'error', message: 'Session expired' }, 'unsure'],
    [{ success: false, error: { code: 17 } }, 'unsure'],
    [{ id: 7, status: 'sent', message: 'Session expired' }, 'likely'],
  ])('is not certainly an item: %j', (data, confidence) => {
    expect(findData(data, 'https://h.example/ships')).toMatchObject({ value: { dataField: '.' }, confidence });
  });
});

describe('an array in a response that has an id', () => {
  const data = { Id: 'b3', Status: 'OK', Invoices: OBJECTS };

  it.each([
    ['https://h.example/api/Invoices', 'Invoices', 'the list, where the address ends with its name'],
    ['https://h.example/api/accounts/b3', '.', 'a part of one item else'],
  ])('%s: %s, %s', (url, dataField) => {
    expect(findData(data, url).value.dataField).toBe(dataField);
  });
});

describe('data that are no list of objects', () => {
  let serving: Serving;
  afterEach(() => serving.close());

  const found = () =>
    discover({ method: 'GET', url: `${serving.origin}/fleet/ships.json`, headers: {} }, { guess: false });
  const reasonOf = ({ findings }: Awaited<ReturnType<typeof found>>) => findings.find(({ about }) => about === 'data');
  const itemsOf = async ({ configuration }: Awaited<ReturnType<typeof found>>) =>
    firstValueFrom(extract(configuration).items$.pipe(toArray()));

  it('are paged as others are', async () => {
    serving = await serve({
      path: '/fleet/ships.json',
      answer: ({ url }) => {
        const from = Number(url.searchParams.get('_next') ?? 0);
        const next = from + 3 < SHIPS.length ? String(from + 3) : null;
        const address = new URL(url);
        address.searchParams.set('_next', next ?? '');
        const body = { database: 'fleet', rows: ROWS.slice(from, from + 3), truncated: false, columns: NAMES };
        return { body: { ...body, next, next_url: next === null ? null : address.href } };
      },
    });
    const discovery = await found();
    expect(discovery.requests).toBe(serving.requests());
    expect(discovery.configuration).toMatchObject({ config: { jobs: [{ rows: { names: 'columns' } }] } });
    expect(await itemsOf(discovery)).toEqual(OBJECTS);
  });

  const maps = { s1: { id: 's1', tons: 4 }, s2: { id: 's2', tons: 5 } };
  it.each<[string, Json, object, Json, string]>([
    [
      'names beside them',
      { result: { head: NAMES, kinds: ['a'], rows: ROWS } },
      { names: 'result.head' },
      OBJECTS,
      'names stand at "result.head"',
    ],
    [
      'names in objects',
      { fields: [{ name: 'a' }, { name: 'b' }], rows: [[1, 2]] },
      { names: 'fields' },
      [{ a: 1, b: 2 }],
      'names stand at "fields"',
    ],
    [
      'a header',
      { range: 'A1', values: [['a', 'b'], [1, 'x'], [2]] },
      { header: true },
      [{ a: 1, b: 'x' }, { a: 2 }],
      'seems to have their names',
    ],
    ['a map that repeats its keys', { ships: maps }, { keys: 'id' }, Object.values(maps), 'the column "id"'],
    [
      'a map',
      { ships: { s1: { tons: 4, id: 7 }, s2: { tons: 5, id: 8 } } },
      { keys: 'key' },
      [
        { key: 's1', tons: 4, id: 7 },
        { key: 's2', tons: 5, id: 8 },
      ],
      'the column "key"',
    ],
    [
      'an array for each column',
      { hourly: { time: ['0', '1'], level: [1, null] } },
      { columns: true },
      [
        { time: '0', level: 1 },
        { time: '1', level: null },
      ],
      'an array for each column',
    ],
  ])('have %s', async (_, body, rows, items, reason) => {
    serving = await serve({ path: '/fleet/ships.json', answer: () => ({ body }) });
    const discovery = await found();
    expect(discovery.configuration).toMatchObject({ config: { jobs: [{ rows }] } });
    expect(reasonOf(discovery)).toMatchObject({
      confidence: 'likely',
      reason: expect.stringContaining(reason) as string,
    });
    expect(await itemsOf(discovery)).toEqual(items);
  });

  it.each<[string, Json]>([
    ['nothing beside them has as many strings', { columns: ['id'], rows: ROWS }],
    ['they differ in their lengths', { columns: NAMES, rows: [[1, 2, 3, 4], ...ROWS] }],
    [
      'all are strings',
      {
        values: [
          ['a', 'b'],
          ['c', 'd'],
        ],
      },
    ],
    ['they are the response', ROWS],
  ])('stay as they are where %s', async (_, body) => {
    serving = await serve({ path: '/fleet/ships.json', answer: () => ({ body }) });
    const { configuration } = await found();
    expect(JSON.stringify(configuration)).not.toContain('"rows":{');
  });
});
