import { entriesOf, objectFrom } from '../../core/json/objects';
import type { JsonObject } from '../../core/model';
import type { Input } from './codec';
import { likelyMeant } from './finding';
import type { Finding } from './finding';
import type { Schema } from './schema';

/**
 * Returns whether a key is a comment: JSON has no comments, so people write them as such keys
 * (docs/language/configuration.md#comments).
 */
export const isComment = (key: string): boolean => key.startsWith('//');

/** Returns an object of names that the author chooses, without the comments among them. */
export const withoutComments = (written: JsonObject): JsonObject =>
  objectFrom(entriesOf(written).filter(([key]) => !isComment(key)));

/** The part of the schema of an object of free names that allows comments. */
export const COMMENTS: Pick<Schema, 'patternProperties'> = { patternProperties: { '^//': {} } };

/** The complaint about a key. With a code, the key is refused unless decoding is lenient. */
export type KeyComplaint = Omit<Finding, 'path'>;

/**
 * A policy for unknown keys: returns the complaint about a key that is not a field of a record, or nothing if it is
 * allowed.
 */
export type UnknownKeyPolicy = (key: string, value: Input, names: readonly string[]) => KeyComplaint | undefined;

/** Returns the complaint about a key that is a mistake, because the right key or the right place is known. */
export const mistaken = (message: string): KeyComplaint => ({ message, code: 'MISTAKEN_KEY' });

/** Returns the complaint about a key without effect that the author may have intended: a warning, never a refusal. */
export const ignored = (message: string): KeyComplaint => ({ message });

/** Returns the policy that allows any key, without a warning. */
export const anyKey: UnknownKeyPolicy = () => undefined;

/** A key that people use for notes everywhere; similar keys are not misspellings of it. */
const NOTE = 'name';

/**
 * Returns whether a key begins with a sign: people switch keys off or write notes that way, such as `_params` or
 * `$comment`.
 */
const isSwitchedOff = (key: string): boolean => /^[^\p{L}\p{N}#\s"']/u.test(key);

/**
 * Returns the usual policy: a key has no effect, and the message names a similar key
 * (docs/language/configuration.md#the-two-forms). If there is one, the key is a mistake.
 *
 * @param hints hints for keys that are often written here: where they belong, or what to write
 */
export const unknownKey =
  (hints: Readonly<Record<string, string>> = {}): UnknownKeyPolicy =>
  (key, _, names) => {
    if (isComment(key)) return undefined;
    if (Object.hasOwn(hints, key)) return mistaken(`has no effect here; ${hints[key]}`);
    if (isSwitchedOff(key) || key === NOTE) return ignored('has no effect: unknown key');
    const [first = '', ...rest] = key.split('.');
    if (rest.length > 0 && names.includes(first))
      return mistaken(
        `has no effect: a key is one name, not a path; did you mean "${rest.join('.')}" inside "${first}"?`,
      );
    const meant = likelyMeant(key, names);
    if (meant !== undefined) return { ...mistaken(`has no effect: unknown key; did you mean "${meant}"?`), meant };
    return { ...ignored('has no effect: unknown key'), isUnknown: true };
  };
