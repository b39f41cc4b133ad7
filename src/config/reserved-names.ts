import { isBlank } from '../json/blank';
import { isList, keysOf } from '../json/keys';
import type { Input } from '../codec/codec';
import { asObject, numericValue } from '../codec/primitives';
import { likelyMeant } from '../codec/suggest';
import { mistaken, type KeyJudge } from '../codec/unknown-key';

const isText = (value: Input): boolean => typeof value === 'string';
const isAnObject = (value: Input): boolean => !isList(value) && !isBlank(value) && asObject(value) !== undefined;
const isListOfObjects = (value: Input): boolean => isList(value) && value.length > 0 && value.every(isAnObject);
const holds =
  (key: string) =>
  (value: Input): boolean =>
    isAnObject(value) && keysOf(asObject(value) ?? {}).includes(key);
const isNumber = (value: Input): boolean => numericValue(value) !== undefined;
const SWITCHES: readonly Input[] = [true, false, 0, 1, 'true', 'false', '0', '1'];
const isSwitch = (value: Input): boolean => SWITCHES.includes(value);
const isAddress = (value: Input): boolean => typeof value === 'string' && /^[a-z]+:/.test(value);
const isAddresses = (value: Input): boolean => isAddress(value) || (isList(value) && value.some(isAddress));

/** How the values of reserved keys look. Only then is a similar name taken for a slip. */
const LOOKS: Readonly<Record<string, (value: Input) => boolean>> = {
  jobs: isListOfObjects,
  outputBucket: isText,
  incrementalOutput: isSwitch,
  mappings: isAnObject,
  primaryKeys: isAnObject,
  userData: isAnObject,
  http: holds('headers'),
  compatLevel: isNumber,
  requestLimit: isNumber,
  concurrency: isNumber,
  prefetch: isNumber,
  ordered: isSwitch,
  completeness: isText,
  sinks: isAddresses,
  maxColumns: isNumber,
};

/** Parts of the language that are often put into `config`: how they look, and where they belong. */
const STRAYS: Readonly<Record<string, { readonly looks: (value: Input) => boolean; readonly place: string }>> = {
  iterations: { looks: isListOfObjects, place: 'beside api and config' },
  api: { looks: holds('baseUrl'), place: 'beside config' },
  config: { looks: holds('jobs'), place: 'here itself: its content is meant, not a config inside config' },
  pagination: { looks: holds('method'), place: 'in api' },
  authentication: { looks: holds('type'), place: 'in api' },
  retryConfig: { looks: isAnObject, place: 'in api' },
  rateLimit: { looks: holds('requests'), place: 'in api.http, or in a job' },
  sshProxy: { looks: isAnObject, place: 'beside api and config' },
  aws: { looks: holds('signature'), place: 'beside api and config' },
};

/**
 * Keys of `config` that are not reserved are user attributes, of any name. Only what looks like a reserved key in name
 * and in content, or like another part of the language, is a mistake; and never what an expression reads.
 *
 * @param isReferenced whether an attribute of this name is read anywhere
 */
export const reservedMisspelled =
  (isReferenced: (name: string) => boolean): KeyJudge =>
  (key, value) => {
    const message = complaint(key, value);
    return message === undefined || isReferenced(key) ? undefined : mistaken(message);
  };

function complaint(key: string, value: Input): string | undefined {
  const stray = Object.hasOwn(STRAYS, key) ? STRAYS[key] : undefined;
  if (stray?.looks(value) === true) return `has no effect here, but as a user attribute; it belongs ${stray.place}`;
  const meant = likelyMeant(key, Object.keys(LOOKS));
  return meant !== undefined && LOOKS[meant]?.(value) === true
    ? `is only a user attribute; did you mean "${meant}"?`
    : undefined;
}
