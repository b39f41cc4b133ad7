import { FatalError } from '../core/errors/errors';
import { isObject, keysOf, ownValue } from '../core/json/keys';
import { objectOf } from '../core/json/literals';
import type { Field } from '../core/json/literals';
import { typeName } from '../core/json/text';
import type { Item } from '../core/model';

/** What stands before the names of fields of an edge. */
const PREFIX = 'edge_';

/**
 * The item that an edge of a GraphQL connection leads to (docs/language/graphql.md#connections): its node, with the
 * fields of the edge itself behind those of the node.
 *
 * @param fields of the edge
 * @param path the place of the job in the configuration
 * @returns a function of one edge
 * @throws FatalError API_SHAPE from the function, where there is no node, or names meet
 * @example nodeOf(['since'], 'config.jobs[0]')({ since: 2020, node: { id: 1 } }) // { id: 1, edge_since: 2020 }
 */
export const nodeOf =
  (fields: readonly string[], path: string) =>
  (edge: Item): Item => {
    if (edge === null) return edge;
    const node = isObject(edge) ? ownValue(edge, 'node') : undefined;
    if (!isObject(edge) || node === undefined)
      throw new FatalError('API_SHAPE', `${path}: expected an edge with a "node", found ${typeName(edge)} without one`);
    if (fields.length === 0) return node;
    if (!isObject(node ?? {}))
      throw new FatalError('API_SHAPE', `${path}: expected a "node" that is an object, found ${typeName(node)}`);
    const own: readonly Field[] = isObject(node) ? keysOf(node).map((key) => ({ key, holder: node, from: key })) : [];
    const beside = fields.map((from) => ({ key: `${PREFIX}${from}`, holder: edge, from }));
    const both = beside.find(({ key }) => own.some((field) => field.key === key));
    if (both === undefined) return objectOf([...own, ...beside]);
    const message = `${path}: an item would have two fields with the name "${both.key}": give one another name in the query.`;
    throw new FatalError('API_SHAPE', message);
  };
