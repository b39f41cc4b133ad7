import type { JsonObject } from '../../../../src/core/model';
import { readDocument, typedVariables } from '../../../../src/language/requests/graphql/operation';
import type { Operation } from '../../../../src/language/requests/graphql/operation';
import { placeOfItems } from '../../../../src/language/requests/graphql/place-of-items';

/** The only operation of a document. */
function operationOf(text: string): Operation {
  const read = readDocument(text);
  if (read.kind === 'broken') throw new Error(read.because);
  const [operation] = read.operations;
  if (operation === undefined) throw new Error('no operation');
  return operation;
}
const placeIn = (text: string, path: string) => placeOfItems(operationOf(text), path.split('.'));

describe('readDocument', () => {
  it('a variable counts as used in arguments, nested values, directives and fragments', () => {
    const { variables, unused } = operationOf(
      'query($a: Int, $b: Int, $c: Boolean!, $d: Int, $e: Int = 5) { x(a: $a, in: { b: [$b] }) @include(if: $c) { ...F } } fragment F on X { y(d: $d) { ...F } }',
    );
    expect(variables).toEqual(['a', 'b', 'c', 'd']);
    expect(unused).toEqual(['e']);
  });

  it('names in strings and comments are no variables', () => {
    expect(operationOf('query($a: Int, $b: Int) { x(of: "$a") # $b\n }').variables).toEqual([]);
  });

  it.each([
    ['', 'Unexpected <EOF> (line 1, column 1)'],
    ['{ a\n  b( }', 'Expected Name, found "}" (line 2, column 6)'],
    ['type A { b: Int }', 'it defines a schema, and has to ask for data'],
    ['fragment A on B { c }', 'it has no operation'],
  ])('%j is no document', (text, because) => {
    expect(readDocument(text)).toEqual({ kind: 'broken', because });
  });

  it('a document that nests without end is none', () => {
    expect(readDocument('{a'.repeat(100_000))).toMatchObject({ kind: 'broken' });
  });
});

describe('placeOfItems', () => {
  const INFO = 'pageInfo { hasNextPage endCursor }';

  it.each<[string, string, string, object]>([
    ['an array', '{ ships { id } }', 'data.ships', { path: ['data', 'ships'] }],
    ['the whole data', '{ ships { id } }', 'data', { path: ['data'] }],
    ['inside a scalar, which may be JSON', '{ config }', 'data.config.rows', { path: ['data', 'config', 'rows'] }],
    ['an element', '{ ships { crew { id } } }', 'data.ships.0.crew', { path: ['data', 'ships', '0', 'crew'] }],
    [
      'an object with nodes of its own',
      '{ cluster { name nodes { id } } }',
      'data.cluster',
      { path: ['data', 'cluster'] },
    ],
    [
      'a connection',
      `query($c: ID) { a { s: ships(after: $c) { nodes { id } ${INFO} } } }`,
      'data.a.s',
      { path: ['data', 'a', 's', 'nodes'], connection: { path: ['data', 'a', 's'], asksForNext: true, after: 'c' } },
    ],
    [
      'nodes before edges',
      '{ s { edges { node { id } } nodes { id } } }',
      'data.s',
      { path: ['data', 's', 'nodes'], connection: { path: ['data', 's'], asksForNext: false } },
    ],
    [
      'edges without nodes are items themselves',
      '{ s { edges { id } totalCount } }',
      'data.s',
      { path: ['data', 's', 'edges'], connection: { path: ['data', 's'], asksForNext: false } },
    ],
    [
      'a literal cursor is no way to the next page',
      `{ s(after: "x") { edges { since node { id } } ${INFO} } }`,
      'data.s',
      {
        path: ['data', 's', 'edges'],
        edges: { fields: ['since'] },
        connection: { path: ['data', 's'], asksForNext: true },
      },
    ],
  ])('%s', (_, text, path, place) => {
    expect(placeIn(text, path)).toEqual({ kind: 'place', place });
  });

  it('a field that is selected twice is one', () => {
    expect(placeIn('{ s { nodes { id } } s { pageInfo { endCursor } } }', 'data.s')).toMatchObject({
      place: { path: ['data', 's', 'nodes'] },
    });
  });
});

function typed(declared: string, variables: JsonObject): JsonObject {
  const used = [...declared.matchAll(/\$(\w+)/g)].map(([, name = '']) => `${name}: $${name}`).join(', ');
  const read = readDocument(`query(${declared}) { ships(${used}) { id } }`);
  if (read.kind === 'broken') throw new Error(read.because);
  return typedVariables(variables, read.operations[0]?.types ?? new Map());
}

describe('docs/language/graphql.md: variables of declared types', () => {
  it('texts become numbers and booleans, also in lists', () => {
    const declared = '$a: Int!, $b: Float, $c: Boolean = true, $d: [Int!]!, $e: [[Float]]';
    expect(typed(declared, { a: '-7', b: '1.5e3', c: 'false', d: ['1', 2], e: [['2']] })).toEqual({
      a: -7,
      b: 1500,
      c: false,
      d: [1, 2],
      e: [[2]],
    });
  });

  it('other texts, and variables of other types, stay', () => {
    const variables = {
      a: 'x',
      b: '1.5',
      c: '1',
      d: '007',
      e: null,
      f: '12345678901234567890',
      g: '1.2345678901234567',
    };
    expect(typed('$a: Float, $b: Int, $c: Boolean, $d: ID!, $e: Int, $f: Int, $g: Float', variables)).toEqual(
      variables,
    );
    expect(typed('$a: String', { a: '7' })).toEqual({ a: '7' });
  });
});
