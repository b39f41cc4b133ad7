import fc from 'fast-check';
import { parseJson } from '../../../src/core/json/parse';
import { rawDocument } from '../../../src/core/json/raw-items';
import { stringifyJson } from '../../../src/core/json/stringify';
import { runsOf } from '../../support/cases';

const documentOf = (text: string, path: readonly string[] = ['items']) => {
  const document = rawDocument(Buffer.from(text), path);
  if (document === undefined) throw new Error(`no items in ${text}`);
  return document;
};
const linesOf = (text: string, before = '', after = ''): string =>
  Buffer.from(documentOf(text).lines(before, after)).toString();

describe('rawDocument', () => {
  it('gives the items as lines, in the spelling of the API', () => {
    const text = '{"items":[{"id":12345678901234567890,"x":1.0,"s":"\\u00e9\\/"},"ö",null]}';
    expect(linesOf(text)).toBe('{"id":12345678901234567890,"x":1.0,"s":"\\u00e9\\/"}\n"ö"\nnull\n');
  });

  it('leaves out the white space between tokens, and none in strings', () => {
    expect(linesOf('{"items": [ {"a" : " \\" x\\\\" ,\n"b":[1 , 2]} ,\t3 ]}')).toBe(
      '{"a":" \\" x\\\\","b":[1,2]}\n3\n',
    );
  });

  it('puts texts around each line', () => {
    expect(linesOf('{"items":[1,{"a":2}]}', '<ä', '>')).toBe('<ä1>\n<ä{"a":2}>\n');
    expect(linesOf('{"items":[1, {"a": 2}]}', '<ä', '>')).toBe('<ä1>\n<ä{"a":2}>\n');
  });

  it('writes lines into the room that it is given, and says how far', () => {
    const room = Buffer.alloc(100, '-');
    for (const text of ['{"items":[1,22]}', '{"items":[1, 22 ]}']) {
      const lines = documentOf(text).lines('', '', (bytes) => room.subarray(0, bytes));
      expect(Buffer.from(lines).toString()).toBe('1\n22\n');
      expect(room.toString()).toMatch(/^1\n22\n/);
    }
  });

  it('does not change the bytes of the response', () => {
    const bytes = Buffer.from('{"items":[1,2]}');
    rawDocument(bytes, ['items'])?.lines('', '');
    expect(bytes.toString()).toBe('{"items":[1,2]}');
  });

  it('parses what is asked for, without loss', () => {
    const document = documentOf('{"items":[{"id":9007199254740993},2],"10":1,"2":[3],"next":"x"}');
    expect(document.count).toBe(2);
    expect(document.first()).toEqual({ id: 9007199254740993n });
    expect(stringifyJson(document.around())).toBe('{"items":[],"10":1,"2":[3],"next":"x"}');
    expect(stringifyJson(document.data as never)).toBe(
      '{"items":[{"id":9007199254740993},2],"10":1,"2":[3],"next":"x"}',
    );
    expect(document.data).toBe(document.data);
  });

  it('gives the bytes of an item, and finds one by its bytes', () => {
    const document = documentOf('{"items":[{"id":1}, {"id":22},3],"id":{"id":4}}');
    expect([0, 1, 2].map((at) => Buffer.from(document.bytes(at)).toString())).toEqual(['{"id":1}', '{"id":22}', '3']);
    const has = (text: string): boolean => document.includes(Buffer.from(text));
    expect(['{"id":22}', '3', '{"id":4}', '2', '{"id":2'].map(has)).toEqual([true, true, false, false, false]);
  });

  it('has another print where long items differ at the ends', () => {
    const long = 'x'.repeat(3000);
    const printOf = (...ids: readonly number[]): string =>
      documentOf(JSON.stringify({ items: ids.map((id) => ({ a: long, id, b: long })) })).print();
    expect(printOf(1, 2, 3)).toBe(printOf(1, 2, 3));
    expect(new Set([printOf(1, 2, 3), printOf(4, 2, 3), printOf(1, 2, 4)]).size).toBe(3);
  });

  it('has a number for each id, which differs where the ids do, if all items have one', () => {
    const idsOf = (items: string) => documentOf(`{"items":${items}}`).ids();
    const [first, second, third] = idsOf('[{"id":1,"n":1},{"a":{"id":9}, "id" : "1"},{"id":1}]') ?? [];
    expect(first).toBe(third);
    expect(first).not.toBe(second);
    expect(idsOf('[{"id":"1"}]')).toEqual([second]);
    expect(idsOf('[{"id":1},{"n":1}]')).toBeUndefined();
  });

  it.each([
    ['one of each item', '[{"n":1,"at":"a"},{"a":{"at":9}, "at" : null },{"at":true}]', ['a', null, true]],
    ['the last one of a key that comes twice', '[{"at":1,"b":"at","at":2}]', [2]],
    ['without repeats one after another', '[{"at":"a"},{"at": "a"},{"at":"ab"},{"at":"a"}]', ['a', 'ab', 'a']],
    ['with escapes and other characters', '[{"at":"a\\"b\\u00e9"},{"at":"ü"}]', ['a"bé', 'ü']],
    [
      'with all digits',
      '[{"at":12345678901234567.25},{"at":9007199254740993}]',
      ['12345678901234567.25', 9007199254740993n],
    ],
    ['none where an item has none', '[{"at":1},{"AT":2,"x":"at"}]', undefined],
    ['none where one is an object', '[{"at":1},{"at":{"b":1}}]', undefined],
  ])('has the values of a key: %s', (_, items, values) => {
    expect(rawDocument(Buffer.from(items), [], 'at')?.values()).toEqual(values);
  });

  it('has no values where no key was looked for', () => {
    expect(documentOf('{"items":[{"id":1}]}').values()).toBeUndefined();
  });

  it('drops a byte order mark', () => {
    const document = documentOf('\uFEFF{"items":[1],"n":2}');
    expect(document.data).toEqual({ items: [1], n: 2 });
    expect(document.around()).toEqual({ items: [], n: 2 });
  });

  it('works on a part of a larger buffer', () => {
    const bytes = Buffer.from('xx{"items":[1,22]}yy').subarray(2, -2);
    expect(Buffer.from(rawDocument(bytes, ['items'])?.lines('', '') ?? []).toString()).toBe('1\n22\n');
  });

  it('the lines and the data say what the ordinary reader says', () => {
    fc.assert(
      fc.property(
        fc.array(fc.jsonValue(), { minLength: 1 }),
        fc.constantFrom(undefined, 1, '\n\t'),
        fc.bigInt({ min: 2n ** 53n, max: 2n ** 70n }),
        (list, space, large) => {
          const text = JSON.stringify({ items: [...list, 'LARGE'], 7: 'x' }, undefined, space).replace(
            '"LARGE"',
            `${large}`,
          );
          const document = rawDocument(Buffer.from(text), ['items']);
          if (document === undefined) return;
          const lines = Buffer.from(document.lines('', '')).toString().trimEnd().split('\n');
          expect(lines).toHaveLength(list.length + 1);
          expect(`{"7":"x","items":[${lines.map((line) => stringifyJson(parseJson(line))).join(',')}]}`).toBe(
            stringifyJson(document.data),
          );
          expect(stringifyJson(document.data)).toBe(stringifyJson(parseJson(text)));
        },
      ),
      { numRuns: runsOf(1000) },
    );
  });
});
