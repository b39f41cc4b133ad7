import { entriesOf, objectFrom } from '../../core/json/objects';
import type { JsonObject } from '../../core/model';
import type { Input } from './codec';
import { likelyMeant } from './finding';
import type { Finding } from './finding';
import type { Schema } from './schema';

/** JSON has no comments: people write them as keys that begin like one (docs/language/configuration.md#comments). */
export const isComment = (key: string): boolean => key.startsWith('//');

/** An object of names that the author chooses, without the comments among them. */
export const withoutComments = (written: JsonObject): JsonObject =>
  objectFrom(entriesOf(written).filter(([key]) => !isComment(key)));

/** In the schema of an object of chosen names: a comment may be anything. */
export const COMMENTS: Pick<Schema, 'patternProperties'> = { patternProperties: { '^//': {} } };

/** The complaint about a key; with the code, the key is refused unless decoding is lenient. */
export type KeyComplaint = Omit<Finding, 'path'>;

/**
 * An unknown-key policy: says what is wrong with a key that is no field of a record, or nothing when it may stand there.
 */
export type UnknownKeyPolicy = (key: string, value: Input, names: readonly string[]) => KeyComplaint | undefined;

/** A key that means nothing here, while it is known which one was meant, or where it belongs: a mistake. */
export const mistaken = (message: string): KeyComplaint => ({ message, code: 'MISTAKEN_KEY' });

/** A key without effect that its author may well have meant as it stands: worth a warning, never a refusal. */
export const ignored = (message: string): KeyComplaint => ({ message });

/** The policy that allows any key, without a warning. */
export const anyKey: UnknownKeyPolicy = () => undefined;

/** A note that people write everywhere; the names of keys that are like it are not what they mean. */
const NOTE = 'name';

/** People switch a key off, or write notes, with a sign before it: `_params`, `$comment`. */
const isSwitchedOff = (key: string): boolean => /^[^\p{L}\p{N}#\s"']/u.test(key);

/**
 * The usual policy: a key has no effect, and the message says what was likely meant (docs/language/configuration.md#the-two-forms). Where that
 * is known, the key is a mistake.
 *
 * @param hints for keys that are often put here: where they belong, or what to write
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
