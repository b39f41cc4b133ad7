import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseJson } from '../../../src/core/json/parse';
import { stringifyJson } from '../../../src/core/json/stringify';
import type { Json, JsonObject } from '../../../src/core/model';
import { automaticTables, makeTables, numberedTables, page } from '../make-tables';

const boats = parseJson(`[
  {"id": 1, "engine": {"kw": 90, "parts": ["a", "b"]}, "crew": [{"n": "Ann"}]},
  {"id": 2, "engine": {"kw": 70, "fuel": "gas"}, "crew": {"n": "Bo"}}
]`) as Json[];

/** The only table of some items, or of some pages. */
const tableOf = async (...pages: Json[][]): Promise<readonly string[] | undefined> =>
  (await numberedTables(pages.map((items) => page('t', items))))['t'];

describe('language 8.2: columns', () => {
  it('stand in tree order: a late key comes after its siblings, inside the place of its object', async () => {
    expect(await tableOf([{ a: { x: 1 }, b: 2 }], [{ c: 3, a: { y: 4 } }])).toEqual(['a_x|a_y|b|c', '1||2|', '|4||3']);
  });

  it('are one for null, and none for an empty object', async () => {
    expect(await tableOf([{ a: null, b: {}, c: 1 }])).toEqual(['a|c', '|1']);
  });

  it.each<[string, Json[], string[]]>([
    ['scalars', ['a', true, null], ['data', 'a', '1', '']],
    ['lists', [[1, 'a'], [{ b: [2] }]], ['data', '[1,"a"]', '[{"b":[2]}]']],
  ])('are only "data" for %s', async (_, items, rows) => {
    expect(await tableOf(items)).toEqual(rows);
  });

  it('are none but the link while all elements of a list are null', async () => {
    expect(await numberedTables([page('t', [{ x: [null, null] }])])).toEqual({
      t: ['x', 't_#1'],
      t_x: ['JSON_parentId', 't_#1', 't_#1'],
    });
  });
});

describe('language 8.3: column names', () => {
  it('join the keys with "." before they are made safe', async () => {
    expect((await tableOf([{ 'a b': { č: { _x: 1 } } }]))?.[0]).toBe('a_b_x');
  });

  it('are unique in their table, and object nodes take a name as well', async () => {
    expect((await tableOf([{ a: { x: 1 }, 'a ': 2, 'a  ': 3 }]))?.[0]).toBe('a_x|a_u0|a_u1');
  });

  it('are given after each page, in tree order, and never change', async () => {
    expect((await tableOf([{ 'a.b': 1, a: {} }], [{ a: { b: 2 } }]))?.[0]).toBe('a_b|a_b_u0');
    expect((await tableOf([{ a: {}, 'a.b': 1 }], [{ a: { b: 2 } }]))?.[0]).toBe('a_b_u0|a_b');
    expect((await tableOf([{ a: {}, 'a.b': 1 }, { a: { b: 2 } }]))?.[0]).toBe('a_b|a_b_u0');
  });

  it('differ by case', async () => {
    expect((await tableOf([{ a: 1, A: 2 }]))?.[0]).toBe('a|A');
  });

  it('may repeat in another table', async () => {
    expect(await numberedTables([page('t', [{ a: 1, x: [{ a: 2 }] }])])).toMatchObject({
      t_x: ['a|JSON_parentId', '2|t_#1'],
    });
  });
});

