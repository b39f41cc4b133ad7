import { FatalError } from '../../../src/core/errors/errors';
import { parseJson } from '../../../src/core/json/parse';
import type { Json } from '../../../src/core/model';
import type { TreeNode } from '../../../src/tables/automatic/structure';
import { Structure } from '../../../src/tables/automatic/structure';

/** A tree as text: `{a:scalar b:[object …]}`. */
function shape(node: TreeNode): string {
  if (node.kind === 'array') return `[${shape(node.elementNode())}]`;
  if (node.kind !== 'object') return node.kind;
  return `{${[...node.children].map(([key, child]) => `${key}:${shape(child)}`).join(' ')}}`;
}

function structureOf(items: readonly Json[], warnings: string[] = []): Structure {
  const structure = new Structure('t', (message) => void warnings.push(message));
  for (const item of items) structure.merge(item);
  return structure;
}

function failureOf(action: () => unknown): unknown {
  try {
    action();
  } catch (failure) {
    return failure;
  }
  return undefined;
}

const shapeOf = (...items: Json[]): string => shape(structureOf(items).root);
const withValues = (...values: Json[]): string => shapeOf(...values.map((x) => ({ x })));

describe('language 8.1: merging one value', () => {
  it.each<[string, Json, string]>([
    ['a string', 'a', 'scalar'],
    ['a number', 1, 'scalar'],
    ['a boolean', false, 'scalar'],
    ['an integer beyond 2^53', 9007199254740993n, 'scalar'],
    ['null', null, 'null'],
    ['an object', { a: 1, b: null }, '{a:scalar b:null}'],
    ['an empty object', {}, '{}'],
    ['a list', ['a'], '[scalar]'],
    ['an empty list', [], '[null]'],
    ['an array of objects', [{ a: 1 }, { b: 1 }], '[{a:scalar b:scalar}]'],
    ['a list in a list', [[1], [2]], '[scalar]'],
  ])('%s', (_, value, kind) => {
    expect(withValues(value)).toBe(`[{x:${kind}}]`);
  });

  it('keeps the keys in name order, also those that look like numbers', () => {
    expect(shape(structureOf(parseJson('[{"10":1,"2":1},{"1":1,"10":2}]') as Json[]).root)).toBe(
      '[{10:scalar 2:scalar 1:scalar}]',
    );
  });

  it('takes __proto__ and constructor as data', () => {
    expect(shape(structureOf([parseJson('{"__proto__":{"a":1},"constructor":"b"}')]).root)).toBe(
      '[{__proto__:{a:scalar} constructor:scalar}]',
    );
  });

  it('warns once for each place of a list in a list', () => {
    const warnings: string[] = [];
    structureOf([{ x: [[1], [2]] }, { x: [[3]], y: [[1]] }], warnings);
    expect(warnings).toEqual([
      "Converting nested array 't.[].x.[]' to JSON string.",
      "Converting nested array 't.[].y.[]' to JSON string.",
    ]);
  });
});

