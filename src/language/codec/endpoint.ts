import * as t from 'io-ts';
import { isObject } from '../../core/json/keys';
import type { JsonObject } from '../../core/model';
import { codec, expected, type Codec } from './codec';

/**
 * An endpoint (docs/language/requests.md#endpoints) is a string that is not empty. Functions are not evaluated in it.
 */
export const endpoint: Codec<string> = codec('Endpoint', { type: 'string', minLength: 1 }, (input, context) => {
  if (typeof input === 'string' && input !== '') return t.success(input);
  const hint = isObject(input) ? '; functions are not evaluated here, but in api.baseUrl they are' : '';
  return expected('the path or URL as a string', input, context, hint);
});

/** An endpoint, or an expression that gives one, which stays as it is (docs/extensions/functions.md). */
export const computedEndpoint: Codec<string | JsonObject> = codec<string | JsonObject>(
  'ComputedEndpoint',
  () => ({ anyOf: [endpoint.schema(), { title: 'Expression', type: 'object' }] }),
  (input, context) => (isObject(input) ? t.success(input) : endpoint.validate(input, context)),
);
