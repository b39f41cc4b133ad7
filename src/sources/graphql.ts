import { FatalError } from '../core/errors/errors';
import { objectOf } from '../core/json/literals';
import type { Field } from '../core/json/literals';
import { isList, isObject, keysOf, ownValue } from '../core/json/objects';
import { isScalar, shortened, textOf, typeName } from '../core/json/scalars';
import type { Item, Json, Reply } from '../core/model';
import { responseValue } from './response-values';

/** The prefix for the names of fields of an edge. */
const PREFIX = 'edge_';

/**
 * Returns a function that replaces an edge of a GraphQL connection (docs/language/graphql.md#connections) by its node, with the fields of
 * the edge behind those of the node.
 *
 * @param fields the names of the fields of the edge
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

/** The maximum number of errors in a message. */
const MOST = 3;

/**
 * Returns the errors of a GraphQL response in words. They come with any status and beside a part of the data.
 *
 * @returns `undefined` where there are none
 * @example graphqlErrors(reply) // 'Denied (at ships.0.id)'
 */
export function graphqlErrors(reply: Reply): string | undefined {
  const errors = responseValue(reply, 'errors');
  if (errors === undefined || errors === null || (isList(errors) && errors.length === 0)) return undefined;
  const all = isList(errors) ? errors : [errors];
  const texts = all.slice(0, MOST).map(errorText);
  return `${texts.join('; ')}${all.length > texts.length ? ` (and ${all.length - texts.length} more)` : ''}`;
}

/**
 * Refuses a response with errors.
 *
 * @param path the place of the job in the configuration
 * @throws FatalError API_ERROR
 */
export function refuseGraphqlErrors(reply: Reply, path: string): void {
  const errors = graphqlErrors(reply);
  if (errors !== undefined) throw new FatalError('API_ERROR', `${path}: the API answers with errors: ${errors}`);
}

function errorText(error: Json): string {
  if (!isObject(error)) return 'an error without a message';
  const message = ownValue(error, 'message');
  const place = ownValue(error, 'path');
  const where = isList(place) ? ` (at ${place.filter(isScalar).map(textOf).join('.')})` : '';
  return `${typeof message === 'string' ? shortened(message) : 'an error without a message'}${where}`;
}
