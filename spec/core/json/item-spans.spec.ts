import fc from 'fast-check';
import { itemSpans } from '../../../src/core/json/item-spans';
import type { Json } from '../../../src/core/model';
import { valueAt } from '../../../src/core/json/path';
import { runsOf } from '../../support/cases';

const spansOf = (text: string, path?: readonly string[]) => itemSpans(Buffer.from(text), path);
const textsOf = (text: string, path?: readonly string[]): readonly string[] | undefined => {
  const bytes = Buffer.from(text);
  const spans = itemSpans(bytes, path);
  return spans?.starts.map((start, at) => bytes.subarray(start, spans.ends[at]).toString());
};

describe('itemSpans', () => {
  it.each<[string, string, readonly string[] | undefined, readonly string[]]>([
    ['the whole value', '[1,"a",[2],{"b":3},null]', [], ['1', '"a"', '[2]', '{"b":3}', 'null']],
    ['the whole value, detected', '[{"a":[1]}]', undefined, ['{"a":[1]}']],
    ['a list at a key', '{"n":1,"items":[1,2],"next":"x"}', ['items'], ['1', '2']],
    ['a list further down', '{"a":{"x":[],"b":[true,false]},"c":[9]}', ['a', 'b'], ['true', 'false']],
    ['the only list, detected', '{"n":{"inner":[7]},"rows":["x"],"next":null}', undefined, ['"x"']],
    ['a key of several bytes', '{"größe":[-1.5e+2]}', ['größe'], ['-1.5e+2']],
    ['brackets, commas and quotes in strings', '["],[\\"","\\\\"]', [], ['"],[\\""', '"\\\\"']],
    ['white space between tokens', ' { "items" : [ 1 ,\n {\t"a" : 2 } ] } ', ['items'], ['1', '{\t"a" : 2 }']],
    ['a byte order mark', '\uFEFF[1]', [], ['1']],
  ])('finds %s', (_, text, path, items) => {
    expect(textsOf(text, path)).toEqual(items);
  });

  it('tells where the list stands, and the keys that lead to it', () => {
    expect(spansOf('{"a":{"b":[1]}}', ['a', 'b'])).toMatchObject({ path: ['a', 'b'], from: 10, to: 13 });
    expect(spansOf('{"rows":[1]}', undefined)).toMatchObject({ path: ['rows'], from: 8, to: 11 });
  });

  it.each([
    ['none in the list', '{ "items" : [1,{"a":" "}] }', false],
    ['some in an item', '[{"a": 1}]', true],
    ['some between items', '[1, 2]', true],
    ['some before the end', '[1\n]', true],
  ])('white space: %s', (_, text, spaced) => {
    expect(spansOf(text, text.startsWith('{') ? ['items'] : [])).toMatchObject({ spaced });
  });

  it.each([
    ['of all items', '[{"id":1},{"a":{"id":2},"id":3}, { "b" : 4 , "id" : 5 }]', ['1', '3', '5']],
    ['not further down, nor of other keys', '[{"a":{"id":1},"ids":2,"ID":3,"b":"id"}]', undefined],
    ['unless one has none', '[{"id":1},{"a":2}]', undefined],
    ['nor of items that are no objects', '[{"id":1},"id"]', undefined],
    ['not beside the list', '{"id":7,"items":[{"id":1}]}', ['1']],
  ])('where the ids are: %s', (_, text, values) => {
    const ids = spansOf(text, text.startsWith('{') ? ['items'] : [])?.ids;
    expect(ids?.map((at) => /^"id"\s*:\s*(\d+)/.exec(text.slice(at))?.[1])).toEqual(values);
  });

  it.each([
    ['an integer beyond 2^53', '[9007199254740993]', true],
    ['one of 16 digits that is none', '[1234567890123456]', false],
    ['a shorter one', '[123456789012345]', false],
    ['digits after the point', '[0.1234567890123456]', false],
    ['fractions that doubles print so', '[142.89285714285714,-0.1234567890123456,5e-324]', false],
    ['one number among them that is lost', '[142.89285714285714,0.12345678901234567,1.5]', true],
    ['one of them with a zero at its end', '[142.89285714285714,1.50000000000000000]', false],
    ['an integer of that many digits beyond 2^53 among them', '[142.89285714285714,9007199254740992]', true],
    ['negative zero with many digits', '[-0.0000000000000000]', false],
    ['digits that JavaScript rounds', '[12345678901234567.25]', true],
    ['digits that JavaScript rounds, after the point', '[0.12345678901234567]', true],
    ['a large number that JavaScript holds', '[1e300]', false],
    ['a number beyond those of JavaScript', '[1e400]', true],
    ['one too small for JavaScript', '[1e-400]', true],
    ['one out of range by its digits', `[${'9'.repeat(400)}.5]`, true],
    ['digits in a string', '["1234567890123456"]', false],
    ['a key that looks like a number', '[{"10":1}]', true],
    ['a key with an escape', '[{"\\u0031":1}]', true],
    ['a large number beside the list', '{"x":12345678901234567890,"items":[1]}', true],
  ])('unusual: %s', (_, text, unusual) => {
    expect(spansOf(text, text.startsWith('{') ? ['items'] : [])).toMatchObject({ unusual });
  });

  it.each<[string, string, readonly string[] | undefined]>([
    ['an empty list', '{"items":[]}', ['items']],
    ['no list there', '{"items":{"a":1}}', ['items']],
    ['no such key', '{"rows":[1]}', ['items']],
    ['two lists to choose from', '{"a":[1],"b":[2]}', undefined],
    ['a key that comes twice', '{"items":[1],"items":[2]}', ['items']],
    ['a key with an escape on the way', '{"it\\u0065ms":[1]}', ['items']],
    ['a list on the way', '{"a":[{"b":[1]}]}', ['a', '0', 'b']],
    ['a scalar', '5', []],
    ['what nests deep', `[${'['.repeat(300)}${']'.repeat(300)}]`, []],
    ['nothing', '', []],
    ['more after the end', '[1] [2]', []],
    ['no end', '{"items":[1]', ['items']],
  ])('leaves to the other reader: %s', (_, text, path) => {
    expect(spansOf(text, path)).toBeUndefined();
  });

  it.each<[string, readonly string[] | undefined, readonly string[]]>([
    ['{"items":[1],"items":[2]}', ['items'], ['items']],
    ['{"items":[1],"items": null}', ['items'], ['items']],
    ['{"a":{"items":[1]},"a":{}}', ['a', 'items'], ['a']],
    ['{"items":[1],"items":[2]}', undefined, ['items']],
    ['{"items":[1],"items": [1]}', ['items'], []],
    ['{"items":[1],"items":[1]}', undefined, []],
    ['{"a":1,"a":2,"items":[1]}', ['items'], []],
  ])('of keys that come twice, names those on the path whose values differ: %s', (text, path, keys) => {
    const reported: string[] = [];
    itemSpans(Buffer.from(text), path, undefined, (key) => reported.push(key));
    expect(reported).toEqual(keys);
  });

  it.each([
    '[01]', '[1.]', '[.5]', '[+1]', '[-]', '[1e]', '[1,]', '[,1]', '[1 2]', '["a]', '["\\x"]', '["\\u12g4"]', '["\t"]',
    '[tru]', '[nulll]', '[{"a"}]', '[{"a":}]', '[{a:1}]', '[{"a":1,}]', '[{"a":1]', '[[1}]', '{"items":[1],}', '{,"items":[1]}',
    '[\u00a01]', '[NaN]', '["a" "b"]', '[{"a" 1}]', '[{} {}]', '[-a]', '[1]]', '{"items" [1]}',
  ])('refuses what is not JSON: %s', (text) => {
    expect(() => JSON.parse(text) as unknown).toThrow();
    expect(spansOf(text, text.startsWith('{') ? ['items'] : [])).toBeUndefined();
  }); // prettier-ignore

  /** JSON of all kinds, spaced in all ways, and sometimes damaged. */
  const damaged = fc
    .tuple(
      fc.jsonValue({ maxDepth: 4 }),
      fc.constantFrom(undefined, 1, '\t', '\n \r'),
      fc.array(
        fc.tuple(
          fc.nat(),
          fc.constantFrom('', ',', '"', '[', ']', '{', '}', ':', '1', 'e', '.', '-', '\\', ' ', 'u', '\u0001'),
        ),
        { maxLength: 2 },
      ),
    )
    .map(([value, space, cuts]) =>
      cuts.reduce(
        (text, [at, put]) => {
          const place = at % (text.length + 1);
          return text.slice(0, place) + put + text.slice(place + (put === '' ? 1 : 0));
        },
        JSON.stringify({ items: [value, value], other: value }, undefined, space),
      ),
    );

  it('finds items only where JSON.parse reads the text, and the same ones', () => {
    let found = 0;
    fc.assert(
      fc.property(damaged, (text) => {
        const items = textsOf(text, ['items']);
        if (items === undefined) return;
        found += 1;
        expect(items.map((item) => JSON.parse(item) as unknown)).toEqual(valueAt(JSON.parse(text) as Json, 'items'));
      }),
      { numRuns: runsOf(3000) },
    );
    expect(found).toBeGreaterThan(runsOf(3000) / 30);
  });

  it('finds the items of whatever is JSON and not empty', () => {
    fc.assert(
      fc.property(fc.array(fc.jsonValue(), { minLength: 1 }), fc.constantFrom(undefined, 2), (list, space) => {
        const text = JSON.stringify({ before: 1, items: list }, undefined, space);
        const items = textsOf(text, ['items']);
        expect(items?.map((item) => JSON.parse(item) as unknown)).toEqual(JSON.parse(JSON.stringify(list)));
      }),
      { numRuns: runsOf(1000) },
    );
  });
});
