import { FatalError } from '../../core/errors/errors';
import { isList, isObject, ownValue } from '../../core/json/keys';
import { isScalar, shortened, textOf } from '../../core/json/text';
import type { Json, Reply } from '../../core/model';
import { replyValue } from '../reply-value';

/** Errors that are shown. */
const MOST = 3;

/**
 * The errors of a GraphQL response, which come with any status and beside a part of the data, in words.
 *
 * @returns `undefined` where there are none
 * @example graphqlErrors(reply) // 'Denied (at ships.0.id)'
 */
export function graphqlErrors(reply: Reply): string | undefined {
  const errors = replyValue(reply, 'errors');
  if (errors === undefined || errors === null || (isList(errors) && errors.length === 0)) return undefined;
  const all = isList(errors) ? errors : [errors];
  const told = all.slice(0, MOST).map(errorText);
  return `${told.join('; ')}${all.length > told.length ? ` (and ${all.length - told.length} more)` : ''}`;
}

/**
 * Refuses a response with errors.
 *
 * @param path the place of the job in the configuration
 * @throws FatalError API_ERROR
 */
export function refuseGraphqlErrors(reply: Reply, path: string): void {
  const told = graphqlErrors(reply);
  if (told !== undefined) throw new FatalError('API_ERROR', `${path}: the API answers with errors: ${told}`);
}

function errorText(error: Json): string {
  if (!isObject(error)) return 'an error without a message';
  const message = ownValue(error, 'message');
  const place = ownValue(error, 'path');
  const where = isList(place) ? ` (at ${place.filter(isScalar).map(textOf).join('.')})` : '';
  return `${typeof message === 'string' ? shortened(message) : 'an error without a message'}${where}`;
}
