/** Rows with keys, the same in every destination with tables: which rows go, which stay, and what is told of them. */
import fc from 'fast-check';
import { deliver, HeadwaterError } from '../../src';
import type { JsonObject, Stored } from '../../src';
import { knownCounts } from '../../src/sinks/row-counts';
import { describeTables, mergedBy, store } from '../support/adapters';
import type { AdapterPlace, Cells, MakePlace, PlaceOptions } from '../support/adapters';
import { runsOf } from '../support/cases';

const KEYED = mergedBy('id');
/** In the order of their first cells; those without one come last. */
const ordered = (rows: readonly Cells[]): readonly Cells[] =>
  [...rows].sort(([a], [b]) => (a === b ? 0 : (a ?? '~') < (b ?? '~') ? -1 : 1)); // prettier-ignore
const cellsOf = async (place: AdapterPlace, ...columns: readonly string[]): Promise<readonly Cells[]> =>
  ordered(await place.cells('user', ...columns));

describeTables(({ traits }, make, it) => {
  describe('puts whole rows in the place of those with the same key', () => {
    it('the last one of several in a run counts, in the first run and in a later one, by all columns of the key', async () => {
      const place = await make();
      const byTwo = mergedBy('id', 'part');
      await store(place, byTwo, [
        { id: 1, part: 'a', n: 1 },
        { id: 1, part: 'b', n: 2 },
        { id: 1, part: 'a', n: 3 },
      ]);
      const [a, b, c] = [
        ['a', '1', '3', null],
        ['b', '1', '2', null],
        ['c', '3', '5', null],
      ];
      const lastB = ['b', '1', '6', null];
      const found = async () => {
        const rows = await place.cells('user', 'part', 'id', 'n', 'more');
        return traits.isOrdered ? rows : ordered(rows);
      };
      expect(await found()).toEqual(traits.isOrdered ? [b, a] : [a, b]);
      await store(
        place,
        byTwo,
        [
          { id: 1, part: 'b', n: 4, more: 'x' },
          { id: 3, part: 'c', n: 5 },
        ],
        [{ id: 1, part: 'b', n: 6 }],
      );
      expect(await found()).toEqual(traits.isOrdered ? [a, c, lastB] : [a, lastB, c]);
    });
  });

  const { types, isDatabase } = traits;
  if (isDatabase)
    describe('puts whole rows in the place of those of a table that somebody else has made, without an index', () => {
      const makeTable: MakePlace = async (options) => {
        const place = await make(options);
        await place.change?.(`CREATE TABLE "user" (id ${types?.integer}, a ${types?.text}, b ${types?.text})`);
        return place;
      };
      it('where other rows of the run have what they lack, and where no row has it', async () => {
        const place = await makeTable();
        await store(place, KEYED, [
          { id: 1, a: 'x', b: 'old' },
          { id: 2, a: 'y', b: 'old' },
        ]);
        await store(place, KEYED, [{ id: 2 }, { id: 1, b: 'new' }]);
        await store(place, KEYED, [{ id: 1 }]);
        expect(await cellsOf(place, 'id', 'a', 'b')).toEqual([
          ['1', null, null],
          ['2', null, null],
        ]);
      });

      it('and tells what it did', async () => {
        const place = await makeTable();
        await place.change?.(`INSERT INTO "user" VALUES (1, 'x', NULL), (2, 'y', NULL)`);
        const stored = await store(place, KEYED, [
          { id: 2, a: 'first' },
          { id: 3, a: 'new' },
          { id: 2, a: 'last' },
        ]);
        expect(stored).toMatchObject([{ rows: 2, repeated: 1, added: 1, changed: 1, unchanged: 0, removed: 0 }]);
        expect(await cellsOf(place, 'id', 'a')).toEqual([
          ['1', 'x'],
          ['2', 'last'],
          ['3', 'new'],
        ]);
      });
    });

  describe('where a key has nothing', () => {
    const nothing = { id: null, a: 'p' };
    if (!traits.enforcesKeys) {
      it('rows with nothing in the key all stay', async () => {
        const place = await make();
        await store(place, KEYED, [{ id: 1, a: 'x', b: 'b' }, nothing, { a: 'q' }, { id: 1, a: 'y' }]);
        const sorted = async () =>
          (await place.cells('user', 'id', 'a')).map((cells) => cells.map(String).join(' ')).sort();
        expect(await sorted()).toEqual(['1 y', 'null p', 'null q']);
        await store(place, KEYED, [
          { id: null, a: 'r' },
          { id: 1, a: 'z' },
        ]);
        expect(await sorted()).toEqual(['1 z', 'null p', 'null q', 'null r']);
      });

      it('it is a value where another column of the key has one', async () => {
        const place = await make();
        const byTwo = mergedBy('id', 'day');
        await store(place, byTwo, [
          { id: 1, day: null, v: 'old' },
          { id: null, day: null, v: 1 },
          { day: 1 },
          { v: 2 },
        ]);
        await store(place, byTwo, [
          { id: 1, v: 'not the last one' },
          { id: 1, day: null, v: 'new' },
          { day: 1, v: 'new' },
        ]);
        const rows = (await place.cells('user', 'id', 'day', 'v')).map((cells) => cells.map(String).join(' '));
        expect([...rows].sort()).toEqual(['1 null new', 'null 1 new', 'null null 1', 'null null 2']);
      });
    } else
      it('the run fails, and the table stays as it is', async () => {
        const place = await make();
        await store(place, KEYED, [{ id: 1, a: 'x' }]);
        for (const item of [nothing, { a: 'q' }])
          await expect(store(place, KEYED, [{ id: 2, a: 'y' }, item])).rejects.toThrow('null value in column "id"');
        expect(await cellsOf(place, 'id', 'a')).toEqual([['1', 'x']]);
      });
  });

  it('finds a key in a column that has got a wider type, where old values become those of that type', async () => {
    const place = await make();
    await store(place, KEYED, [{ id: 1, a: 'number' }]);
    await store(place, KEYED, [
      { id: '1', a: 'text' },
      { id: 'x', a: 'new' },
    ]);
    expect(await cellsOf(place, 'id', 'a')).toEqual([
      ...(traits.rewritesTypes ? [] : [['1', 'number']]),
      ['1', 'text'],
      ['x', 'new'],
    ]);
  });

  it('takes a column that the job adds for a key, where rows have it', async () => {
    const place = await make();
    const output = mergedBy('order', 'id');
    const run = (n: number) => store(place, output, { items: [{ id: 1, n }], extra: { order: 'x' } });
    if (traits.keepsItems) {
      await expect(run(1)).rejects.toMatchObject({
        code: 'KEY_NOT_FOUND',
        message: expect.stringContaining('"order"') as string,
      });
      expect(await place.rows('user')).toBeUndefined();
      return;
    }
    await run(1);
    await run(2);
    expect(await cellsOf(place, 'id', 'n', 'order')).toEqual([['1', '2', 'x']]);
  });

  it.each([true, false])(
    'refuses a key that no item has, and names its place (rows are added: %s)',
    async (incremental) => {
      const place = await make();
      const output = { ...mergedBy('nr'), incremental, keyPlaces: new Map([['user', 'config.primaryKeys.user']]) };
      await expect(store(place, output, [{ id: 1 }])).rejects.toMatchObject({
        code: 'KEY_NOT_FOUND',
        message: expect.stringMatching(
          /^config\.primaryKeys\.user: no row of .* the column "nr" .* Known: .*'id'/,
        ) as string,
      });
      expect(await place.rows('user')).toBeUndefined();
    },
  );
});