describe('language 8.4: cells', () => {
  it.each<[string, string, string]>([
    ['a string', '"a \\"b\\", c"', 'a "b", c'],
    ['a string of several lines and alphabets', '"a\\nč日\\ud83d\\ude00"', 'a\nč日😀'],
    ['an integer beyond 2^53', '9007199254740993', '9007199254740993'],
    ['1.0', '1.0', '1'],
    ['1.50', '1.50', '1.5'],
    ['a very large number', '1e25', '1.0E+25'],
    ['true', 'true', '1'],
    ['false', 'false', ''],
    ['null', 'null', ''],
  ])('%s', async (_, json, cell) => {
    expect(await tableOf([{ x: parseJson(json), y: 1 }])).toEqual(['x|y', `${cell}|1`]);
  });

  it('are empty for a missing key, also one that every object inherits', async () => {
    const items = parseJson('[{"__proto__":"a","constructor":"b","toString":{"x":"c"}},{}]') as Json[];
    expect(await tableOf(items)).toEqual(['proto|constructor|toString_x', 'a|b|c', '||']);
  });

  it('are the JSON text of a list in a list, key by key and digit by digit', async () => {
    const items = parseJson('[{"x":[["a",{"10":1,"2":9007199254740993}],[]]}]') as Json[];
    expect(await numberedTables([page('t', items)])).toMatchObject({
      t_x: ['data|JSON_parentId', '["a",{"10":1,"2":9007199254740993}]|t_#1', '[]|t_#1'],
    });
  });

  it('keep integers and the order of keys when rows are made again', async () => {
    const items = parseJson('[{"id":9007199254740993},{"x":[[{"10":1,"2":2}]]}]') as Json[];
    expect(await numberedTables([page('t', items), page('t', [{ late: 1 }])])).toEqual({
      t: ['id|x|late', '9007199254740993||', '|t_#1|', '||1'],
      t_x: ['data|JSON_parentId', '[{"10":1,"2":2}]|t_#1'],
    });
  });
});

describe('language 8.5: lists become child tables', () => {
  it('the worked example', async () => {
    expect(await numberedTables([page('boats', boats)])).toEqual({
      boats: ['id|engine_kw|engine_parts|engine_fuel|crew', '1|90|boats.engine_#1||boats_#2', '2|70||gas|boats_#3'],
      boats_engine_parts: ['data|JSON_parentId', 'a|boats.engine_#1', 'b|boats.engine_#1'],
      boats_crew: ['n|JSON_parentId', 'Ann|boats_#2', 'Bo|boats_#3'],
    });
  });

  it('a lone value that later turns out to be a list has a row of its own in the child table', async () => {
    expect(
      await numberedTables([page('t', [{ x: 'a' }, { x: false }, { x: null }, {}]), page('t', [{ x: ['b', 'c'] }])]),
    ).toEqual({
      t: ['x', 't_#1', 't_#2', '', '', 't_#3'],
      t_x: ['data|JSON_parentId', 'a|t_#1', '|t_#2', 'b|t_#3', 'c|t_#3'],
    });
  });

  it('an object that later turns out to be a list moves its columns to the child table', async () => {
    expect(await numberedTables([page('t', [{ x: { a: 1, l: [1] }, y: 1 }]), page('t', [{ x: [{ b: 2 }] }])])).toEqual({
      t: ['x|y', 't_#1|1', 't_#2|'],
      t_x: ['b|a|l|JSON_parentId', '|1|t.x_#3|t_#1', '2|||t_#2'],
      t_x_l: ['data|JSON_parentId', '1|t.x_#3'],
    });
  });

  it('empty lists and objects make no child rows', async () => {
    expect(await numberedTables([page('t', [{ x: [] }, { x: {} }, { x: [{ a: 1 }] }])])).toEqual({
      t: ['x', '', '', 't_#1'],
      t_x: ['a|JSON_parentId', '1|t_#1'],
    });
  });

  it('null elements make empty rows', async () => {
    expect(await numberedTables([page('t', [{ x: [null, { a: 1, b: 2 }], y: ['a', null] }, null])])).toEqual({
      t: ['x|y', 't_#1|t_#1', '|'],
      t_x: ['a|b|JSON_parentId', '||t_#1', '1|2|t_#1'],
      t_y: ['data|JSON_parentId', 'a|t_#1', '|t_#1'],
    });
  });

  it('a list of nothing but null is a list, also when null alone came first', async () => {
    expect(await numberedTables([page('t', [{ x: null }]), page('t', [{ x: [null] }])])).toEqual({
      t: ['x', '', 't_#1'],
      t_x: ['JSON_parentId', 't_#1'],
    });
  });

  it('rule 1: all lists of an object share its id', async () => {
    const { tables } = await makeTables([page('t', [{ a: [1], b: [2] }])]);
    const [a, b] = tables['t']?.[1]?.split('|') ?? [];
    expect(a).toMatch(/^t_[0-9a-f]{32}$/);
    expect(b).toBe(a);
  });

  it('rule 2: equal rows have equal ids, also in another run with more columns', async () => {
    const items: Json[] = [{ a: [1] }, { a: [2] }, { a: [1] }];
    const first = (await makeTables([page('t', items)])).tables['t'];
    const second = (await makeTables([page('t', items), page('t', [{ z: 1 }])])).tables['t'];
    expect(first?.[1]).toBe(first?.[3]);
    expect(first?.[1]).not.toBe(first?.[2]);
    expect(second?.slice(1, 4)).toEqual(first?.slice(1).map((id) => `${id}|`));
  });

  it('rule 2: equal objects in different rows, under different parents or with different extra columns differ', async () => {
    const nested = await numberedTables([
      page('t', [
        { id: 1, o: { l: [1] } },
        { id: 2, o: { l: [1] } },
      ]),
    ]);
    expect(nested['t']).toEqual(['id|o_l', '1|t.o_#1', '2|t.o_#2']);
    const listed = await numberedTables([
      page('t', [
        { id: 1, x: [{ l: [1] }] },
        { id: 2, x: [{ l: [1] }] },
      ]),
    ]);
    expect(listed['t_x']).toEqual(['l|JSON_parentId', 't.x_#3|t_#1', 't.x_#4|t_#2']);
    const extra = await numberedTables([page('t', [{ l: [1] }], { p: '1' }), page('t', [{ l: [1] }], { p: '2' })]);
    expect(extra['t']).toEqual(['l|p', 't_#1|1', 't_#2|2']);
  });
});

