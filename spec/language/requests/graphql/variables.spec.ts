import { readDocument } from '../../../../src/language/requests/graphql/operation';
import { typedVariables } from '../../../../src/language/requests/graphql/variables';
import type { JsonObject } from '../../../../src/core/model';

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