/** A row; one of `null` has nothing in the key. */
interface Row {
  readonly id: number | null;
  readonly depth: number;
}
/** One run: how it loads, whether the table has a key, and the rows that the API has. */
interface Run {
  readonly load: 'replace' | 'append' | 'merge';
  readonly isKeyed: boolean;
  readonly rows: readonly Row[];
}

const row = fc.record<Row>({
  id: fc.option(fc.integer({ min: 1, max: 6 }), { nil: null, freq: 5 }),
  depth: fc.integer({ min: 1, max: 2 }),
});
const rowsOfRun = fc.array(row, { maxLength: 8 });
const loaded = (load: Run['load'], isKeyed: boolean): fc.Arbitrary<Run> =>
  rowsOfRun.map((rows) => ({ load, isKeyed, rows }));
const run = fc.oneof(loaded('replace', false), loaded('replace', true), loaded('append', false), {
  arbitrary: loaded('merge', true),
  weight: 2,
});

/** Runs of which each number has something to tell, whatever else is tried. */
const REPORTING: readonly Run[] = [
  { load: 'replace', isKeyed: false, rows: [1, 2, 3].map((id) => ({ id, depth: 1 })) },
  { load: 'merge', isKeyed: true, rows: [...[1, 4, 4].map((id) => ({ id, depth: 1 })), { id: 2, depth: 2 }] },
  { load: 'append', isKeyed: false, rows: [{ id: 5, depth: 1 }] },
  { load: 'replace', isKeyed: true, rows: [...[1, 6, 6].map((id) => ({ id, depth: 1 })), { id: 2, depth: 1 }] },
  { load: 'replace', isKeyed: false, rows: [{ id: 1, depth: 1 }] },
];

