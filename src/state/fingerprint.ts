import { createHash } from 'node:crypto';
import { entriesOf, isList, isObject, objectFrom } from '../json/keys';
import { stringifyJson } from '../json/stringify';
import type { Json } from '../model';

/**
 * Tells configurations apart that ask for different data. Secrets, whose names begin with `#`, do not count: they are
 * renewed while a run is broken off.
 *
 * @example fingerprintOf({ api: { baseUrl: 'https://api.example/', '#token': 'a' } })
 */
export const fingerprintOf = (config: Json): string =>
  createHash('sha256')
    .update(stringifyJson(withoutSecrets(config)))
    .digest('base64url');

function withoutSecrets(value: Json): Json {
  if (isList(value)) return value.map(withoutSecrets);
  if (!isObject(value)) return value;
  return objectFrom(
    entriesOf(value).flatMap(([key, inner]) => (key.startsWith('#') ? [] : [[key, withoutSecrets(inner)] as const])),
  );
}
