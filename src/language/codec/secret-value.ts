import * as t from 'io-ts';
import { isObject } from '../../core/json/keys';
import { isScalar, textOf } from '../../core/json/text';
import type { JsonObject } from '../../core/model';
import { codec, expected, type Codec } from './codec';
import { EXPRESSION, tolerant } from './schema';

/** A string that is not empty, or an expression that gives one. */
export const secretValue: Codec<string | JsonObject> = codec<string | JsonObject>(
  'SecretValue',
  () => tolerant({ allOf: [EXPRESSION], type: ['string', 'object'] }, { type: 'number' }),
  (input, context) => {
    if (isObject(input)) return t.success(input);
    const text = isScalar(input) ? textOf(input) : '';
    return text === '' ? expected('a string that is not empty, or an expression', input, context) : t.success(text);
  },
);
