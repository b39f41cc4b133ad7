import fc from 'fast-check';
import { FatalError } from '../../src/core/errors/errors';
import { parseData } from '../../src/core/json/parse';
import { stringifyJson } from '../../src/core/json/stringify';
import type { Json, JsonObject } from '../../src/core/model';
import type { RowsPlan } from '../../src/plan/plan';
import { findItems } from '../../src/sources/items';
import { runToEnd } from '../support/command';
import { json } from '../support/answers';
import { startServer } from '../support/api-server';

const NOTHING: RowsPlan['add'] = {};
const rowsIn = (data: Json, rows: RowsPlan, path = 'at'): Json => [
  ...findItems({ path, delimiter: '.', rows }, data, 'rows').items,
];
const keys: RowsPlan = { method: { kind: 'keys', column: 'id' }, add: NOTHING };
const header: RowsPlan = { method: { kind: 'header' }, add: NOTHING };
const columns: RowsPlan = { method: { kind: 'columns' }, add: NOTHING };
const names = (given: readonly string[] | string): RowsPlan => ({
  method: { kind: 'names', names: given },
  add: NOTHING,
});

describe('rows (docs/language/rows.md)', () => {
  it.each<[string, Json, RowsPlan, Json]>([
    ['members of an object', { at: { a: { n: 1 }, b: {} } }, keys, [{ id: 'a', n: 1 }, { id: 'b' }]],
    [
      'members that are no objects',
      { at: { a: 1, b: [2] } },
      keys,
      [
        { id: 'a', value: 1 },
        { id: 'b', value: [2] },
      ],
    ],
    ['an object that repeats its key', { at: { 7: { id: 7, n: 1 } } }, keys, [{ id: 7, n: 1 }]],
    ['several objects', { at: [{ a: {} }, { b: {} }] }, keys, [{ id: 'a' }, { id: 'b' }]],
    ['names', { at: [[1, 2], [3]] }, names(['x', 'y']), [{ x: 1, y: 2 }, { x: 3 }]],
    [
      'names in the response',
      { at: [[1, 2]], of: { names: ['x', { name: 'y' }] } },
      names('of.names'),
      [{ x: 1, y: 2 }],
    ],
    [
      'a header',
      {
        at: [
          ['x', 'y'],
          [1, null],
        ],
      },
      header,
      [{ x: 1, y: null }],
    ],
    ['a header alone', { at: [['x']] }, header, []],
    [
      'columns',
      { at: { x: [1, 2], y: ['a', 'b'], of: 'c' } },
      columns,
      [
        { x: 1, y: 'a', of: 'c' },
        { x: 2, y: 'b', of: 'c' },
      ],
    ],
    ['nothing', { at: {} }, keys, []],
    [
      'members of the response',
      { at: [{ n: 1 }, { n: 2 }], meta: { symbol: null } },
      { method: { kind: 'items' }, add: { of: 'meta.symbol' } },
      [
        { n: 1, of: null },
        { n: 2, of: null },
      ],
    ],
  ])('are made of %s', (_, data, rows, expected) => {
    expect(rowsIn(data, rows)).toEqual(expected);
  });

  it.each<[string, Json, RowsPlan, RegExp]>([
    [
      'an array with more elements than names',
      { at: [[1, 2]] },
      names(['x']),
      /rows\.names.*row 1 has 2 elements, and there are 1 names/,
    ],
    ['a row that is no array', { at: [[1], { x: 1 }] }, names(['x']), /row 2 is object/],
    ['names that are not there', { at: [[1]] }, names('of'), /rows\.names.*no names.*nothing/],
    ['columns of different lengths', { at: { x: [1], y: [] } }, columns, /"x" has 1 elements, and "y" has 0/],
    ['no columns', { at: { x: 1 } }, columns, /no arrays/],
    ['a list where an object was expected', { at: [[1]] }, keys, /rows\.keys.*array/],
    ['two members with one name', { at: { a: { id: 'b' } } }, keys, /two members "id"/],
    [
      'a path that is not there',
      { at: [{}] },
      { method: { kind: 'items' }, add: { of: 'meta.symbol' } },
      /rows\.add\.of.*"meta\.symbol"/,
    ],
  ])('refuse %s', (_, data, rows, message) => {
    const made = (): Json => rowsIn(data, rows);
    expect(made).toThrow(FatalError);
    expect(made).toThrow(message);
  });

  it('keep each value, and the digits of numbers', () => {
    const number = fc.constantFrom('1.50', '9007199254740993', '1e400', '-0');
    fc.assert(
      fc.property(fc.array(fc.array(number, { minLength: 2, maxLength: 2 }), { minLength: 1 }), (table) => {
        const text = `{"at":[${table.map((row) => `[${row.join(',')}]`).join(',')}]}`;
        const made = rowsIn(parseData(text, 'spelling'), names(['x', 'y']));
        expect(stringifyJson(made)).toBe(`[${table.map(([x, y]) => `{"x":${x},"y":${y}}`).join(',')}]`);
      }),
    );
  });

  it('are data where they are the whole response: their keys say nothing of pages', async () => {
    const body = { next: { n: 1 }, error: { n: 2 }, total: { n: 3 }, has_more: { n: 4 }, count: 900 };
    const server = await startServer(() => json(body));
    const job = { endpoint: 'map', dataField: '.', rows: { keys: 'id' } };
    try {
      const run = await runToEnd(
        ['run', '-'],
        JSON.stringify({ api: { baseUrl: server.origin }, config: { jobs: [job] } }),
      );
      expect([run.status, run.stdout.trim().split('\n').length]).toEqual([0, 5]);
      expect(run.stderr).toContain('Extractor finished successfully. Complete: map.');
    } finally {
      await server.close();
    }
  });

  it('go through pages, tables and destinations, with all digits', async () => {
    const page = (from: number): Json => ({
      symbol: 'A',
      values: [
        [from, '1'],
        [from + 1, '2'],
      ],
    });
    const server = await startServer(({ url }) =>
      json(url.includes('offset=0') ? page(0) : { symbol: 'A', values: [[2, '3']] }),
    );
    const config = (rows: JsonObject): string =>
      JSON.stringify({
        api: { baseUrl: server.origin, pagination: { method: 'offset', limit: 2 } },
        config: { jobs: [{ endpoint: 'prices', dataField: 'values', rows }] },
      });
    try {
      const run = await runToEnd(['run', '-'], config({ names: ['n', 'price'], add: { symbol: 'symbol' } }));
      expect(run).toMatchObject({ status: 0 });
      expect(run.stdout.trim().split('\n')).toEqual([0, 1, 2].map((n) => `{"n":${n},"price":"${n + 1}","symbol":"A"}`));
      const wrong = await runToEnd(['run', '-'], config({ names: ['n'] }));
      expect([wrong.status, wrong.stderr]).toEqual([1, expect.stringContaining('row 1 has 2 elements')]);
      const both = await runToEnd(['validate', '-'], config({ names: ['n'], header: true }));
      expect([both.status, both.stderr + both.stdout]).toEqual([
        1,
        expect.stringContaining('more than one of keys, names, header and columns'),
      ]);
    } finally {
      await server.close();
    }
  });
});
