/** Objects and lists as columns of STRUCT and LIST, in DuckDB and Parquet: every value, and every type. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { deliver, destinationOf } from '../../../src';
import type { Delivery, JsonObject } from '../../../src';
import { someOf } from '../../support/cases';
import { bytes } from '../../support/answers';
import { startServer } from '../../support/api-server';
import { queryDuckDB } from '../../support/duckdb';

let folder: string;
beforeEach(async () => (folder = await mkdtemp(join(tmpdir(), 'headwater-structs-'))));
afterEach(() => rm(folder, { recursive: true, force: true }));

interface Place {
  readonly name: string;
  readonly to: () => string;
  readonly file: () => string;
  readonly from: () => string;
}

const PLACES: readonly Place[] = [
  {
    name: 'duckdb',
    to: () => `duckdb:${folder}/x.duckdb`,
    file: () => join(folder, 'x.duckdb'),
    from: () => 'orders',
  },
  {
    name: 'parquet',
    to: () => `parquet:${folder}/out`,
    file: () => ':memory:',
    from: () => `'${folder}/out/orders.parquet'`,
  },
];

/** Stores items, as JSON texts, with STRUCT and LIST columns. */
async function store(
  { to }: Pick<Place, 'to'>,
  items: readonly string[],
  job: JsonObject = {},
  destination: JsonObject = { nested: 'struct' },
): Promise<{ readonly delivery: Delivery; readonly warnings: readonly string[] }> {
  const server = await startServer(() =>
    bytes(`{"data":[${items.join(',')}]}`, { 'content-type': 'application/json' }),
  );
  const warnings: string[] = [];
  const logger = {
    log: (level: string, message: string) => {
      if (level === 'warn') warnings.push(message);
    },
  };
  try {
    const config = {
      api: { baseUrl: server.origin },
      config: { jobs: [{ endpoint: 'orders', dataField: 'data', ...job }] },
    };
    const delivery = await deliver(config, [destinationOf({ to: to(), ...destination })], { logger });
    return { delivery, warnings };
  } finally {
    await server.close();
  }
}

/** Names of columns with their types. */
async function typesIn({ file, from }: Place): Promise<Readonly<Record<string, string>>> {
  const rows = await queryDuckDB(file(), `DESCRIBE SELECT * FROM ${from()}`);
  return Object.fromEntries(rows.map(([name, type]) => [String(name), String(type)]));
}

/** Cells as DuckDB shows them. */
async function cells({ file, from }: Place, expression: string): Promise<readonly unknown[]> {
  const rows = await queryDuckDB(file(), `SELECT CAST(${expression} AS VARCHAR) FROM ${from()} ORDER BY id`);
  return rows.map(([cell]) => cell);
}

