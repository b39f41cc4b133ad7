import { FatalError } from '../../src/core/errors/errors';
import type { Json } from '../../src/core/model';
import type { ItemSelector } from '../../src/plan/plan';
import { parseJson } from '../../src/core/json/parse';
import { stringifyJson } from '../../src/core/json/stringify';
import { rawDocument } from '../../src/core/json/raw-items';
import { findItems, itemsOf, withoutItems } from '../../src/sources/items';
import { aResponse } from '../support/requests';

const found = (selector: ItemSelector, data: Json | undefined) => {
  const { items, warning } = findItems(selector, data, 'users');
  return { items, ...(warning === undefined ? {} : { warning }) };
};
const at = (path: string, data: Json, delimiter = '.') => found({ path, delimiter }, data);
const detected = (data: Json) => found({ delimiter: '.' }, data);

describe('findItems with dataField (language 6.3)', () => {
  it.each<[string, string, Json, readonly Json[]]>([
    ['a list: its elements', 'a.b', { a: { b: [1, null, {}] } }, [1, null, {}]],
    ['a list by index', 'groups.0.members', { groups: [{ members: ['x'] }] }, ['x']],
    ['an object: one item', 'a', { a: { b: 1 } }, [{ b: 1 }]],
    ['an empty object: one item', 'a', { a: {} }, [{}]],
    ['a scalar: one item', 'a', { a: 'text' }, ['text']],
    ['. : the whole object', '.', { a: 1 }, [{ a: 1 }]],
    ['. : the whole list', '.', [1, 2], [1, 2]],
  ])('%s', (_, path, data, items) => {
    expect(at(path, data)).toEqual({ items });
  });

  it.each<[string, Json]>([
    ['missing', {}],
    ['null', { a: null }],
    ['false', { a: false }],
    ['0', { a: 0 }],
    ['empty text', { a: '' }],
    ['the text 0', { a: '0' }],
    ['an empty list', { a: [] }],
  ])('specification 4.3.1 rule 6: %s is no item, with the warning', (_, data) => {
    expect(at('a', data)).toEqual({ items: [], warning: 'dataField a contains no data!' });
  });

  it('takes another delimiter', () => {
    expect(at('a|b.c', { a: { 'b.c': [1] } }, '|')).toEqual({ items: [1] });
  });
});

describe('findItems without dataField (specification 4.2 rule 6, language 6.3)', () => {
  it.each<[string, Json, readonly Json[]]>([
    ['a list', [1, 2], [1, 2]],
    ['an empty list', [], []],
    ['the only list of an object', { next: 'x', rows: [1] }, [1]],
  ])('%s', (_, data, items) => {
    expect(detected(data)).toEqual({ items });
  });

  it('warns of an empty list by its key', () => {
    expect(detected({ rows: [] })).toEqual({ items: [], warning: 'dataField rows contains no data!' });
  });

  it('warns when there is no list', () => {
    const warning = 'No data array found in response! (endpoint: users)';
    expect(detected({ a: { rows: [1] } })).toEqual({ items: [], warning });
  });

  it('an empty body has no items', () => {
    expect(found({ delimiter: '.' }, undefined)).toEqual({ items: [] });
  });

  it('fails when there are several lists, and names them', () => {
    expect(() => detected({ b: [], a: [1] })).toThrow(
      /More than one array found in response! Use 'dataField'.*arrays in response root: b, a\)/,
    );
  });

  it.each<[string, Json]>([
    ['null', null],
    ['a number', 7],
    ['a string', 'x'],
    ['a big integer', 9007199254740993n],
  ])('fails for %s', (_, data) => {
    expect(() => detected(data)).toThrow(FatalError);
    expect(() => detected(data)).toThrow(/Unknown response from API/);
  });
});

describe('what stood at the place of the items', () => {
  it.each<[string, string | undefined, Json | undefined, object]>([
    ['a list', 'a.b', { a: { b: [1] } }, { kind: 'list', path: ['a', 'b'] }],
    ['an empty list', 'a', { a: [] }, { kind: 'list', path: ['a'] }],
    ['the whole list', '.', [1], { kind: 'list', path: [] }],
    ['a detected list', undefined, { rows: [1] }, { kind: 'list', path: ['rows'] }],
    ['an object', 'a', { a: {} }, { kind: 'value', path: ['a'] }],
    ['null', 'a', { a: null }, { kind: 'blank', value: null }],
    ['an empty string', 'a', { a: '' }, { kind: 'blank', value: '' }],
    ['nothing', 'a', { b: [1] }, { kind: 'missing' }],
    ['nothing to detect', undefined, { b: {} }, { kind: 'missing' }],
    ['an empty body', 'a', undefined, { kind: 'empty' }],
  ])('%s', (_, path, data, place) => {
    expect(findItems({ ...(path === undefined ? {} : { path }), delimiter: '.' }, data, 'users').place).toEqual(place);
  });
});

describe('withoutItems', () => {
  const text = '{"items": [{"a": 1.50}, {"b": "x\\n"}, {"c": [3, 4]}]}';
  const document = rawDocument(Buffer.from(text), ['items']);
  const reply = {
    response: aResponse({ text }),
    data: parseJson(text),
    ...(document === undefined ? {} : { raw: document }),
  };
  const found = itemsOf({ path: 'items', delimiter: '.' }, reply, 'x');

  it.each<[readonly number[], string, number]>([
    [[], '<{"a":1.50}>\n<{"b":"x\\n"}>\n<{"c":[3,4]}>\n', 3],
    [[0], '<{"b":"x\\n"}>\n<{"c":[3,4]}>\n', 2],
    [[1], '<{"a":1.50}>\n<{"c":[3,4]}>\n', 2],
    [[0, 2], '<{"b":"x\\n"}>\n', 1],
    [[0, 1, 2], '', 0],
  ])('without %j', (dropped, lines, count) => {
    const left = withoutItems(found, dropped);
    expect(Buffer.from(left.lines('<', '>')).toString()).toBe(lines);
    expect(left.count).toBe(count);
    expect(left.items).toEqual(found.items.filter((_, at) => !dropped.includes(at)));
    expect(left.place).toEqual(found.place);
  });

  it('leaves all digits to items that are numbers', () => {
    const numbers = '[1, 0.30000000000000000004, 9007199254740993]';
    const all = itemsOf({ delimiter: '.' }, { response: aResponse({ text: numbers }), data: parseJson(numbers) }, 'x');
    expect(stringifyJson(withoutItems(all, [0]).items)).toBe('[0.30000000000000000004,9007199254740993]');
  });

  it('writes into the room that it is given', () => {
    const room = Buffer.alloc(1000);
    expect(Buffer.from(withoutItems(found, [1]).lines('', '', (size) => room.subarray(0, size))).toString()).toBe(
      '{"a":1.50}\n{"c":[3,4]}\n',
    );
  });
});
