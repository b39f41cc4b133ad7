/** Which names stand for secrets, and which values under them are none: a log of asterisks helps nobody. */

/** `x-auth-token`, `accessToken`, `api_key`: one of these words, or several of them in a row. */
const SECRET_WORDS: ReadonlySet<string> = new Set(
  (
    'token secret password passwd passphrase passcode pwd authorization apikey accesskey privatekey secretkey signature sig ' +
    'hmac jwt session sessionid sessid sid cookie credential credentials csrf xsrf otp bearer assertion auth'
  ).split(' '),
);
const RUN_TOGETHER =
  /apikey|accesskey|privatekey|secretkey|(?:access|refresh|auth|id|security|csrf|session|bearer)token|sess(?:ion)?id|clientsecret|passwo?r?d|securitytoken/;
/** Words of keys that hold a position in an array, or something about a secret. */
const PUBLIC_WORDS: ReadonlySet<string> = new Set(
  (
    'page paging next previous prev continuation cursor scroll sync resume start delta skip after before type expires expiry ' +
    'expire expiration expired ttl limit remaining reset count length max min name url uri endpoint algorithm alg method ' +
    'version valid required policy hint status error headers date tokens signed issuer'
  ).split(' '),
);
/** Names that may as well be those of something else: only what looks like a secret counts under them. */
const WEAK_NAMES: ReadonlySet<string> = new Set([
  'key',
  'auth',
  'session',
  'cookie',
  'pass',
  'sig',
  'sid',
  'assertion',
]);

/** What is said in place of a secret. */
const PUBLIC_VALUE =
  /^(?:true|false|null|none|undefined|nan|expired|invalid|missing|required|unauthori[sz]ed|forbidden|denied|revoked|unknown|deleted|empty|blank|bearer|basic|digest|success|active|inactive|enabled|disabled|anonymous|guest|public|private|default|example|yes|no|ok|error|found|expected|string|number|array|object)$/i;
const SHORT_NUMBER = /^[-+]?[\d.,]{1,5}$/;
const SENTENCE = /^\S+\s/;
const SHORTEST = 4;

export type Sensitivity = 'secret' | 'perhaps' | 'public';

const known = new Map<string, Sensitivity>();
const MOST_KNOWN = 1_000;

/**
 * What a name says of the value under it, be it that of a header, a cookie, a parameter or a member.
 *
 * @example sensitivityOf('X-Amz-Signature') // 'secret'
 * @example sensitivityOf('nextPageToken') // 'public'
 */
export function sensitivityOf(name: string): Sensitivity {
  const before = known.get(name);
  if (before !== undefined) return before;
  if (known.size >= MOST_KNOWN) known.clear();
  const found = judged(name);
  known.set(name, found);
  return found;
}

function judged(name: string): Sensitivity {
  const words = name
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== '');
  if (words.some((word) => PUBLIC_WORDS.has(word))) return 'public';
  const joined = words.join('');
  if (WEAK_NAMES.has(joined)) return 'perhaps';
  return words.some((word) => SECRET_WORDS.has(word)) || RUN_TOGETHER.test(joined) ? 'secret' : 'public';
}

/** Whether a value under such a name must not be shown there. */
export function isHidden(value: string, sensitivity: Sensitivity): boolean {
  if (sensitivity === 'public' || value.length < SHORTEST) return false;
  if (PUBLIC_VALUE.test(value) || SHORT_NUMBER.test(value) || SENTENCE.test(value)) return false;
  return sensitivity === 'secret' || looksRandom(value);
}

/** Whether a value is nothing that a log says of its own: then it is masked wherever it appears. */
export const isDistinct = (value: string): boolean =>
  (value.length >= 6 && /\d/.test(value)) || (value.length >= 8 && /[^a-z]/.test(value)) || value.length >= 12;

/** Whether a value has at least eight characters, digits and letters among them. */
export const looksRandom = (value: string): boolean =>
  value.length >= 8 && /\d/.test(value) && /[a-z]/i.test(value) && !/\s/.test(value);