describe('language 8.6: tables', () => {
  it('are named by the dataType and the keys down to the list', async () => {
    const { tables } = await makeTables([page('orders/{order-id}', [{ 'the lines': [{ parts: ['a'] }] }])]);
    expect(Object.keys(tables)).toEqual([
      'orders_order-id',
      'orders_order-id_the_lines',
      'orders_order-id_the_lines_parts',
    ]);
    expect(tables['orders_order-id']?.[1]).toMatch(/^orders\/\{order-id\}_[0-9a-f]{32}$/);
  });

  it.each<[string, Json[]]>([
    ['no items', []],
    ['only one null', [null]],
    ['no column', [{}, {}]],
  ])('do not exist with %s', async (_, items) => {
    expect((await makeTables([page('t', items)])).tables).toEqual({});
  });

  it('are told of where rows have no column', async () => {
    const { tables, warnings } = await makeTables([
      page('t', [{}, {}]),
      page('u', [{}, { a: 1 }]),
      page('t', [{ a: {} }]),
    ]);
    expect(Object.keys(tables)).toEqual(['u']);
    expect(warnings).toEqual([
      "Nothing in the items of 't' makes a column, as in {}: there is no such table, and none of its 3 rows.",
    ]);
    expect((await makeTables([page('t', [null]), page('v', [])])).warnings).toEqual([]);
  });
});

