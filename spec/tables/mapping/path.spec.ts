import { parseJson } from '../../../src/core/json/parse';
import { compilePath, valueAtPath } from '../../../src/tables/mapping/path';

const ITEM = parseJson(
  '{"id":1,"a":{"b":[10,{"c":"deep","p.q":"inner"},null]},"x.y":"dotted","10":"ten","gone":null,"__proto__":"data"}',
);
const at = (path: string, delimiter = '.') => valueAtPath(ITEM, compilePath(path, delimiter));

describe('paths of mappings', () => {
  it.each([
    ['id', 1],
    ['a.b.0', 10],
    ['a.b.1.c', 'deep'],
    ['a.b.-2.c', 'deep'],
    ['a.b.-3', 10],
    ['10', 'ten'],
    ['gone', null],
    ['__proto__', 'data'],
    ['x.y', 'dotted'],
    ['a.b.1.p.q', 'inner'],
  ])('language 0.4 rule 1: %s', (path, value) => {
    expect(at(path)).toEqual(value);
  });

  it.each([
    'b',
    'id.b',
    'a.b.c',
    'a.b.3',
    'a.b.-1',
    'a.b.-4',
    'a.b.-0',
    'a.b.00',
    'constructor',
    'gone.x',
    'a.b.length',
    'x',
    'x.y.z',
  ])('language 0.4 rule 4: %s is missing', (path) => {
    expect(at(path)).toBeUndefined();
  });

  it('language 0.4 rule 1: a null element of a list is missing', () => {
    expect(at('a.b.2')).toBeUndefined();
  });

  it.each([
    ['.', '.'],
    ['', '.'],
    ['/', '/'],
    ['', '/'],
  ])('language 8.10: path "%s" with delimiter "%s" is the item itself', (path, delimiter) => {
    expect(at(path, delimiter)).toBe(ITEM);
  });

  it('language 0.4 rule 3: another delimiter reaches keys with a dot', () => {
    expect(at('x.y', '/')).toBe('dotted');
    expect(at('a/b/0', '/')).toBe(10);
    expect(at('.', '/')).toBeUndefined();
  });
});
