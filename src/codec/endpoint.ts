import * as t from 'io-ts';
import { isObject } from '../json/keys';
import { codec, expected, type Codec } from './codec';

/** An endpoint (language 2.2): a text that is not empty. Functions are not evaluated in it. */
export const endpoint: Codec<string> = codec('Endpoint', { type: 'string', minLength: 1 }, (input, context) => {
  if (typeof input === 'string' && input !== '') return t.success(input);
  const hint = isObject(input) ? '; functions are not evaluated here, but in api.baseUrl they are' : '';
  return expected('the path or URL as text', input, context, hint);
});