describe('language 8.8: parent and user columns', () => {
  it('come last in the table of the job, not in its child tables, with safe names', async () => {
    expect(
      await numberedTables([
        page('t', [{ a: 1, l: ['x'] }], { 'parent_user.id': '7' }),
        page('t', [{ b: 2 }], { 'parent_user.id': '8' }),
      ]),
    ).toEqual({ t: ['a|l|b|parent_user_id', '1|t_#1||7', '||2|8'], t_l: ['data|JSON_parentId', 'x|t_#1'] });
  });

  it('give way to a key of the same name and to a taken name', async () => {
    expect((await makeTables([page('t', [{ p: 1, p_u0: 2 }], { p: 'x' })])).tables['t']).toEqual([
      'p|p_u0|p_u1',
      '1|2|x',
    ]);
    expect((await makeTables([page('t', [{ 'p q': 1 }], { p_q: 'x' })])).tables['t']).toEqual(['p_q|p_q_u0', '1|x']);
    expect((await makeTables([page('t', ['a'], { data: 'x' })])).tables['t']).toEqual(['data|data_u0', 'a|x']);
    expect((await makeTables([page('t', [{ o: { x: 1 } }], { o: 'x' })])).tables['t']).toEqual(['o_x|o_u0', '1|x']);
  });

  it('JSON_parentId obeys the same rule', async () => {
    expect((await numberedTables([page('t', [{ x: [{ JSON_parentId: 'a' }] }])]))['t_x']).toEqual([
      'JSON_parentId|JSON_parentId_u0',
      'a|t_#1',
    ]);
  });

  it('a renaming because of a key is remembered for tables that are created later', async () => {
    const extra = { src: 's', day: 'd' };
    expect((await makeTables([page('t1', [{ src: 1 }], extra), page('t2', [{ day: 2 }], extra)])).tables).toEqual({
      t1: ['src|src_u0|day', '1|s|d'],
      t2: ['day|src_u0|day_u0', '2|s|d'],
    });
  });

  it('a renaming because of a taken name is not remembered', async () => {
    const pages = [page('t1', [{ 's ': 1 }], { s: 'x' }), page('t2', [{ a: 2 }], { s: 'y' })];
    expect((await makeTables(pages)).tables).toEqual({ t1: ['s|s_u0', '1|x'], t2: ['a|s', '2|y'] });
  });

  it('tables are created in the order of their first rows, also when rows are made again', async () => {
    const extra = { s: 'x' };
    const pages = [
      page('t1', [{ a: 1 }], extra),
      page('t2', [{ b: 1 }], extra),
      page('t1', [{ l: [{ JSON_parentId: 1 }] }], extra),
      page('t3', [{ m: ['a'] }], extra),
      page('t1', [{ s: 2 }], extra),
    ];
    const { tables } = await makeTables(pages);
    expect(Object.entries(tables).map(([name, [header]]) => `${name}: ${header}`)).toEqual([
      't1: a|l|s|s_u0',
      't2: b|s_u0',
      't1_l: JSON_parentId|JSON_parentId_u0',
      't3: m|s_u0',
      't3_m: data|JSON_parentId_u0',
    ]);
  });

  it('are empty where a later job has none, but a header never changes', async () => {
    const begun = page('t', [{ a: 1 }], { p: 'x' });
    expect((await makeTables([begun, page('t', [{ a: 2 }])])).tables['t']).toEqual(['a|p', '1|x', '2|']);
    await expect(makeTables([begun, page('t', [{ a: 2 }], { q: 'y' })])).rejects.toMatchObject({
      code: 'API_SHAPE',
      message: expect.stringContaining("without the column 'q'") as string,
    });
  });
});

describe('language 8.9: tables fed several times', () => {
  it('pages of one dataType append to one table, whatever comes between', async () => {
    const pages = [page('t', [{ a: 1 }]), page('u', [{ b: 1 }]), page('t', [{ a: 2 }])];
    expect((await makeTables(pages)).tables).toEqual({ t: ['a', '1', '2'], u: ['b', '1'] });
  });

  it('each row stands there once, whichever pages had to be made again', async () => {
    const pages = [
      page('t', [{ a: 1 }]),
      page('u', [{ b: 1 }]),
      page('u', [{ b: 2, c: 2 }]),
      page('u', [{ b: 3, c: 3 }]),
      page('t', [{ a: 2, late: 2 }]),
      page('t', [{ a: 3 }]),
    ];
    expect((await makeTables(pages)).tables).toEqual({
      t: ['a|late', '1|', '2|2', '3|'],
      u: ['b|c', '1|', '2|2', '3|3'],
    });
  });

  it('different dataTypes of the same table name append to it in the order of their pages', async () => {
    const pages = [page('a b', [{ x: 1 }]), page('a_b', [{ x: 2 }]), page('a b', [{ x: 3 }])];
    expect((await makeTables(pages)).tables).toEqual({ a_b: ['x', '1', '2', '3'] });
  });

  it('two lists of the same table name as well', async () => {
    expect(await numberedTables([page('t', [{ 'l m': [1], l_m: [2] }, { 'l m': [3] }])])).toMatchObject({
      t_l_m: ['data|JSON_parentId', '1|t_#1', '2|t_#1', '3|t_#2'],
    });
  });

  it('different columns are an error', async () => {
    await expect(makeTables([page('a b', [{ x: 1 }]), page('a_b', [{ y: 2 }])])).rejects.toMatchObject({
      code: 'API_SHAPE',
      message: expect.stringContaining("Multiple results for 'a_b' table have different columns!") as string,
    });
  });
});

