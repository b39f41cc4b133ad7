import { mistaken, type UnknownKeyPolicy } from '../codec/unknown-key';
import { looksLike } from '../codec/looks-like';
import { propertiesSchema, type Fields } from '../codec/record';
import { definitionOf, type Schema } from '../codec/schema';
import { likelyMeant } from '../codec/suggest';
import type { Json } from '../../core/model';
import { placeText, type Homes } from '../configuration/home';

/**
 * Keys of `config` that are not reserved are user attributes, of any name. Only what looks like a reserved key in name
 * and in content, or like another part of the language, is a mistake; and never what an expression reads.
 *
 * @param reserved the keys of `config`
 * @param homes where the other keys of the language belong
 * @param isReferenced whether an attribute of this name is read anywhere
 */
export const reservedMisspelled = (
  reserved: Fields,
  homes: () => Homes,
  isReferenced: (name: string) => boolean,
): UnknownKeyPolicy => {
  let known: Readonly<Record<string, Schema>> | undefined;
  return (key, value) => {
    if (value === undefined) return undefined;
    known ??= propertiesSchema(reserved);
    const message = complaint(key, value, known, homes);
    return message === undefined || isReferenced(key) ? undefined : mistaken(message);
  };
};

function complaint(
  key: string,
  value: Json,
  known: Readonly<Record<string, Schema>>,
  homes: () => Homes,
): string | undefined {
  const meant = likelyMeant(key, Object.keys(known));
  const schema = meant === undefined ? undefined : known[meant];
  if (schema !== undefined && looksLike(value, schema)) return `is only a user attribute; did you mean "${meant}"?`;
  // A switch is meant where it is switched on: `"cache": true`.
  const isSwitch = value === true;
  const home = isSwitch || (typeof value === 'object' && value !== null) ? homes().get(key) : undefined;
  if (home === undefined || !(isSwitch || isSection(home.schema)) || !looksLike(value, home.schema)) return undefined;
  return `has no effect here, but as a user attribute; it belongs to ${placeText(home)}`;
}

/** Tells whether a schema is that of an object of known keys, or of an array of these: a section of the language. */
function isSection(schema: Schema): boolean {
  const { anyOf, properties, items } = definitionOf(schema);
  if (properties !== undefined) return true;
  return items === undefined ? (anyOf ?? []).some(isSection) : isSection(items);
}
