import { secretsNamedIn } from '../../core/secrets/named';
import { isHidden, looksRandom, sensitivityOf } from '../../core/secrets/names';
import { isTokenForm, looksLikeToken, SCHEME } from '../../core/secrets/values';
import { isPagingParam } from './paging/names';

const SECRET_HEADER =
  /(?:api|access|app|auth|private|subscription|client)[-_]?(?:key|token|secret|id$)|token|secret|passw|^cookie$|^authorization$|session/;
const SECRET_PARAM =
  /^(?:api[-_]?key|key|apikey|(?:access|auth|api|private)?[-_]?token|(?:client[-_]?|app[-_]?)?secret|passw(?:or)?d|pwd|appid|app[-_]?key|sig|signature|subscription-key|code|jwt|sid|session(?:id)?|hapikey)$/i;
/** Headers that everybody knows, and names that say what their values are: these are no credentials. */
const PLAIN_HEADER =
  /^(?:accept|content|sec|if|access-control|x-forwarded|x-http-method)-|^(?:accept|user-agent|host|origin|referer|connection|cache-control|pragma|expect|range|te|via|date|from|dnt|priority|prefer|traceparent|x-requested-with|:.*)$|version|language|locale|time-?zone|(?:^|-)(?:type|format|platform|encoding|charset|method)$/;
/** One word before another, as schemes stand before credentials. */
const FIRST_WORD = /^[a-z][\w-]* +(?=\S+$)/i;

/** This tells whether a header holds a secret, by its lower-case name, or because its value is or names one. */
export const isSecretHeader = (name: string, value: string): boolean =>
  value !== '' &&
  (SECRET_HEADER.test(name) ||
    schemeOf(value) !== undefined ||
    isNamed(name, value) ||
    (PLAIN_HEADER.test(name)
      ? isTokenForm(value)
      : looksRandom(value.replace(FIRST_WORD, '')) || looksLikeToken(value)));

/** Whether a parameter holds a secret. */
export const isSecretParam = (name: string, value: string): boolean =>
  value !== '' && (SECRET_PARAM.test(name) || isSecret(name, value));

/**
 * Whether a member of a body holds a secret, by its name or by what it is.
 *
 * @example isSecret('consumer_key', 'ck_4f1d9b2a') // true
 */
export const isSecret = (name: string, value: string): boolean =>
  isNamed(name, value) || (!isPagingParam(name) && (isSchemed(value) || looksLikeToken(value)));

/**
 * The scheme in front of credentials.
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