describe('the temporary folder', () => {
  const large = (from: number): Json[] =>
    Array.from({ length: 1000 }, (_, at) => ({ id: from + at, text: `"${'x'.repeat(2500)}"`, tags: ['a', 'b'] }));
  let parent: string;
  beforeEach(() => void (parent = mkdtempSync(join(tmpdir(), 'spec-tables-'))));
  afterEach(() => rmSync(parent, { recursive: true, force: true }));

  const started = () => automaticTables({ spoolFolder: parent });

  it('is private, made only when memory does not do, and removed at the end', async () => {
    const tables = started();
    await tables.add(page('t', [{ a: 1 }]));
    expect(readdirSync(parent)).toEqual([]);
    await tables.add(page('u', large(0)));
    const [folder = ''] = readdirSync(parent);
    expect(statSync(join(parent, folder)).mode & 0o777).toBe(0o700);
    await tables.close();
    expect(readdirSync(parent)).toEqual([]);
  });

  it('is removed after a failure', async () => {
    const tables = started();
    await tables.add(page('t', large(0)));
    await expect(tables.add(page('t', [1]))).rejects.toThrow('Unhandled nodeType change');
    await tables.close();
    expect(readdirSync(parent)).toEqual([]);
  });

  it.each([
    ['that fit from the start', [large(0), large(1000)], 'id|text|tags'],
    ['that are made again in part', [large(0), [{ late: 1 }, ...large(1000)], large(2000)], 'id|text|tags|late'],
  ])('holds rows %s, which can be read twice and then saved', async (_, pages, header) => {
    const tables = started();
    for (const items of pages) await tables.add(page('t', items));
    const [items, tags] = await tables.finish();
    const ids: string[] = [];
    for await (const chunk of items?.rows ?? []) ids.push(...chunk.map((cells) => cells[0] as string));
    const expected = pages.flat().map((item) => String((item as { id?: number }).id ?? ''));
    expect(ids).toEqual(expected);
    let bytes = '';
    for await (const chunk of items?.csv ?? []) bytes += Buffer.from(chunk).toString();
    await items?.saveCsv(join(parent, 'items'));
    const head = header
      .split('|')
      .map((name) => `"${name}"`)
      .join(',');
    expect(readFileSync(join(parent, 'items'), 'utf8') === `${head}\n${bytes}`).toBe(true);
    await tags?.saveCsv(join(parent, 'tags'));
    expect(readFileSync(join(parent, 'tags'), 'utf8').split('\n')).toHaveLength(
      2 * (expected.length - (pages.length - 2)) + 2,
    );
    await tables.close();
    expect(readdirSync(parent).sort()).toEqual(['items', 'tags']);
  });

  it('a file has the final header, also when a later table changed it', async () => {
    const tables = started();
    const extra = { s: 'x' };
    await tables.add(page('t2', [{ a: 1 }], extra));
    await tables.add(page('t1', [{ s: 2 }], extra));
    await tables.add(page('t3', [{ b: 3 }], extra));
    for (const table of await tables.finish()) await table.saveCsv(join(parent, table.name));
    expect(readFileSync(join(parent, 't2'), 'utf8')).toBe('"a","s"\n"1","x"\n');
    expect(readFileSync(join(parent, 't1'), 'utf8')).toBe('"s","s_u0"\n"2","x"\n');
    expect(readFileSync(join(parent, 't3'), 'utf8')).toBe('"b","s_u0"\n"3","x"\n');
    await tables.close();
  });

  it('a table that was saved cannot be saved again', async () => {
    const tables = started();
    await tables.add(page('t', [{ a: 1 }]));
    const [table] = await tables.finish();
    await table?.saveCsv(join(parent, 'one'));
    expect(readFileSync(join(parent, 'one'), 'utf8')).toBe('"a"\n"1"\n');
    await expect(table?.saveCsv(join(parent, 'two'))).rejects.toThrow('gone');
    await tables.close();
  });
});

const md5OfOwner = '72122ce96bfec66e2396d2e25225d70a';
const md5OfParentId = createHash('md5').update('JSON_parentId').digest('hex');
const legacy = { compatLevel: 1 };

