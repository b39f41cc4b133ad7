import { entriesOf, isList, isObject, objectFrom } from '../../core/json/keys';
import type { Json } from '../../core/model';
import { isSecret } from './secret-name';

/** A member of a body that is a secret. */
export interface BodySecret {
  readonly name: string;
  readonly secret: string;
}

/** The secrets of a body, at any depth. */
export function secretsOfBody(body: Json): readonly BodySecret[] {
  const found: BodySecret[] = [];
  replaceSecrets(body, (name, secret) => {
    found.push({ name, secret });
    return secret;
  });
  return found;
}

/**
 * A body with something else in the place of its secrets.
 *
 * @example replaceSecrets({ password: 'a1b2c3d4' }, () => null) // { password: null }
 */
export function replaceSecrets(body: Json, by: (name: string, secret: string) => Json, name = ''): Json {
  if (typeof body === 'string') return isSecret(name, body) ? by(name, body) : body;
  // Elements are called as their array.
  if (isList(body)) return body.map((each) => replaceSecrets(each, by, name));
  if (!isObject(body)) return body;
  return objectFrom(
    entriesOf(body).map(([key, value]): readonly [string, Json] => [key, replaceSecrets(value, by, key)]),
  );
}
