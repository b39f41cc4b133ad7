import { withSchema, type Codec } from '../codec/codec';
import { object } from '../codec/primitives';
import { blank, EXPRESSION, tolerant } from '../codec/schema';
import type { JsonObject } from '../../core/model';

/** An object whose values may be expressions (docs/language/expressions.md); the plan compiles them. */
export const expressions: Codec<JsonObject> = withSchema(object, () =>
  tolerant({ type: 'object', additionalProperties: EXPRESSION }, { type: 'array' }, blank),
);
