import { entriesOf, isList, isObject, objectFrom } from '../../core/json/objects';
import type { Json, JsonObject } from '../../core/model';
import {
  SCHEME,
  isHidden,
  isTokenForm,
  looksLikeToken,
  looksRandom,
  secretsNamedIn,
  sensitivityOf,
} from '../../core/secrets/names';
import { isPagingParam } from './paging/names';

const SECRET_HEADER =
  /(?:api|access|app|auth|private|subscription|client)[-_]?(?:key|token|secret|id$)|token|secret|passw|^cookie$|^authorization$|session/;
const SECRET_PARAM =
  /^(?:api[-_]?key|key|apikey|(?:access|auth|api|private)?[-_]?token|(?:client[-_]?|app[-_]?)?secret|passw(?:or)?d|pwd|appid|app[-_]?key|sig|signature|subscription-key|code|jwt|sid|session(?:id)?|hapikey)$/i;
/** Well-known headers and names of plain values, which are no credentials. */
const PLAIN_HEADER =
  /^(?:accept|content|sec|if|access-control|x-forwarded|x-http-method)-|^(?:accept|user-agent|host|origin|referer|connection|cache-control|pragma|expect|range|te|via|date|from|dnt|priority|prefer|traceparent|x-requested-with|:.*)$|version|language|locale|time-?zone|(?:^|-)(?:type|format|platform|encoding|charset|method)$/;
/** Matches one word before another, like a scheme before credentials. */
const FIRST_WORD = /^[a-z][\w-]* +(?=\S+$)/i;

/** Returns whether a header contains a secret, by its lower-case name or by its value. */
export const isSecretHeader = (name: string, value: string): boolean =>
  value !== '' &&
  (SECRET_HEADER.test(name) ||
    schemeOf(value) !== undefined ||
    isNamed(name, value) ||
    (PLAIN_HEADER.test(name)
      ? isTokenForm(value)
      : looksRandom(value.replace(FIRST_WORD, '')) || looksLikeToken(value)));

/** Returns whether a parameter contains a secret. */
export const isSecretParam = (name: string, value: string): boolean =>
  value !== '' && (SECRET_PARAM.test(name) || isSecret(name, value));

/**
 * Returns whether a member of a body contains a secret, by its name or by its value.
 *
 * @example isSecret('consumer_key', 'ck_4f1d9b2a') // true
 */
const isSecret = (name: string, value: string): boolean =>
  isNamed(name, value) || (!isPagingParam(name) && (isSchemed(value) || looksLikeToken(value)));

/**
 * Returns the scheme before credentials.
 *
 * @example schemeOf('Bearer a1b2') // 'Bearer'
 */
export const schemeOf = (value: string): string | undefined =>
  SCHEME.test(value) && FIRST_WORD.test(value) ? value.split(' ', 1)[0] : undefined;

/** Outside of headers, `basic training` may be two words. */
const isSchemed = (value: string): boolean =>
  schemeOf(value) !== undefined && !/^[a-z]+$/i.test(value.replace(FIRST_WORD, ''));

const isNamed = (name: string, value: string): boolean =>
  isHidden(value.replace(FIRST_WORD, ''), sensitivityOf(name)) ||
  (/key$/i.test(name) && looksRandom(value)) ||
  secretsNamedIn(value).length > 0;

/** A member of a body that is a secret. */
export interface BodySecret {
  readonly name: string;
  readonly secret: string;
}

/** Returns the secrets of a body, at any depth. */
export function secretsOfBody(body: Json): readonly BodySecret[] {
  const found: BodySecret[] = [];
  replaceSecrets(body, (name, secret) => {
    found.push({ name, secret });
    return secret;
  });
  return found;
}

/**
 * Returns a body whose secrets are replaced.
 *
 * @example replaceSecrets({ password: 'a1b2c3d4' }, () => null) // { password: null }
 */
export function replaceSecrets(body: Json, by: (name: string, secret: string) => Json, name = ''): Json {
  if (typeof body === 'string') return isSecret(name, body) ? by(name, body) : body;
  // Elements have the name of their array.
  if (isList(body)) return body.map((each) => replaceSecrets(each, by, name));
  if (!isObject(body)) return body;
  return objectFrom(
    entriesOf(body).map(([key, value]): readonly [string, Json] => [key, replaceSecrets(value, by, key)]),
  );
}

/** A reference to a secret in a written configuration. */
export interface SecretReference {
  readonly value: Json;
  /** Keys of `config` that it needs. */
  readonly attributes: JsonObject;
}

/**
 * Returns a reference to a secret, or the secret itself for a configuration that is run at once, and not written.
 *
 * @param secret the secret itself, if it is known and may be in the configuration
 */
export const secretReference = (attribute: string, secret?: string): SecretReference => ({
  value: { attr: attribute },
  attributes: { [attribute]: secret ?? { env: variableOf(attribute) } },
});

/** Returns the variable of an attribute, `#token` → `API_TOKEN`: a name such as `USER` alone has a meaning in every shell. */
export function variableOf(attribute: string): string {
  const words = attribute.replace(/([a-z])(?=[A-Z])/g, '$1_').match(/[A-Za-z0-9]+/g) ?? [];
  const name = words.join('_').toUpperCase();
  return name.startsWith('API_') ? name : `API_${name}`;
}
