import * as t from 'io-ts';
import { isBlank } from '../../../core/json/blank';
import { isList, isObject } from '../../../core/json/keys';
import type { JsonArray, JsonObject } from '../../../core/model';
import { codec, expected, type Codec } from '../../codec/codec';
import { blank, tolerant } from '../../codec/schema';

type Body = JsonObject | JsonArray | undefined;

/**
 * `body` of a job (docs/extensions/request-bodies.md): an object or an array. An empty object is a body; an empty array is
 * none, since tools write it for what is not set.
 */
export const body: Codec<Body> = codec<Body>(
  'Body',
  tolerant({ type: ['object', 'array'] }, blank),
  (input, context) => {
    if (isObject(input)) return t.success(input);
    if (isBlank(input)) return t.success(undefined);
    return isList(input) ? t.success(input) : expected('an object or an array, which is sent as JSON', input, context);
  },
);
