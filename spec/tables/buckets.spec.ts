import { FatalError } from '../../src/core/errors/errors';
import { appendTables } from '../../src/tables/buckets';
import type { Table } from '../../src/tables/table';

async function* inChunks<T>(chunks: readonly T[]): AsyncGenerator<T> {
  for (const chunk of chunks) yield await Promise.resolve(chunk);
}

/** Each row is written once as cells and once, joined with commas, as bytes. */
const table = (name: string, columns: string[], primaryKey: string[], ...chunks: string[][][]): Table => ({
  name,
  columns,
  primaryKey,
  count: chunks.flat().length,
  rows: { [Symbol.asyncIterator]: () => inChunks(chunks) },
  csv: { [Symbol.asyncIterator]: () => inChunks(chunks.map((rows) => Buffer.from(rows.join('\n') + '\n'))) },
  saveCsv: () => Promise.reject(new Error('not used here')),
});

async function rowsOf(of: Table | undefined): Promise<(readonly string[])[]> {
  const rows: (readonly string[])[] = [];
  for await (const chunk of of?.rows ?? []) rows.push(...chunk);
  return rows;
}

async function csvOf(of: Table | undefined): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of of?.csv ?? []) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

describe('appendTables', () => {
  it('language 8.10: tables of the same name become one, the others stay', async () => {
    const tables = appendTables([
      table('boat', ['id'], [], [['1'], ['2']], [['3']]),
      table('crew', ['n'], ['n'], [['Ann']]),
      table('boat', ['id'], [], [['4']]),
      table('boat', ['id'], []),
      table('boat', ['id'], [], [['5']]),
    ]);
    expect(tables.map(({ name }) => name)).toEqual(['boat', 'crew']);
    expect(await rowsOf(tables[0])).toEqual([['1'], ['2'], ['3'], ['4'], ['5']]);
    expect(await rowsOf(tables[0])).toHaveLength(5);
    expect(await csvOf(tables[0])).toBe('1\n2\n3\n4\n5\n');
    expect(await rowsOf(tables[1])).toEqual([['Ann']]);
    expect(tables[1]?.primaryKey).toEqual(['n']);
  });

  it.each([
    [['id'], [], ['id']],
    [[], ['id'], ['id']],
    [['id'], ['n'], ['id']],
    [[], [], []],
  ])('the first primary key that is given counts: %j and %j', (first, second, expected) => {
    const [merged] = appendTables([table('boat', ['id', 'n'], first), table('boat', ['id', 'n'], second)]);
    expect(merged?.primaryKey).toEqual(expected);
  });

  it.each([[['id', 'kw']], [['kw']], [['id', 'n', 'kw']], [['n', 'id']]])(
    'language 8.10: columns that differ are an error: id, n and %j',
    (columns) => {
      const append = () => appendTables([table('boat', ['id', 'n'], []), table('boat', columns, [])]);
      expect(append).toThrow(FatalError);
      expect(append).toThrow(/^Multiple results for 'boat' table have different columns! One has id, n; another has /);
    },
  );

  it('reads nothing before it is asked', () => {
    const read = jest.fn();
    const unread = { ...table('boat', [], []), rows: { [Symbol.asyncIterator]: read } };
    appendTables([unread, unread]);
    expect(read).not.toHaveBeenCalled();
  });
});
