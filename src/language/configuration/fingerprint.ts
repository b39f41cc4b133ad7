import { createHash } from 'node:crypto';
import { entriesOf, isList, isObject, objectFrom } from '../../core/json/keys';
import { stringifyJson } from '../../core/json/stringify';
import type { Json } from '../../core/model';
import { askedBy } from './asked';

/**
 * Tells configurations apart that ask for different data. Secrets, whose names begin with `#`, do not count: they are
 * renewed while a run is interrupted. Nor does what a run is judged by, so that one which was refused can be resumed.
 *
 * It begins with what {@link configurationIn} gives.
 *
 * @example fingerprintOf({ api: { baseUrl: 'https://api.example/', '#token': 'a' } })
 */
export const fingerprintOf = (config: Json): string => {
  const exact = createHash('sha256')
    .update(stringifyJson(whatIsAsked(config, '')))
    .digest('base64url');
  return `${askedBy(config)}${SEPARATOR}${exact}`;
};

const SEPARATOR = '.';

/** The part of a fingerprint that stays where page sizes, limits and destinations change: that of the items that are asked for. */
export const configurationIn = (fingerprint: string): string => fingerprint.split(SEPARATOR, 1)[0] ?? '';

/** Settings that change nothing in what is asked: limits of tables, what becomes of incomplete runs, columns of the run, destinations. */
const JUDGING: ReadonlySet<string> = new Set(['maxColumns', 'completeness', 'runColumns', 'sinks']);

/** @param place the key of the value, or of the array that it is in */
function whatIsAsked(value: Json, place: string): Json {
  if (isList(value)) return value.map((element) => whatIsAsked(element, place));
  if (!isObject(value)) return value;
  const isSettings = place === 'config' || place === 'iterations';
  const counts = (key: string): boolean => !key.startsWith('#') && !(isSettings && JUDGING.has(key));
  return objectFrom(
    entriesOf(value).flatMap(([key, inner]) => (counts(key) ? [[key, whatIsAsked(inner, key)] as const] : [])),
  );
}
