import { secretsNamedIn } from '../secrets/named';
import { isHidden, looksRandom, sensitivityOf } from '../secrets/names';

const SECRET_HEADER =
  /(?:api|access|app|auth|private|subscription|client)[-_]?(?:key|token|secret|id$)|token|secret|passw|^cookie$|^authorization$|session/;
const SECRET_PARAM =
  /^(?:api[-_]?key|key|apikey|(?:access|auth|api|private)?[-_]?token|(?:client[-_]?|app[-_]?)?secret|passw(?:or)?d|pwd|appid|app[-_]?key|sig|signature|subscription-key|code|jwt|sid|session(?:id)?|hapikey)$/i;
/** Headers that everybody knows, and names that say what their values are: these are no credentials. */
const PLAIN_HEADER =
  /^(?:accept|content|sec|if|access-control|x-forwarded|x-http-method)-|^(?:accept|user-agent|host|origin|referer|connection|cache-control|pragma|expect|range|te|via|date|from|dnt|priority|prefer|traceparent|x-requested-with|:.*)$|version|language|locale|time-?zone|(?:^|-)(?:type|format|platform|encoding|charset|method)$/;
/** What stands before credentials: `Bearer`, `Token`. */
const SCHEME = /^[a-z][\w-]* +(?=\S+$)/i;

/** Whether a header holds a secret, by its lower-case name, or because its value names one. */
export const isSecretHeader = (name: string, value: string): boolean =>
  value !== '' &&
  (SECRET_HEADER.test(name) || isSecret(name, value) || (!PLAIN_HEADER.test(name) && looksRandom(value)));

/** Whether a parameter holds a secret. */
export const isSecretParam = (name: string, value: string): boolean =>
  value !== '' && (SECRET_PARAM.test(name) || isSecret(name, value));

/**
 * Whether a member of a body holds a secret.
 *
 * @example isSecret('consumer_key', 'ck_4f1d9b2a') // true
 */
export const isSecret = (name: string, value: string): boolean =>
  isHidden(value.replace(SCHEME, ''), sensitivityOf(name)) ||
  (/key$/i.test(name) && looksRandom(value)) ||
  secretsNamedIn(value).length > 0;