/** What runs make of a table, and what is to be told of each. */
function modelOf(
  before: readonly Row[],
  { load, isKeyed, rows }: Run,
): { readonly after: readonly Row[]; readonly reported: object } {
  const all = { added: rows.length, changed: 0, unchanged: 0, rows: rows.length };
  if (load === 'replace' && !isKeyed)
    return { after: rows, reported: { ...all, removed: before.length, total: rows.length } };
  if (load === 'append') {
    const after = [...before, ...rows];
    return { after, reported: { ...all, removed: 0, total: after.length } };
  }
  const last = new Map(rows.flatMap((each) => (each.id === null ? [] : [[each.id, each] as const])));
  const stored = [...rows.filter(({ id }) => id === null), ...last.values()];
  const matched = [...last.keys()].filter((key) => before.some(({ id }) => id === key));
  const same = matched.filter((key) => before.some(({ id, depth }) => id === key && depth === last.get(key)?.depth));
  const kept = load === 'replace' ? [] : before.filter(({ id }) => id === null || !last.has(id));
  const after = [...kept, ...stored];
  const added = stored.length - matched.length;
  const repeated = rows.length - stored.length;
  return {
    after,
    reported: {
      ...{ added, changed: matched.length - same.length, unchanged: same.length, rows: stored.length },
      ...{ removed: before.length + added - after.length, total: after.length },
      ...(repeated === 0 ? {} : { repeated }),
    },
  };
}

const itemsOf = (rows: readonly Row[]): readonly JsonObject[] =>
  rows.map(({ id, depth }) => (id === null ? { depth, name: 'x' } : { id, depth }));

/** Runs an API with these items into the table `items`. */
async function runInto(
  { to }: AdapterPlace,
  { load, isKeyed }: Pick<Run, 'load' | 'isKeyed'>,
  items: readonly JsonObject[],
  runColumns = false,
): Promise<Stored> {
  const job = { endpoint: 'items', load, ...(isKeyed ? { primaryKey: ['id'] } : {}) };
  const config = { api: { baseUrl: 'https://api.test/' }, config: { jobs: [job] } };
  const fetch = () => Promise.resolve(Response.json(items));
  const delivery = await deliver(config, [to()], { fetch, ...(runColumns ? { runColumns } : {}) });
  // Tables of lists are not looked at; of a table that never had a row, nothing may be told.
  return delivery.stored[0]?.tables.find(({ name }) => /^items(\.|$)/.test(name)) ?? { name: 'items' };
}
const reportsOf = ({ rows, repeated, ...counts }: Stored): object => ({
  ...(rows === undefined ? {} : { rows }),
  ...(repeated === undefined ? {} : { repeated }),
  ...knownCounts(counts),
});
const NUMBERS = ['added', 'changed', 'unchanged', 'removed', 'total', 'repeated'] as const;

