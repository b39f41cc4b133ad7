import * as fc from 'fast-check';
import { anyText } from '../../support/any-text';
import { objectFrom } from '../../../src/core/json/objects';
import type { Json, JsonObject } from '../../../src/core/model';

const key = fc.oneof(
  anyText(),
  fc.constantFrom('10', '2', '0', '007', '-1', '4294967295', '__proto__', 'constructor', 'toString', '', 'a.b', 'é'),
);
const bigInteger = fc.oneof(
  fc.bigInt({ min: 2n ** 53n, max: 2n ** 200n }),
  fc.bigInt({ min: -(2n ** 200n), max: -(2n ** 53n) }),
);
const fraction = fc
  .double({ noNaN: true, noDefaultInfinity: true })
  .filter((value) => !Number.isInteger(value) || Math.abs(value) >= 1e21);
const scalar: fc.Arbitrary<Json> = fc.oneof(
  fc.constant(null),
  fc.boolean(),
  fc.maxSafeInteger(),
  fraction,
  bigInteger,
  anyText(),
);

const values = fc.letrec<{ json: Json; object: JsonObject }>((tie) => ({
  json: fc.oneof({ depthSize: 'small' }, scalar, fc.array(tie('json'), { maxLength: 5 }), tie('object')),
  object: fc.array(fc.tuple(key, tie('json')), { maxLength: 6 }).map(objectFrom),
}));

/** Any value that {@link Json} can hold: also long integers, keys that look like numbers, and `__proto__`. */
export const anyJson = values.json;
/** Any object of such values. */
export const anyObject = values.object;
