import fc from 'fast-check';
import { arrayItems } from '../../../src/core/json/array-items';
import { textsOf } from '../../support/item-blocks';
import { BrokenItems } from '../../../src/core/json/item-reader';
import type { ItemReader } from '../../../src/core/json/item-reader';
import { runsOf } from '../../support/cases';

/** The elements of the array as JSON, and the texts of a first and a last page. */
function read(reader: ItemReader, text: string, cuts: readonly number[] = []) {
  const bytes = Buffer.from(text);
  const at = [...new Set([0, ...cuts.map((cut) => cut % (bytes.length + 1)), bytes.length])].sort((a, b) => a - b);
  const pieces = at.slice(1).map((to, index) => bytes.subarray(at[index], to));
  const items = [...pieces.flatMap((piece) => reader.push(piece)), ...reader.end()].flatMap(textsOf);
  const page = (isLast: boolean): string =>
    Buffer.from(reader.page?.(Buffer.from(`[${items.join(',')}]`), isLast) ?? '').toString();
  return { items, first: page(false), last: page(true) };
}
const refusal = (path: readonly string[] | undefined, text: string): string => {
  try {
    read(arrayItems(path), text);
  } catch (error) {
    if (error instanceof BrokenItems) return error.message;
    throw error;
  }
  return 'accepted';
};

describe('arrayItems', () => {
  it('gives the same items however the text is cut', () => {
    const value = fc.jsonValue({ maxDepth: 3 });
    fc.assert(
      fc.property(
        fc.array(value, { maxLength: 6 }),
        fc.dictionary(fc.string(), value, { maxKeys: 3 }),
        fc.string().filter((key) => key !== '__proto__'),
        fc.nat({ max: 2 }),
        fc.array(fc.nat({ max: 500 }), { maxLength: 12 }),
        (items, beside, key, indent, cuts) => {
          const document = { ...beside, [key]: { inner: items, 'x"[': [1] }, tail: [[']']] };
          if (key === 'tail') return;
          const text = JSON.stringify(document, undefined, indent);
          const found = read(arrayItems([key, 'inner']), text, cuts);
          expect(found.items.map((item) => JSON.parse(item) as unknown)).toEqual(JSON.parse(JSON.stringify(items)));
          expect(JSON.parse(found.last)).toEqual(JSON.parse(text));
          expect(JSON.parse(found.first)).toEqual({ [key]: { inner: JSON.parse(JSON.stringify(items)) as unknown } });
        },
      ),
      { numRuns: runsOf(300) },
    );
  });

  it('refuses a text that ends anywhere before its end', () => {
    const text = '{"a": {"n": [1, 2]}, "rows": [{"id": "]"}, [3], "\\"", null], "next": {"b": []}}';
    for (let end = text.indexOf('[{') + 1; end < text.length; end += 1)
      expect(refusal(['rows'], text.slice(0, end))).not.toBe('accepted');
    expect(refusal(['rows'], text)).toBe('accepted');
  });

  it.each([
    ['[1,,2]', 'the array of items has a comma without an item'],
    ['[,1]', 'the array of items has a comma without an item'],
    ['[1,]', 'the array of items has a comma without an item'],
    ['[1}]', 'the array of items has a bracket too many'],
    ['[1', 'it ends within the array of items, so it is not complete'],
    ['[1] 2', 'it is no JSON, or it ends too early'],
  ])('refuses %s', (text, message) => {
    expect(refusal([], text)).toBe(message);
  });

  it('finds the array at a key with the delimiter in it, as a reader of the whole text does', () => {
    expect(read(arrayItems(['d', 'rows', 'all']), '{"a":[0],"d":{"rows.all":[1,2]}}').items).toEqual(['1', '2']);
    expect(read(arrayItems(['d.rows', 'all'], '/'), '{"d.rows/all":[1]}').items).toEqual(['1']);
    expect(refusal(['d', 'rows'], '{"d.rows":[1],"d":{"rows":[2]}}')).not.toBe('accepted');
  });

  it('refuses arrays that a reader of the whole text would not take', () => {
    expect(refusal(undefined, '{"a": [1], "b": []}')).toContain('several arrays (a, b)');
    expect(refusal(['a'], '{"a": [1], "a": [2]}')).toContain('a key twice');
    expect(refusal(['a'], '{"a": [1], "a": 2}')).toContain('a key twice');
  });

  it('takes the whole value, or the only array among its members', () => {
    expect(read(arrayItems(undefined), '\uFEFF [1, {"a": [2]}]').items).toEqual(['1', '{"a": [2]}']);
    expect(read(arrayItems(undefined), '{"n": {"a": [0]}, "rows": [1]}').items).toEqual(['1']);
    expect(read(arrayItems([]), '[ ]').items).toEqual([]);
    expect(read(arrayItems(['r\u00e9"']), '{"r\\u00e9\\"": [1]}').items).toEqual(['1']);
  });

  it('leaves a text without the array to who reads whole ones', () => {
    const { items, last } = read(arrayItems(['rows']), '{"error": "[no] \\"rows\\": [", "list": [{"rows": [1]}]}');
    expect(items).toEqual([]);
    expect(last).toBe('{"error": "[no] \\"rows\\": [", "list": [{"rows": [1]}]}');
  });
});
