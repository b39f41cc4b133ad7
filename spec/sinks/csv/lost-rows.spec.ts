/** Keys that differ in items and are one in a file of CSV: nobody can tell these rows apart later (docs/sinks.md#tables). */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { deliver, destinationOf } from '../../../src';
import type { Json, JsonObject, RunEvent } from '../../../src';
import { tableRuns } from '../../support/table-runs';

describe('a CSV table that is merged by a key of several columns', () => {
  const api = tableRuns();
  const key = { load: 'merge', primaryKey: ['a', 'b'] };
  const run = async (items: Json, job: JsonObject = key, settings: JsonObject = {}): Promise<readonly string[]> => {
    api.answers = { '/t': items };
    const events: RunEvent[] = [];
    await deliver(api.configOf([{ endpoint: 't', ...job }], settings), [destinationOf(`csv:${api.folder}`)], {
      onEvent: (event) => events.push(event),
    });
    return events.flatMap((event) => (event.type === 'warning' && event.code === 'KEYS_ALIKE' ? [event.message] : []));
  };
  const lines = async (): Promise<number> => (await readFile(join(api.folder, 't.csv'), 'utf8')).split('\n').length - 2;

  it('warns once of rows whose keys differ in items alone', async () => {
    const items = ['', null, false].map((a, v) => ({ a, b: 'q', v }));
    expect(await run([...items, { b: 'q', v: 4 }, { a: 'x', b: 'q', v: 5 }])).toEqual([
      'Rows of the table "t" gave way to others with the same key, 3 of them with an empty cell in it where items have different values: ' +
        '"a" ("", null and false). CSV does not distinguish them, and rows may be missing. Make other columns the primary key, or store the table elsewhere, such as in duckdb:.',
    ]);
    expect(await lines()).toBe(2);
  });

  it('does so of mapped tables', async () => {
    const column = (destination: string): Json => ({ mapping: { destination, primaryKey: true } });
    const settings = { incrementalOutput: true, mappings: { t: { 'x.a': column('A'), b: column('B') } } };
    const [warning, ...others] = await run(
      ['', null].map((a) => ({ x: { a }, b: 'q' })),
      {},
      settings,
    );
    expect(warning).toContain('"A" ("" and null)');
    expect(others).toEqual([]);
  });

  it.each([
    [
      'the same values',
      [
        { a: null, b: 'q' },
        { a: null, b: 'q' },
      ],
    ],
    [
      'rows that all stay',
      [
        { a: null, b: 'q' },
        { a: '', b: 'r' },
      ],
    ],
    [
      'rows without a key',
      [
        { a: null, b: null },
        { a: '', b: '' },
      ],
    ],
    [
      'other cells',
      [
        { a: 'x', b: 'q' },
        { a: 'x', b: 'q' },
        { a: null, b: 'r' },
        { a: '', b: 's' },
      ],
    ],
  ])('does not warn of %s', async (_, items) => {
    expect(await run(items)).toEqual([]);
  });

  it('does not warn where all rows stay', async () => {
    expect(
      await run(
        ['', null].map((a) => ({ a, b: 'q' })),
        { load: 'replace' },
      ),
    ).toEqual([]);
  });
});
