import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FatalError } from '../../../src/core/errors/errors';
import { rawDocument } from '../../../src/core/json/raw-items';
import type { Item, Page } from '../../../src/core/model';
import { loadTables } from '../../../src/sinks/duckdb/load';
import type { TableLoad } from '../../../src/sinks/duckdb/load-flat';
import { fileJournal } from '../../../src/sinks/journal/file-journal';
import type { Journal } from '../../../src/sinks/journal/journal';
import { aHead, anOutput, aPageOf } from '../../support/durable';

let folder: string;
let journal: Journal;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'headwater-load-'));
  journal = fileJournal(join(folder, 'journal'));
  await journal.open();
  await journal.begin(aHead());
});
afterEach(async () => {
  await journal.close();
  rmSync(folder, { recursive: true, force: true });
});

let pages = 0;
const written = (items: readonly Item[]): Page => {
  const raw = rawDocument(Buffer.from(JSON.stringify(items)), undefined)?.items;
  const page = aPageOf('user', items, { checkpoint: { call: [0, (pages += 1)] } });
  return raw === undefined ? page : { ...page, reply: { ...page.reply, raw } };
};
/** More than what is looked at before a table is stored. */
const long = (): Page[] =>
  Array.from({ length: 10 }, (_, id) =>
    written([
      { id, text: 'x'.repeat(1024 * 1024) },
      { id, text: 'y'.repeat(1024 * 1024) },
    ]),
  );

/** What `store` was given, each time it was called. */
async function loaded(
  all: readonly Page[],
  store: (load: TableLoad) => Promise<unknown> = ({ filled }) => filled(),
): Promise<readonly TableLoad[]> {
  for (const page of all) await journal.append(page);
  const { places, pages } = journal;
  const calls: TableLoad[] = [];
  await loadTables(
    {
      ...{ places, pages, folder, outputs: [anOutput()], known: () => Promise.resolve([]) },
      ...{ structure: {}, isLinked: () => false, startedAt: 0, lastRow: () => Promise.resolve(0) },
    },
    async ([load]) => {
      if (load === undefined) throw new Error('There is no table.');
      calls.push(load);
      await store(load);
    },
  );
  return calls;
}

const namesOf = (loads: readonly TableLoad[]): unknown[] =>
  loads.map(({ columns }) => columns.map(({ name, type }) => `${name} ${type}`));

describe('loading tables', () => {
  it('stores once, from the file of the journal', async () => {
    const [load, ...more] = await loaded([written([{ id: 1 }]), written([{ id: 2 }, { id: null }])]);
    expect(more).toEqual([]);
    expect(load).toMatchObject({ dataType: 'user', rows: 3, columns: [{ name: 'id', type: 'integer' }] });
    expect(load?.query).toContain(join(folder, 'journal', '0.data'));
    expect(await load?.filled()).toEqual([2]);
  });

  it('stores a long table before all of it was looked at', async () => {
    let isLookedAt = false;
    const calls = await loaded(long(), async ({ filled }) => {
      const counts = filled().then((found) => {
        isLookedAt = true;
        return found;
      });
      expect(isLookedAt).toBe(false);
      expect(await counts).toEqual([20, 20]);
    });
    expect(namesOf(calls)).toEqual([['id integer', 'text text']]);
  });

  it.each<[string, Item, readonly string[]]>([
    ['another column', { id: 1, more: true }, ['id integer', 'text text', 'more boolean']],
    ['another type', { id: 1.5 }, ['id double', 'text text']],
    ['another kind of value', { id: 'one' }, ['id text', 'text text']],
  ])('stores it again when the last page has %s', async (_, last, columns) => {
    const calls = await loaded([...long(), written([last])]);
    expect(namesOf(calls)).toEqual([['id integer', 'text text'], columns]);
  });

  it('stores it again when DuckDB could not take lines as they were written', async () => {
    const failures = [new Error('refused'), undefined];
    const calls = await loaded(long(), () => {
      const failure = failures.shift();
      return failure === undefined ? Promise.resolve() : Promise.reject(failure);
    });
    expect(calls.map(({ query }) => query.includes('rewritten'))).toEqual([false, true]);
    expect(await calls[1]?.filled()).toEqual([20, 20]);
  });

  it('stores only once what fails for another reason than its lines', async () => {
    let calls = 0;
    const refused = new FatalError('TABLE_NAME', 'There are two of them.');
    const store = (): Promise<void> => {
      calls += 1;
      return Promise.reject(refused);
    };
    await expect(loaded([written([{ id: 1 }])], store)).rejects.toBe(refused);
    expect(calls).toBe(1);
    await expect(loaded(long(), store)).rejects.toBe(refused);
  });

  it('fails as the last attempt does', async () => {
    await expect(loaded(long(), () => Promise.reject(new Error('the disk is full')))).rejects.toThrow(
      'the disk is full',
    );
  });
});
