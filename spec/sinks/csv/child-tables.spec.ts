/** A folder of CSV files keeps in mind whose lists its tables hold: another configuration does not overwrite them (docs/sinks.md#objects-and-lists). */
import { existsSync } from 'node:fs';
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { deliver, destinationOf } from '../../../src';
import type { Json, JsonObject } from '../../../src';
import { tableRuns } from '../../support/table-runs';

describe('a CSV table of lists, and a job of its name', () => {
  const api = tableRuns();
  beforeEach(() => {
    api.answers = {
      '/a': [{ id: 1, b: [{ x: 1 }, { x: 2 }] }],
      '/a_b': [{ x: 9 }],
      '/c': [{ id: 2, tags: ['t'] }],
    };
  });
  const run = (job: Readonly<Record<string, Json>>, settings: JsonObject = {}, setting = '') =>
    deliver(api.configOf([job], settings), [destinationOf(`csv:${api.folder}${setting}`)]);
  const file = (name: string): string => join(api.folder, name);
  const csv = (name = 'a_b.csv'): Promise<string> => readFile(file(name), 'utf8');

  it.each(['replace', 'append'])('is not overwritten by a later run of another configuration (%s)', async (load) => {
    await run({ endpoint: 'a' });
    const before = await csv();
    const refused = run({ endpoint: 'a_b', load });
    await expect(refused).rejects.toMatchObject({ code: 'TABLE_NAME', table: 'a_b' });
    await expect(refused).rejects.toThrow(
      'The table "a_b" is that of a list in the items of another job, "a", since an earlier run. Give the job "a_b" another "dataType", ' +
        'or remove the file "a_b.csv" if nobody needs it any more.',
    );
    expect(await csv()).toBe(before);
  });

  it('is refused where it is compressed, too', async () => {
    await run({ endpoint: 'a' }, {}, '?compress=gzip');
    await expect(run({ endpoint: 'a_b' })).rejects.toMatchObject({ code: 'TABLE_NAME' });
    expect(existsSync(file('a_b.csv.gz'))).toBe(true);
  });

  it('does not overwrite the table of a job either', async () => {
    await run({ endpoint: 'a_b' });
    await expect(run({ endpoint: 'a' })).rejects.toThrow(
      'The table "a_b" is that of another job, "a_b", since an earlier run, and a list in the items of "a" would take its place. Give the job "a" another "dataType", ' +
        'or remove the file "a_b.csv" if nobody needs it any more.',
    );
    expect(await csv()).toBe('"x"\n"9"\n');
  });

  it('does not overwrite that of another list', async () => {
    api.answers['/a'] = [{ id: 1, b_c: [{ x: 1 }] }];
    api.answers['/a_b'] = [{ id: 2, c: [{ x: 2 }] }];
    await run({ endpoint: 'a' });
    await expect(run({ endpoint: 'a_b' })).rejects.toMatchObject({ code: 'TABLE_NAME', table: 'a_b_c' });
  });

  it('comes again with the same configuration, and with another one of the same job', async () => {
    await run({ endpoint: 'a' });
    await run({ endpoint: 'a' });
    await run({ endpoint: 'a', params: {} }, { userData: { region: 'north' } });
    expect((await csv()).split('\n')).toHaveLength(4);
  });

  it('may be made again by another job once its file is gone, and is that one’s then', async () => {
    await run({ endpoint: 'a' });
    await rm(file('a_b.csv'));
    await run({ endpoint: 'a_b' });
    expect(await csv()).toBe('"x"\n"9"\n');
    await expect(run({ endpoint: 'a' })).rejects.toMatchObject({ code: 'TABLE_NAME' });
    api.answers['/a'] = [{ id: 1, b: [] }];
    await run({ endpoint: 'a' });
    expect(await csv()).toBe('"x"\n"9"\n');
  });

  it('stands beside tables of other names', async () => {
    await run({ endpoint: 'a' });
    await run({ endpoint: 'c' });
    expect(await csv('c_tags.csv')).toContain('"t"');
  });

  it('may be shared by jobs of one configuration, as the language has it', async () => {
    api.answers['/a'] = [{ id: 1, b_c: [{ x: 1 }] }];
    api.answers['/a_b'] = [{ id: 2, c: [{ x: 2 }] }];
    const both = api.configOf([{ endpoint: 'a' }, { endpoint: 'a_b' }]);
    const destination = destinationOf(`csv:${api.folder}`);
    await deliver(both, [destination]);
    api.answers['/a'] = [];
    await deliver(both, [destination]);
    expect((await csv('a_b_c.csv')).split('\n')).toHaveLength(3);
  });
});
