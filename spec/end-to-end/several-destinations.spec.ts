/** Several destinations of one run: each makes its tables as if it were the only one (docs/sinks.md). */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { deliver, destinationOf } from '../../src';
import type { Json } from '../../src';
import { queryDuckDB } from '../support/duckdb';
import { tableRuns } from '../support/table-runs';

describe('csv: among several destinations', () => {
  const api = tableRuns();
  const run = (tos: readonly string[], config: Json) =>
    deliver(
      config,
      tos.map((to) => destinationOf(to.replace(':', `:${api.folder}/`))),
    );
  const csv = (table: string): Promise<string> => readFile(join(api.folder, 'cs', `${table}.csv`), 'utf8');
  const link = (text: string): string => text.replace(/_[0-9a-f]{32}/g, '_<id>');

  const FIRST = [{ id: 1, tg: ['a'], em: [{ k: 1 }], 'a b': 'SPACE', a_b: 'UNDER' }];
  const LATER = [{ id: 2, tg: 'b', em: { k: 2 }, a_b: 'UNDER', 'a b': 'SPACE' }];
  const ORDERS: readonly (readonly [string, readonly string[], readonly string[]])[] = [
    ['first', ['csv:cs', 'duckdb:x.duckdb'], ['csv:cs', 'duckdb:x.duckdb']],
    ['behind DuckDB', ['duckdb:x.duckdb', 'csv:cs'], ['duckdb:x.duckdb', 'csv:cs']],
    ['behind NDJSON', ['ndjson:nd', 'csv:cs'], ['ndjson:nd', 'csv:cs']],
    ['alone at first, and behind a new one then', ['csv:cs'], ['duckdb:x.duckdb', 'csv:cs']],
    ['behind another CSV', ['csv:other', 'csv:cs'], ['csv:other', 'csv:cs']],
  ];

  it.each(ORDERS)('%s, it keeps the columns that its files have', async (_, first, later) => {
    const config = api.configOf([{ endpoint: 'x', load: 'append' }]);
    api.answers = { '/x': FIRST };
    await run(first, config);
    api.answers = { '/x': LATER };
    await run(later, config);
    expect(link(await csv('x'))).toBe(
      '"id","tg","em","a_b","a_b_u0"\n"1","x_<id>","x_<id>","SPACE","UNDER"\n"2","x_<id>","x_<id>","SPACE","UNDER"\n',
    );
    expect(link(await csv('x_tg'))).toBe('"data","JSON_parentId"\n"a","x_<id>"\n"b","x_<id>"\n');
    expect(link(await csv('x_em'))).toBe('"k","JSON_parentId"\n"1","x_<id>"\n"2","x_<id>"\n');
  });

  it.each(ORDERS)('%s, it refuses a scalar in a list of objects', async (_, first, later) => {
    const config = api.configOf([{ endpoint: 'x', load: 'append' }]);
    api.answers = { '/x': [{ id: 2, em: [{ k: 1 }] }] };
    await run(first, config);
    api.answers = { '/x': [{ id: 3, em: 's' }] };
    await expect(run(later, config)).rejects.toMatchObject({ code: 'API_SHAPE' });
  });

  it('what it refuses is stored nowhere, whatever the order, and the others get it without it', async () => {
    const config = api.configOf([{ endpoint: 'x', load: 'append' }]);
    api.answers = { '/x': [{ id: 1, addr: { street: 's' } }] };
    await run(['duckdb:x.duckdb', 'csv:cs'], config);
    api.answers = { '/x': [{ id: 2, addr: 'scalar' }] };
    await expect(run(['duckdb:x.duckdb', 'csv:cs'], config)).rejects.toMatchObject({
      code: 'API_SHAPE',
      destination: `csv:${api.folder}/cs`,
    });
    const ids = () => queryDuckDB(join(api.folder, 'x.duckdb'), 'SELECT id FROM x ORDER BY id');
    expect(await ids()).toEqual([[1]]);
    await deliver(config, [destinationOf(`duckdb:${api.folder}/x.duckdb`)], { resume: true });
    expect(await ids()).toEqual([[1], [2]]);
  });

  it('a file of state tells of other files than those of a folder', async () => {
    const config = api.configOf([{ endpoint: 'x', load: 'append' }]);
    api.answers = { '/x': FIRST };
    await run(['csv:cs'], config);
    api.answers = { '/x': LATER };
    const { state } = await run(['csv:other'], config);
    await deliver(config, [destinationOf(`csv:${api.folder}/cs`)], { state });
    expect(link(await csv('x'))).toMatch(/"2","x_<id>","x_<id>","SPACE","UNDER"\n$/);
  });
});
