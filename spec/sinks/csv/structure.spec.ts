/** CSV tables that rows are added to, by configurations that ask for something else (docs/sinks.md#tables). */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { deliver, destinationOf } from '../../../src';
import type { Json } from '../../../src';
import { tableRuns } from '../../support/table-runs';

describe('a CSV table that rows are added to by another configuration', () => {
  const api = tableRuns();
  const run = (answer: Json, job: Readonly<Record<string, Json>>) => {
    api.answers = { '/x': answer, '/x?since=2': answer, '/x?since=3': answer };
    const config = api.configOf([{ endpoint: 'x', load: 'append', ...job }]);
    return deliver(config, [destinationOf(`csv:${api.folder}`)]);
  };
  const csv = (table: string): Promise<string> => readFile(join(api.folder, `${table}.csv`), 'utf8');
  const OTHER = { params: { since: '2' } };

  it('keeps its columns where names collide', async () => {
    await run([{ id: 1, 'a b': 'SPACE', a_b: 'UNDER' }], {});
    await run([{ id: 2, a_b: 'UNDER', 'a b': 'SPACE' }], OTHER);
    await run([{ id: 3, a_b: 'UNDER', 'a b': 'SPACE', 'a.b': 'DOT' }], { params: { since: '3' } });
    await run([{ 'a.b': 'DOT', a_b: 'UNDER', 'a b': 'SPACE', id: 4 }], {});
    expect(await csv('x')).toBe(
      '"id","a_b","a_b_u0","a_b_u1"\n"1","SPACE","UNDER",""\n"2","SPACE","UNDER",""\n' +
        '"3","SPACE","UNDER","DOT"\n"4","SPACE","UNDER","DOT"\n',
    );
  });

  it('keeps lists as tables', async () => {
    await run([{ id: 1, tg: ['a'] }], {});
    await run([{ id: 2, tg: 'b' }], OTHER);
    expect((await csv('x_tg')).replace(/_[0-9a-f]{32}/g, '_<id>')).toBe(
      '"data","JSON_parentId"\n"a","x_<id>"\n"b","x_<id>"\n',
    );
  });

  it('refuses a scalar where its file has columns of an object', async () => {
    await run([{ id: 1, addr: { street: 's' } }], {});
    await expect(run([{ id: 3, addr: 'scalar' }], OTHER)).rejects.toMatchObject({ code: 'API_SHAPE' });
  });

  it('has its own structure where it is replaced', async () => {
    await run([{ id: 1, 'a b': 'SPACE', a_b: 'UNDER' }], {});
    await run([{ a_b: 'UNDER', 'a b': 'SPACE' }], { ...OTHER, load: 'replace' });
    expect(await csv('x')).toBe('"a_b","a_b_u0"\n"UNDER","SPACE"\n');
    await run([{ 'a b': 'SPACE', a_b: 'UNDER' }], {});
    expect(await csv('x')).toBe('"a_b","a_b_u0"\n"UNDER","SPACE"\n"UNDER","SPACE"\n');
  });
});
