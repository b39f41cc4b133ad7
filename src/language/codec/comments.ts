import { entriesOf, objectFrom } from '../../core/json/keys';
import type { JsonObject } from '../../core/model';
import type { Schema } from './schema';

/** JSON has no comments: people write them as keys that begin like one (docs/language/configuration.md#comments). */
export const isComment = (key: string): boolean => key.startsWith('//');

/** An object of names that the author chooses, without the comments among them. */
export const withoutComments = (written: JsonObject): JsonObject =>
  objectFrom(entriesOf(written).filter(([key]) => !isComment(key)));

/** In the schema of an object of chosen names: a comment may be anything. */
export const COMMENTS: Pick<Schema, 'patternProperties'> = { patternProperties: { '^//': {} } };
