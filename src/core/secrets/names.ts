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

/** Which values are secrets whatever they are called. */

/** What stands before credentials in a header. */
export const SCHEME = /^(?:bearer|basic|token|digest|negotiate|apikey)\s+/i;

/** How issuers begin their tokens, so that scanners find them: GitHub, GitLab, Stripe, Shopify, Slack, AWS, Google and others. */
const PREFIXED = new RegExp(
  `^(?:${[
    ...['gh[opsur]_', 'github_pat_', 'gl(?:pat|oas|dt|rt|cbt|ptt|ft|soat|agent|imt)-', 'whsec_', 'shp(?:at|ca|pa|ss)_'],
    ...['[spr]k[-_](?:live|test|prod|proj|ant|svcacct|admin)', 'xox[a-z]-', 'xapp-', '(?:AKIA|ASIA)(?=[A-Z0-9]{16})'],
    ...['AIza', 'ya29\\.', 'GOCSPX-', 'SG\\.', 'hf_', 'npm_', 'pypi-', 'do[opr]_v1_', 'ntn_', 'lin_api_', 'figd_'],
    ...['pat-[a-z]+\\d-', 'sq0[a-z]{3}-', 'NRAK-', 'ATATT', 'gsk_', 'glsa_', 'sntry[su]_', 'c[ks]_', 'eyJ'],
  ].join('|')})`,
);
/** A prefix may begin a word: a token goes on for so long, without blanks. */
const PREFIXED_LENGTH = 16;
const PREFIXED_ALPHABET = /^[\w.~+/=:-]+$/;
/** Three parts of base64url, of which the first is an object of JSON. */
const JWT = /^ey[\w-]{8,}\.[\w-]{2,}\.[\w.-]*$/;

/** This tells whether a value has the form that issuers give their tokens: that of a JWT, or a prefix that is known. */
export const isTokenForm = (value: string): boolean =>
  JWT.test(value) || (value.length >= PREFIXED_LENGTH && PREFIXED.test(value) && PREFIXED_ALPHABET.test(value));

const HEX = /^[\da-f]{32,}$/i;
const BASE64 = /^[\w+/-]{24,}={0,2}$/;
const ONE_CASE = /[\da-z]{24,}/i;

/**
 * This tells whether a value is a token by its form, or since it is so long and so mixed that nobody has thought of it as a word.
 * Identifiers in the form of a UUID are none.
 *
 * @example looksLikeToken('8f3e9c1ab2774d0fa1b2c3d4e5f60718') // true
 * @example looksLikeToken('cluster-of-the-north-sea-2') // false
 */
export const looksLikeToken = (value: string): boolean =>
  isTokenForm(value) || value.split(/[.:~]/).some((part) => HEX.test(part) || (BASE64.test(part) && isMixed(part)));

/** Digits beside letters of both cases; or beside letters of one, where no hyphens make words of them. */
const isMixed = (part: string): boolean =>
  /\d/.test(part) && /[a-z]/i.test(part) && ((/[a-z]/.test(part) && /[A-Z]/.test(part)) || ONE_CASE.test(part));

/** Values that stand under the name of a secret, in addresses, JSON and the like. */