describe.each(someOf(PLACES, 2))('structs in $name', (place) => {
  it('makes a STRUCT of an object and a LIST of a list, with the types of their values', async () => {
    await store(place, [
      '{"id":1,"by":{"name":"Ann","at":{"zip":"0123","n":7}},"lines":[{"sku":"a","taxes":[1.5,2]},{"sku":"a","taxes":[]}]}',
      '{"id":2,"by":{"name":null,"day":"2024-02-29"},"lines":[]}',
      '{"id":3,"by":null}',
      '{"id":4,"by":{},"lines":[null,{"sku":"b"}]}',
    ]);
    expect(await typesIn(place)).toEqual({
      id: 'INTEGER',
      by: 'STRUCT("name" VARCHAR, "at" STRUCT(zip VARCHAR, n INTEGER), "day" DATE)',
      lines: 'STRUCT(sku VARCHAR, taxes DOUBLE[])[]',
    });
    expect(await cells(place, '"by"')).toEqual([
      "{'name': Ann, 'at': {'zip': 0123, 'n': 7}, 'day': NULL}",
      "{'name': NULL, 'at': NULL, 'day': 2024-02-29}",
      null,
      "{'name': NULL, 'at': NULL, 'day': NULL}",
    ]);
    expect(await cells(place, 'lines')).toEqual([
      "[{'sku': a, 'taxes': [1.5, 2.0]}, {'sku': a, 'taxes': []}]",
      '[]',
      null,
      "[NULL, {'sku': b, 'taxes': NULL}]",
    ]);
  });

  it('keeps every digit within objects and lists', async () => {
    await store(place, [
      '{"id":1,"n":{"a":1234567890.12345678,"b":9007199254740993,"c":[1e300,0.1],"d":1234567890123456789012345678901234567890,"e":18446744073709551615}}',
    ]);
    expect(await typesIn(place)).toMatchObject({
      n: 'STRUCT(a DECIMAL(18,8), b BIGINT, c DOUBLE[], d VARCHAR, e DECIMAL(20,0))',
    });
    expect(await cells(place, 'n')).toEqual([
      "{'a': 1234567890.12345678, 'b': 9007199254740993, 'c': [1e+300, 0.1], 'd': 1234567890123456789012345678901234567890, 'e': 18446744073709551615}",
    ]);
  });

  it('keeps text that looks like a number, and mixed values as they are spelled', async () => {
    await store(place, [
      '{"id":1,"n":{"zip":"0123","m":[1.50,"x",true,null]}}',
      '{"id":2,"n":{"zip":"99","m":["1e5"]}}',
    ]);
    expect(await typesIn(place)).toMatchObject({ n: 'STRUCT(zip VARCHAR, m VARCHAR[])' });
    expect(await cells(place, 'n.zip')).toEqual(['0123', '99']);
    expect(await cells(place, 'n.m')).toEqual(['[1.50, x, true, NULL]', '[1e5]']);
  });

  it('keeps a place as JSON where objects, lists and other values meet, or objects have no fields', async () => {
    await store(place, [
      '{"id":1,"n":{"a":{"x":1.10},"b":[1],"c":{}},"top":"text"}',
      '{"id":2,"n":{"a":"text","b":{"y":12345678901234567890123.5},"c":{}},"top":{"z":1}}',
    ]);
    expect(await typesIn(place)).toMatchObject({ n: 'STRUCT(a JSON, b JSON, c JSON)', top: 'JSON' });
    expect(await cells(place, 'n.a')).toEqual(['{"x":1.10}', '"text"']);
    expect(await cells(place, 'n.b')).toEqual(['[1]', '{"y":12345678901234567890123.5}']);
    expect(await cells(place, 'n.c')).toEqual(['{}', '{}']);
    expect(await cells(place, 'top')).toEqual(['"text"', '{"z":1}']);
  });

  it('has lists in lists, and lists of which nothing is known', async () => {
    await store(place, ['{"id":1,"l":[[1,2],[],null,[3]],"e":[],"n":[null]}']);
    expect(await typesIn(place)).toMatchObject({ l: 'INTEGER[][]', e: 'VARCHAR[]', n: 'VARCHAR[]' });
    expect(await cells(place, 'l')).toEqual(['[[1, 2], [], NULL, [3]]']);
    expect(await cells(place, 'n')).toEqual(['[NULL]']);
  });

  it('gives each key a field of its own, whatever it is like, and the same one in later runs', async () => {
    const job = { load: 'append' };
    await store(place, ['{"id":1,"n":{"a b":1,"A":2,"a":3,"\\"q\\"":4,"":5,"select":6,"x.y":7,"é\\n😀":8}}'], job);
    await store(place, ['{"id":2,"n":{"a_2":9,"a":3,"A":2,"\\"Q\\"":1}}'], job);
    expect(await cells(place, 'n')).toEqual([
      `{'a b': 1, 'A': 2, 'a_2': 3, '"q"': 4, '_': 5, 'select': 6, 'x.y': 7, 'é\n😀': 8, 'a_2_2': NULL, '"Q"_2': NULL}`,
      `{'a b': NULL, 'A': 2, 'a_2': 3, '"q"': NULL, '_': NULL, 'select': NULL, 'x.y': NULL, 'é\n😀': NULL, 'a_2_2': 9, '"Q"_2': 1}`,
    ]);
  });

  it('adds fields and widens them in later runs, keeps what is there, and tells of it', async () => {
    const job = { load: 'append' };
    await store(place, ['{"id":1,"n":{"a":1,"t":["2024-02-29"],"l":[{"k":1.5}]}}', '{"id":2,"n":null}'], job);
    const { warnings, delivery } = await store(
      place,
      ['{"id":3,"n":{"a":1.5,"b":{"c":true},"t":["x"],"l":[{"m":"y"}]}}'],
      job,
    );
    const type = 'STRUCT(a DOUBLE, t VARCHAR[], l STRUCT(k DOUBLE, m VARCHAR)[], b STRUCT(c BOOLEAN))';
    expect(await typesIn(place)).toMatchObject({ n: type });
    expect(await cells(place, 'n')).toEqual([
      "{'a': 1.0, 't': [2024-02-29], 'l': [{'k': 1.5, 'm': NULL}], 'b': NULL}",
      null,
      "{'a': 1.5, 't': [x], 'l': [{'k': NULL, 'm': y}], 'b': {'c': true}}",
    ]);
    expect(warnings.join('\n')).toContain('the column "n" of the table "orders" was STRUCT(');
    expect(delivery.stored[0]?.tables[0]?.changes).toMatchObject([{ change: 'type_changed', column: 'n', type }]);
  });

  it('makes JSON of a STRUCT where a later run has other values, with all digits', async () => {
    const job = { load: 'append' };
    await store(
      place,
      [
        '{"id":1,"n":{"a":1234567890123456789.12,"t":"2024-02-29T10:00:00Z","l":[1,null],"e":[],"q\\"":"x\\"y","o":null}}',
      ],
      job,
    );
    await store(place, ['{"id":2,"n":"text"}'], job);
    expect(await typesIn(place)).toMatchObject({ n: 'JSON' });
    expect(await cells(place, 'n')).toEqual([
      '{"a":1234567890123456789.12,"t":"2024-02-29T10:00:00Z","l":[1,null],"e":[],"q\\"":"x\\"y","o":null}',
      '"text"',
    ]);
  });

  it('learns the type of a place once values come, although it was empty in earlier runs', async () => {
    const job = { load: 'append' };
    await store(place, ['{"id":1,"n":{"l":[],"o":null,"t":null},"l":[]}'], job);
    await store(place, ['{"id":2,"n":{"l":[]}}'], job);
    await store(place, ['{"id":3,"n":{"l":[{"x":1}],"o":{"y":2},"t":3},"l":[[4]]}'], job);
    expect(await typesIn(place)).toEqual({
      id: 'INTEGER',
      n: 'STRUCT(l STRUCT(x INTEGER)[], o STRUCT(y INTEGER), t INTEGER)',
      l: 'INTEGER[][]',
    });
    expect(await cells(place, 'n')).toEqual([
      "{'l': [], 'o': NULL, 't': NULL}",
      "{'l': [], 'o': NULL, 't': NULL}",
      "{'l': [{'x': 1}], 'o': {'y': 2}, 't': 3}",
    ]);
    expect(await cells(place, 'l')).toEqual(['[]', null, '[[4]]']);
  });

  it('replaces rows of a key whole', async () => {
    const job = { load: 'merge', primaryKey: 'id' };
    await store(place, ['{"id":1,"n":{"a":1,"b":"x"}}', '{"id":2,"n":{"a":2}}'], job);
    await store(place, ['{"id":1,"n":{"c":[1]}}', '{"id":3,"n":{}}'], job);
    expect(await cells(place, 'n')).toEqual([
      "{'a': NULL, 'b': NULL, 'c': [1]}",
      "{'a': 2, 'b': NULL, 'c': NULL}",
      "{'a': NULL, 'b': NULL, 'c': NULL}",
    ]);
  });

  it('goes on with STRUCT columns whatever the job says later, and with JSON columns', async () => {
    const job = { load: 'append' };
    await store(place, ['{"id":1,"n":{"a":1}}'], job);
    await store(place, ['{"id":2,"n":{"a":2,"b":1}}'], { ...job, nested: 'json' });
    await store(place, ['{"id":3,"n":{"a":3},"l":[{"x":1}]}'], { ...job, nested: 'tables' });
    await store(place, ['{"id":4,"n":{"a":4}}'], job);
    expect(await cells(place, 'n')).toEqual([
      "{'a': 1, 'b': NULL}",
      "{'a': 2, 'b': 1}",
      "{'a': 3, 'b': NULL}",
      "{'a': 4, 'b': NULL}",
    ]);
  });

  it('takes chosen types at any path, and refuses values that do not fit', async () => {
    const columnTypes = { 'n.price': 'decimal(12,2)', 'l.k': 'string', tags: 'bigint', all: 'json', 'no.such': 'date' };
    const { warnings } = await store(
      place,
      ['{"id":1,"n":{"price":1.5},"l":[{"k":7}],"tags":["5",6],"all":{"x":1}}', '{"id":2,"n":{"price":"2"}}'],
      { columnTypes },
    );
    expect(await typesIn(place)).toEqual({
      id: 'INTEGER',
      n: 'STRUCT(price DECIMAL(12,2))',
      l: 'STRUCT(k VARCHAR)[]',
      tags: 'BIGINT[]',
      all: 'JSON',
    });
    expect(await cells(place, 'n')).toEqual(["{'price': 1.50}", "{'price': 2.00}"]);
    expect(warnings).toHaveLength(1);
    expect(warnings[0]).toContain('no.such');
    const misfit = { code: 'COLUMN_TYPE', message: expect.stringContaining('"n"') as string };
    await expect(store(place, ['{"id":1,"n":{"price":1.555}}'], { columnTypes })).rejects.toMatchObject(misfit);
    await expect(store(place, ['{"id":1,"n":{"price":1}}'], { columnTypes: { n: 'string' } })).rejects.toMatchObject(
      misfit,
    );
  });

  it('keeps halves of characters and equal keys as other columns do', async () => {
    await store(place, [
      '{"id":1,"n":{"a":"\\ud83d","a":"last \\ud83d","h\\ud83d":1,"j":{"x":1}}}',
      '{"id":2,"n":{"j":"\\ude00"}}',
    ]);
    expect(await cells(place, 'n')).toEqual([
      `{'a': last \ufffd, 'h\ufffd': 1, 'j': '{"x":1}'}`,
      `{'a': NULL, 'h\ufffd': NULL, 'j': '"\\\\ufffd"'}`,
    ]);
  });

  it('has a limit of fields', async () => {
    const many = JSON.stringify(Object.fromEntries(Array.from({ length: 2001 }, (_, at) => [`k${at}`, at])));
    await expect(store(place, [`{"id":1,"n":${many}}`])).rejects.toMatchObject({ code: 'TABLE_COLUMNS' });
  });
});