describe('what a commit tells of the rows of a table', () => {
  describeTables(({ traits, options }, make, it) => {
    const { counts } = traits;
    const forms: readonly (readonly [string, PlaceOptions])[] = [
      ['', {}],
      ...(options.includes('compress') ? [[', in compressed files', { compress: 'gzip' }] as const] : []),
      ...(options.includes('partitionBy') ? [[', in partitions', { partitionBy: ['depth'] }] as const] : []),
    ];
    it.each(forms)(
      'is what a model of the table has, whatever runs came before%s',
      async (_, form) => {
        const needsUniqueKeys = counts.needsUniqueKeys || form.partitionBy !== undefined;
        const seen: Stored[] = [];
        await fc.assert(
          fc.asyncProperty(fc.array(run, { minLength: 1, maxLength: 4 }), async (runs) => {
            const place = await make(form);
            let before: readonly Row[] = [];
            for (const one of runs) {
              const isNew = ({ id }: Row, at: number): boolean =>
                id !== null &&
                (one.isKeyed ||
                  (one.rows.findIndex((other) => other.id === id) === at &&
                    (one.load === 'replace' || !before.some((old) => old.id === id))));
              const each = needsUniqueKeys ? { ...one, rows: one.rows.filter(isNew) } : one;
              const { after, reported: expected } = modelOf(before, each);
              const sent = itemsOf(each.rows);
              // A key that no item has is refused.
              if (each.isKeyed && sent.length > 0 && !sent.some((item) => 'id' in item)) continue;
              const stored = await runInto(place, each, sent).catch((error: unknown) => {
                // A table that has rows and none with an id may have no such column: rows are not merged into it.
                const mayLackKey = each.load === 'merge' && before.length > 0 && before.every(({ id }) => id === null);
                const isRefused = error instanceof HeadwaterError && error.code === 'DESTINATION_INCOMPATIBLE';
                if (!mayLackKey || !isRefused) throw error;
                return undefined;
              });
              if (stored === undefined) continue;
              if (counts.isSparing) expect(expected).toMatchObject(reportsOf(stored));
              else expect(reportsOf(stored)).toEqual(expected);
              seen.push(stored);
              before = after;
            }
            await place.drop();
          }),
          {
            numRuns: runsOf(form.partitionBy === undefined && !traits.enforcesKeys ? 12 : 6, 4),
            examples: [[REPORTING]],
          },
        );
        // What is left out is left out for a reason: others are there.
        for (const name of NUMBERS)
          expect([name, seen.some((reported) => reported[name] !== undefined)]).toEqual([name, true]);
        expect(seen.filter((reported) => !counts.summary(reported))).toEqual([]);
      },
      120_000,
    );

    const forNested = options.includes('nested') ? (['json', 'tables'] as const) : [undefined];
    it.each(forNested.flatMap((nested) => [false, true].map((runColumns) => [nested, runColumns] as const)))(
      'takes a row for the same that only has other ids and columns of the run (nested: %s, columns of the run: %s)',
      async (nested, runColumns) => {
        const place = await make(nested === undefined ? {} : { nested });
        const item = (id: number): JsonObject => ({ id, list: [id] });
        const merged = { load: 'merge', isKeyed: true } as const;
        await runInto(place, merged, [1, 2, 3].map(item), runColumns);
        const { added, changed, unchanged, total } = await runInto(place, merged, [2, 2, 3, 4].map(item), runColumns);
        const isCompared = { all: true, flat: nested === 'json' && !runColumns, none: false }[counts.compares];
        expect({ added, changed, unchanged, total }).toEqual({
          added: 1,
          ...(isCompared ? { changed: 0, unchanged: 2 } : { changed: undefined, unchanged: undefined }),
          total: counts.compares === 'flat' ? undefined : 4,
        });
      },
    );
  });
});