/** `?name=value`, `&name=value`, also where JSON or HTML writes `&` in another way. */
const IN_QUERY = /([?&;]|\\u0026|%26|%3F)([\w.$~%[\]-]{1,100}?)(=|%3D)([^&#;\s"'<>\\]+)/gi;
/** `"name":"value"`. */
const IN_JSON = /(")([\w.$@# -]{1,100})("\s{0,9}:\s{0,9}")((?:[^"\\]|\\.)*)/g;
/** `"name":12345678`. */
const IN_JSON_BARE = /(")([\w.$@# -]{1,100})("\s{0,9}:\s{0,9})(\d{6,})/g;
/** `\"name\":\"value\"`: JSON text in JSON text. */
const IN_INNER_JSON = /(\\{1,7}")([\w.$@# -]{1,100})(\\{1,7}"\s{0,9}:\s{0,9}\\{1,7}")((?:[^"\\]|\\(?!\\{0,6}"))*)/g;
/** `<name>value</name>`. */
const IN_XML = /(<)([\w.:-]{1,100})((?:\s[^<>]*)?>)([^<>]+)(?=<\/)/g;
/** `name: value`, `name=value`, `Authorization: Bearer value`; a value may begin with another name. */
const IN_WORDS =
  /(?<![\w.-])()([a-z][\w-]{2,60})(\s{0,9}[:=]\s{0,9}["']?(?:(?:bearer|basic|token|digest)\s+)?)(?=([^\s"'<>,;&]{1,4000}))/gim;

type Place = 'named' | 'words';

/** Tells whether a string may match a pattern of {@link patternsFor}: most, such as addresses without a query, cannot. */
const mayHaveNames = (text: string): boolean => text.includes('=') || text.includes('"') || text.includes('</');
/** What `IN_WORDS` needs. */
const MAY_HAVE_WORDS = /[:=]/;

const patternsFor = (text: string): readonly (readonly [RegExp, Place])[] =>
  mayHaveNames(text)
    ? [
        ...(text.includes('=') ? [[IN_QUERY, 'named'] as const] : []),
        ...(text.includes('":') || text.includes('" :')
          ? ([
              [IN_JSON, 'named'],
              [IN_JSON_BARE, 'named'],
              [IN_INNER_JSON, 'named'],
            ] as const)
          : []),
        ...(text.includes('</') ? [[IN_XML, 'named'] as const] : []),
      ]
    : NO_PATTERNS;

const NO_PATTERNS: readonly (readonly [RegExp, Place])[] = [];

/**
 * The text with the values under names such as `access_token`, `X-Amz-Signature` or `password` replaced. Short values,
 * sentences and words such as `expired` stay.
 *
 * @example maskNamed('GET https://h.example/?sig=a1b2c3&page=2', '***') // 'GET https://h.example/?sig=***&page=2'
 */
export const maskNamed = (text: string, mask: string): string =>
  patternsFor(text).reduce(
    (sofar, [pattern, place]) =>
      sofar.replace(pattern, (whole: string, before: string, name: string, between: string, value: string) =>
        hides(name, value, place) ? `${before}${name}${between}${SCHEME.exec(value)?.[0] ?? ''}${mask}` : whole,
      ),
    text,
  );

/**
 * The values under such names in a string that somebody else wrote, to be masked wherever they appear. Beside what
 * {@link maskNamed} hides: those in lines such as `Authorization: Bearer a1b2c3d4`.
 *
 * @example secretsNamedIn('{"token":"a1b2c3d4","id":1}') // ['a1b2c3d4']
 */
export const secretsNamedIn = (text: string): readonly string[] =>
  [...patternsFor(text), ...(MAY_HAVE_WORDS.test(text) ? [[IN_WORDS, 'words'] as const] : [])].flatMap(
    ([pattern, place]) =>
      [...text.matchAll(pattern)].flatMap(([, , name = '', , value = '']) =>
        hides(name, value, place) ? plain(value).filter(isDistinct) : [],
      ),
  );

/**
 * A value and its name: what of it must not be printed wherever it appears.
 *
 * @example secretsIn('x-auth-token', 'Bearer a1b2c3d4') // ['a1b2c3d4']
 */
export const secretsIn = (name: string, value: string): readonly string[] =>
  hides(name, value, 'named') ? plain(value).filter(isDistinct) : [];

function hides(name: string, value: string, place: Place): boolean {
  const sensitivity = sensitivityOf(decoded(name));
  if (sensitivity === 'public') return false;
  const bare = value.replace(SCHEME, '');
  return isHidden(bare, sensitivity) && (place === 'named' || looksRandom(bare));
}

/** The credentials of a header without its scheme, as they are and decoded. */
function plain(value: string): readonly string[] {
  const bare = value.replace(SCHEME, '');
  return [...new Set([bare, decoded(bare)])];
}

function decoded(text: string): string {
  if (!text.includes('%')) return text;
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