describe('language 8.1: a node that has another kind already', () => {
  it.each<[string, readonly Json[], string]>([
    ['null, then a scalar', [null, 1], 'scalar'],
    ['null, then an object', [null, { a: 1 }], '{a:scalar}'],
    ['null, then a list', [null, ['a']], '[scalar]'],
    ['a scalar, then null', [1, null], 'scalar'],
    ['an object, then null', [{ a: 1 }, null], '{a:scalar}'],
    ['a list, then null', [['a'], null], '[scalar]'],
    ['a scalar, then a list of scalars', ['a', ['b']], '[scalar]'],
    ['a scalar, then a list of null', ['a', [null]], '[scalar]'],
    ['a scalar, then an empty list', ['a', []], '[scalar]'],
    ['a list of scalars, then a scalar', [['b'], 'a'], '[scalar]'],
    ['a list of null, then a scalar', [[null], 'a'], '[scalar]'],
    ['an object, then a list of objects', [{ a: 1 }, [{ b: 1 }]], '[{b:scalar a:scalar}]'],
    ['an object, then an empty list', [{ a: 1 }, []], '[{a:scalar}]'],
    ['a list of objects, then an object', [[{ b: 1 }], { a: 1 }], '[{b:scalar a:scalar}]'],
    ['an empty list, then an object', [[], { a: 1 }], '[{a:scalar}]'],
  ])('%s', (_, values, kind) => {
    expect(withValues(...values)).toBe(`[{x:${kind}}]`);
  });

  it('puts the keys of the list first when an object turns into a list, at every depth', () => {
    expect(withValues({ a: { p: 1, q: 1 }, b: 1 }, [{ c: 1, a: { q: 1, r: 1 } }])).toBe(
      '[{x:[{c:scalar a:{q:scalar r:scalar p:scalar} b:scalar}]}]',
    );
  });

  it('finds lists beside lone values inside the object that turns into a list', () => {
    expect(withValues({ a: 'one', b: ['one'] }, [{ a: ['two'], b: 'two' }])).toBe('[{x:[{a:[scalar] b:[scalar]}]}]');
    expect(withValues({ a: { p: 1 }, b: [{ p: 1 }] }, [{ a: [{ q: 1 }], b: { q: 1 } }])).toBe(
      '[{x:[{a:[{q:scalar p:scalar}] b:[{q:scalar p:scalar}]}]}]',
    );
  });

  it.each<[string, readonly Json[], string]>([
    [
      'scalar and object',
      [{ x: 1 }, { x: { a: 1 } }],
      'Unhandled nodeType change from "scalar" to "object" in "t.[].x"',
    ],
    [
      'object and scalar',
      [{ x: { a: 1 } }, { x: 1 }],
      'Unhandled nodeType change from "object" to "scalar" in "t.[].x"',
    ],
    [
      'elements of one list',
      [{ x: [{ n: 1 }, 1] }],
      'Unhandled nodeType change from "object" to "scalar" in "t.[].x.[]"',
    ],
    [
      'deep in lists',
      [{ x: [{ n: 1 }, { n: {} }] }],
      'Unhandled nodeType change from "scalar" to "object" in "t.[].x.[].n"',
    ],
    ['items', [{ a: 1 }, 1], 'Unhandled nodeType change from "object" to "scalar" in "t.[]"'],
    [
      'scalar, then a list of objects',
      [{ x: 1 }, { x: [{ a: 1 }] }],
      "Data array in 't.[].x' contains incompatible types 'object' and 'scalar'",
    ],
    [
      'a list of objects, then a scalar',
      [{ x: [{ a: 1 }] }, { x: 1 }],
      "Data array in 't.[].x' contains incompatible types 'object' and 'scalar'",
    ],
    [
      'object, then a list of scalars',
      [{ x: { a: 1 } }, { x: [1] }],
      "Data array in 't.[].x' contains incompatible types 'scalar' and 'object'",
    ],
    [
      'a list of scalars, then an object',
      [{ x: [1] }, { x: { a: 1 } }],
      "Data array in 't.[].x' contains incompatible types 'scalar' and 'object'",
    ],
    [
      'inside an object that turns into a list',
      [{ x: { a: 1 } }, { x: [{ a: { b: 1 } }] }],
      'Unhandled nodeType change from "scalar" to "object" in "t.[].x.[].a"',
    ],
    [
      'a list of scalars inside an object that turns into a list',
      [{ x: { a: [1] } }, { x: [{ a: { b: 1 } }] }],
      "Data array in 't.[].x.[].a' contains incompatible types 'scalar' and 'object'",
    ],
    [
      'a lone value inside an object that turns into a list',
      [{ x: { a: { b: 1 } } }, { x: [{ a: [1] }] }],
      "Data array in 't.[].x.[].a' contains incompatible types 'scalar' and 'object'",
    ],
  ])('refuses %s', (_, items, message) => {
    const failure = failureOf(() => structureOf(items));
    expect(failure).toBeInstanceOf(FatalError);
    expect(failure).toMatchObject({ code: 'API_SHAPE' });
    expect(String(failure)).toContain(`Error parsing response JSON: ${message}`);
  });
});
