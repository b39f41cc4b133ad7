import { parseJson } from '../../src/core/json/parse';
import { stringifyJson } from '../../src/core/json/stringify';
import { nodeOf } from '../../src/sources/graphql';

const made = (fields: readonly string[], edge: string): string =>
  stringifyJson(nodeOf(fields, 'jobs[0]')(parseJson(edge)));

describe('nodeOf', () => {
  it.each<[string, readonly string[], string, string]>([
    ['the node', [], '{"cursor":"c","node":{"id":1}}', '{"id":1}'],
    ['no node', [], '{"node":null}', 'null'],
    ['no edge', ['since'], 'null', 'null'],
    ['fields of the edge', ['since'], '{"since":1,"node":{"id":2}}', '{"id":2,"edge_since":1}'],
    ['an absent field', ['since'], '{"node":{"id":2}}', '{"id":2,"edge_since":null}'],
    ['fields of an edge without a node', ['since'], '{"since":1,"node":null}', '{"edge_since":1}'],
  ])('%s', (_, fields, edge, item) => {
    expect(made(fields, edge)).toBe(item);
  });

  it.each<[string, readonly string[], string, string]>([
    ['a node that is missing', [], '{"id":1}', 'jobs[0]: expected an edge with a "node"'],
    ['an edge that is a string', [], '"x"', 'expected an edge with a "node"'],
    ['a node that is no object', ['since'], '{"since":1,"node":5}', 'expected a "node" that is an object'],
    ['two fields with a name', ['x'], '{"x":1,"node":{"edge_x":2}}', 'two fields with the name "edge_x"'],
  ])('%s is an error', (_, fields, edge, message) => {
    expect(() => made(fields, edge)).toThrow(message);
  });
});
