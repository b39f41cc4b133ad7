import fc from 'fast-check';
import { withAllDigits } from '../../../src/core/json/literals';
import { parseList } from '../../../src/core/json/parse';
import { arePlainLines } from '../../../src/core/json/skip-value';
import { isScalar, textOf } from '../../../src/core/json/scalars';
import type { PageOfLines } from '../../../src/tables/automatic/rows';
import { makeTables, numberedTables } from '../make-tables';

/** A page of items as an API writes them. */
const written = (...items: readonly string[]): PageOfLines => {
  const lines = Buffer.from(items.map((item) => `${item}\n`).join(''));
  return {
    ...{ dataType: 't', items: parseList(items), extra: new Map() },
    ...{ lines, isPlain: arePlainLines(lines) },
  };
};

const digits = (minLength: number, maxLength: number) =>
  fc.string({ unit: fc.constantFrom('0', '0', '1', '5', '9'), minLength, maxLength });
const number = fc
  .tuple(
    fc.constantFrom('', '-'),
    fc.oneof(
      fc.constant('0'),
      digits(1, 24).map((text) => text.replace(/^0+(?=.)/, '')),
    ),
    fc.oneof(
      fc.constant(''),
      digits(1, 20).map((text) => `.${text}`),
    ),
    fc.oneof({ arbitrary: fc.constant(''), weight: 4 }, fc.constantFrom('e5', 'E-7', 'e+30', 'e-0')),
  )
  .map((parts) => parts.join(''));
const value = fc.oneof(
  number,
  fc.double({ noNaN: true, noDefaultInfinity: true }).map(String),
  fc.json({ maxDepth: 0 }),
);

describe('language 8.4: cells of items as they are written', () => {
  it('are those of the values', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(value, { minLength: 1, maxLength: 8 }), async (texts) => {
        // The second page fits the structure as it is.
        const page = written(...texts.map((text) => `{"n":0,"a":${text}}`));
        const { cells } = await makeTables([written('{"n":0,"a":0}'), page]);
        const expected = withAllDigits(parseList(texts)).map((each) =>
          isScalar(each ?? null) ? textOf(each as string) : '',
        );
        expect(cells['t']?.slice(2).map(([, cell]) => cell)).toEqual(expected);
      }),
    );
  });

  it('are those of the last of equal keys, however these are spelled', async () => {
    const page = written('{"a":1,"b":["x"],"\\u0061":2,"b":["y","z"]}');
    const { t, t_b: list } = await numberedTables([page, page]);
    expect([t, list?.map((row) => row.split('|')[0])]).toEqual([
      ['a|b', '2|t_#1', '2|t_#1'],
      ['data', 'y', 'z', 'y', 'z'],
    ]);
  });
});

describe('a page that does not fit the structure so far', () => {
  it.each<[string, string, readonly string[]]>([
    ['has a new key', '{"a":3,"x":["c"],"new":1}', ['a|x|new', '1|t_#1|', '2|t_#2|', '3|t_#3|1']],
    ['has a list in a list', '{"a":3,"x":["c",["d"]]}', ['a|x', '1|t_#1', '2|t_#2', '3|t_#3']],
    ['has a value where there was null', '{"a":3,"x":["c"],"n":4}', ['a|x|n', '1|t_#1|', '2|t_#2|', '3|t_#3|4']],
  ])('has its rows once: it %s', async (_, item, rows) => {
    const first = written(item.includes('"n"') ? '{"a":1,"x":["a"],"n":null}' : '{"a":1,"x":["a"]}');
    const { t, t_x: list } = await numberedTables([first, written('{"a":2,"x":["b"]}', item)]);
    expect(t).toEqual(rows);
    expect(list?.map((row) => row.split('|')[0]).slice(1, 4)).toEqual(['a', 'b', 'c']);
    expect(list).toHaveLength(item.includes('[["') || item.includes(',["') ? 5 : 4);
  });
});