describe('language 8.14: the legacy table builder', () => {
  it('warns that it was asked for', async () => {
    expect((await makeTables([], legacy)).warnings).toEqual([
      'Using legacy JSON parser, because it has been explicitly requested.',
    ]);
  });

  it('an extra column overwrites the data column of its name and leaves an empty column behind', async () => {
    const pages = [
      page(
        't',
        [
          { owner: 'a', id: 1 },
          { owner: 'b', id: 2 },
        ],
        { owner: 'x' },
      ),
    ];
    expect((await makeTables(pages, legacy)).tables).toEqual({ t: [`owner|id|${md5OfOwner}`, 'x|1|', 'x|2|'] });
  });

  it('a later data column overwrites an earlier one', async () => {
    expect((await makeTables([page('t', [{ 'owner ': 'a', owner: 'b' }])], legacy)).tables).toEqual({
      t: [`owner|${md5OfOwner}`, 'b|'],
    });
  });

  it('nested names join the safe names of the levels with _', async () => {
    expect((await makeTables([page('t', [{ _a_: { '.b': { 'c c': 1 } } }])], legacy)).tables).toEqual({
      t: ['a_b_c_c', '1'],
    });
  });

  it('keeps runs of _, but not those at the ends', async () => {
    const { tables } = await makeTables([page('orders/{order-id}/lines/', [{ 'a..b': 1, 日本x: 2 }])], legacy);
    expect(tables).toEqual({ 'orders__order-id__lines': ['a__b|x', '1|2'] });
  });

  it('shortens long names before characters are replaced, without a prefix', async () => {
    const { tables } = await makeTables([page('t', [{ ['q'.repeat(64)]: 1, [`${'m'.repeat(65)}_tags`]: 2 }])], legacy);
    expect(tables['t']?.[0]).toBe(`${'q'.repeat(64)}|m__tags`);
  });

  it('lists become child tables as otherwise', async () => {
    expect(await numberedTables([page('t', [{ l: [{ JSON_parentId: 1, o: { x: 2 } }], s: ['a'] }])], legacy)).toEqual({
      t: ['l|s', 't_#1|t_#1'],
      t_l: [`JSON_parentId|o_x|${md5OfParentId}`, 't_#1|2|'],
      t_s: ['data|JSON_parentId', 'a|t_#1'],
    });
  });
});

describe('language 8.13: the structure of version 2', () => {
  const state = parseJson(
    JSON.stringify({
      'json_parser.structVersion': 2,
      'json_parser.struct': {
        'a.b': { id: 'scalar', none: 'NULL', o: 'object', tags: 'arrayOfscalar', lines: 'arrayOfobject', any: 'array' },
        'a.b.o': { x: 'integer' },
        'a.b.tags': { data: 'scalar' },
        'a.b.lines': { n: 'scalar' },
        other: { z: 'scalar' },
      },
    }),
  ) as JsonObject;

  it('selects the legacy builder with a warning, and gives its columns in order', async () => {
    const { tables, warnings } = await makeTables([page('a.b', [{ new: 1, owner: 2 }], { owner: 'x' })], {
      state,
    });
    expect(warnings).toEqual(['Using legacy JSON parser, because the state has a structure of version 2.']);
    expect(tables).toEqual({ a_b: [`id|none|o_x|tags|lines|any|new|owner|${md5OfOwner}`, '||||||1|x|'] });
  });

  it('its kinds take part in merging', async () => {
    expect(await numberedTables([page('a.b', [{ tags: 'one', lines: { n: 1 } }])], { state })).toEqual({
      a_b: ['id|none|o_x|tags|lines|any', '|||a.b_#1|a.b_#1|'],
      a_b_tags: ['data|JSON_parentId', 'one|a.b_#1'],
      a_b_lines: ['n|JSON_parentId', '1|a.b_#1'],
    });
  });

  it('is written again, so that the next run has the same names', async () => {
    const first = await makeTables([page('a.b', [{ new: 1, none: ['a'], more: [{ y: null }] }])], { state });
    expect(first.state['json_parser.structVersion']).toBe(2);
    expect(first.state['json_parser.struct']).toMatchObject({
      'a.b': {
        id: 'scalar',
        none: 'arrayOfscalar',
        o: 'object',
        tags: 'arrayOfscalar',
        lines: 'arrayOfobject',
        any: 'array',
        new: 'scalar',
        more: 'arrayOfobject',
      },
      'a.b.o': { x: 'scalar' },
      'a.b.none': { data: 'scalar' },
      'a.b.more': { y: 'NULL' },
      other: { z: 'scalar' },
    });
    const second = await makeTables([page('a.b', [{ id: 1 }])], { state: first.state });
    expect(stringifyJson(second.state)).toBe(stringifyJson(first.state));
    expect(second.tables['a_b']?.[0]).toBe(first.tables['a_b']?.[0]);
  });
});
