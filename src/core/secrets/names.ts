import { viewsOf } from './views';
import type { Span, View } from './views';

/**
 * Decides which names stand for secrets, and which values under such names are public: a log of asterisks helps nobody.
 */

/** Words that name a secret, alone or several in a row: `x-auth-token`, `accessToken`, `api_key`. */
const SECRET_WORDS: ReadonlySet<string> = new Set(
  (
    'token secret password passwd passphrase passcode pwd authorization apikey accesskey privatekey secretkey signature sig ' +
    'hmac jwt session sessionid sessid sid cookie credential credentials csrf xsrf otp bearer assertion auth'
  ).split(' '),
);
const RUN_TOGETHER =
  /apikey|accesskey|privatekey|secretkey|(?:access|refresh|auth|id|security|csrf|session|bearer)token|sess(?:ion)?id|clientsecret|passwo?r?d|securitytoken/;
/** Words of keys that hold a position in an array, or metadata of a secret. */
const PUBLIC_WORDS: ReadonlySet<string> = new Set(
  (
    'page paging next previous prev continuation cursor scroll sync resume start delta skip after before type expires expiry ' +
    'expire expiration expired ttl limit remaining reset count length max min name url uri endpoint algorithm alg method ' +
    'version valid required policy hint status error headers date tokens signed issuer'
  ).split(' '),
);
/** Names with several meanings: under them, only a value that looks like a secret counts. */
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

/** Values that are placeholders for a secret. */
const PUBLIC_VALUE =
  /^(?:true|false|null|none|undefined|nan|expired|invalid|missing|required|unauthori[sz]ed|forbidden|denied|revoked|unknown|deleted|empty|blank|bearer|basic|digest|success|active|inactive|enabled|disabled|anonymous|guest|public|private|default|example|yes|no|ok|error|found|expected|string|number|array|object)$/i;
const SHORT_NUMBER = /^[-+]?[\d.,]{1,5}$/;
const SENTENCE = /^\S+\s/;
const SHORTEST = 4;

export type Sensitivity = 'secret' | 'perhaps' | 'public';

const known = new Map<string, Sensitivity>();
const MOST_KNOWN = 1_000;

/**
 * Returns the sensitivity of the value under a name: the name of a header, a cookie, a parameter or a member.
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

/** Returns whether a value under a name of this sensitivity must be hidden. */
export function isHidden(value: string, sensitivity: Sensitivity): boolean {
  if (sensitivity === 'public' || value.length < SHORTEST) return false;
  if (PUBLIC_VALUE.test(value) || SHORT_NUMBER.test(value) || SENTENCE.test(value)) return false;
  return sensitivity === 'secret' || looksRandom(value);
}

/** Returns whether a log would not contain the value for another reason: then it is masked wherever it appears. */
export const isDistinct = (value: string): boolean =>
  (value.length >= 6 && /\d/.test(value)) || (value.length >= 8 && /[^a-z]/.test(value)) || value.length >= 12;

/** Returns whether a value has at least eight characters, with digits and letters. */
export const looksRandom = (value: string): boolean =>
  value.length >= 8 && /\d/.test(value) && /[a-z]/i.test(value) && !/\s/.test(value);

/** Recognises values that are secrets under any name. */

/** The scheme before credentials in a header. */
export const SCHEME = /^(?:bearer|basic|token|digest|negotiate|apikey)\s+/i;

const withoutScheme = (value: string): string => value.replace(SCHEME, '');

/**
 * The prefixes that issuers give their tokens so that scanners find them: GitHub, GitLab, Stripe, Shopify, Slack, AWS,
 * Google and others.
 */
const PREFIXED = new RegExp(
  `^(?:${[
    ...['gh[opsur]_', 'github_pat_', 'gl(?:pat|oas|dt|rt|cbt|ptt|ft|soat|agent|imt)-', 'whsec_', 'shp(?:at|ca|pa|ss)_'],
    ...['[spr]k[-_](?:live|test|prod|proj|ant|svcacct|admin)', 'xox[a-z]-', 'xapp-', '(?:AKIA|ASIA)(?=[A-Z0-9]{16})'],
    ...['AIza', 'ya29\\.', 'GOCSPX-', 'SG\\.', 'hf_', 'npm_', 'pypi-', 'do[opr]_v1_', 'ntn_', 'lin_api_', 'figd_'],
    ...['pat-[a-z]+\\d-', 'sq0[a-z]{3}-', 'NRAK-', 'ATATT', 'gsk_', 'glsa_', 'sntry[su]_', 'c[ks]_', 'eyJ'],
  ].join('|')})`,
);
/** The least length of a token with a prefix, without blanks: a prefix may begin a word, too. */
const PREFIXED_LENGTH = 16;
const PREFIXED_ALPHABET = /^[\w.~+/=:-]+$/;
/** Three parts of base64url, the first of them a JSON object. */
const JWT = /^ey[\w-]{8,}\.[\w-]{2,}\.[\w.-]*$/;

/** Returns whether a value has the form of an issued token: a JWT, or a known prefix. */
export const isTokenForm = (value: string): boolean =>
  JWT.test(value) || (value.length >= PREFIXED_LENGTH && PREFIXED.test(value) && PREFIXED_ALPHABET.test(value));

const HEX = /^[\da-f]{32,}$/i;
const BASE64 = /^[\w+/-]{24,}={0,2}$/;
const ONE_CASE = /[\da-z]{24,}/i;

/**
 * Returns whether a value is a token by its form, or because it is too long and too mixed for a word. A UUID does not
 * count as a token.
 *
 * @example looksLikeToken('8f3e9c1ab2774d0fa1b2c3d4e5f60718') // true
 * @example looksLikeToken('cluster-of-the-north-sea-2') // false
 */
export const looksLikeToken = (value: string): boolean =>
  isTokenForm(value) || value.split(/[.:~]/).some((part) => HEX.test(part) || (BASE64.test(part) && isMixed(part)));

/**
 * Returns whether a part has digits and letters of both cases; or digits and letters of one case, without hyphens
 * between words.
 */
const isMixed = (part: string): boolean =>
  /\d/.test(part) && /[a-z]/i.test(part) && ((/[a-z]/.test(part) && /[A-Z]/.test(part)) || ONE_CASE.test(part));

/** Finds values under the name of a secret in addresses, JSON and other text, in all of its readings. */

/** `?name=value`, `&name=value`. */
const IN_QUERY = /([?&;])([\w.$~%[\]-]{1,100}?)(=)([^&#;\s"'<>\\]+)/g;
/** `"name":"value"`. */
const IN_JSON = /(")([\w.$@# -]{1,100})("\s{0,9}:\s{0,9}")((?:[^"\\]|\\.)*)/g;
/** `"name":12345678`. */
const IN_JSON_BARE = /(")([\w.$@# -]{1,100})("\s{0,9}:\s{0,9})(\d{6,})/g;
/** `<name>value</name>`. */
const IN_XML = /(<)([\w.:-]{1,100})((?:\s[^<>]*)?>)([^<>]+)(?=<\/)/g;
/** `name: value`, `name=value`, `Authorization: Bearer value`; a value may begin with another name. */
const IN_WORDS =
  /(?<![\w.-])()([a-z][\w-]{2,60})(\s{0,9}[:=]\s{0,9}["']?(?:(?:bearer|basic|token|digest)\s+)?)(?=([^\s"'<>,;&]{1,4000}))/gim;

type Place = 'named' | 'words';

/** Matches the signs of which every name of a value has one in its text, or an escape of it: most texts have none. */
const NAMING = /[=:"<\\%&\xC2-\xF4]/;

/** Returns whether a string, as it is or with its escapes undone, may have a value under a name. */
export const mayNameSecret = (text: string): boolean => NAMING.test(text);

/** The patterns, each with a character that a text has to contain. */
const NAMED: readonly (readonly [sign: string, RegExp])[] = [
  ['=', IN_QUERY],
  ['"', IN_JSON],
  ['"', IN_JSON_BARE],
  ['</', IN_XML],
];

interface NamedValue {
  readonly value: string;
  /** Where the value stands in the text. */
  readonly at: number;
}

function* valuesIn(text: string, pattern: RegExp, place: Place): Generator<NamedValue> {
  for (const { index, 1: before = '', 2: name = '', 3: between = '', 4: value = '' } of text.matchAll(pattern))
    if (hides(name, value, place)) yield { value, at: index + before.length + name.length + between.length };
}

function* namedIn(text: string): Generator<NamedValue> {
  for (const [sign, pattern] of NAMED) if (text.includes(sign)) yield* valuesIn(text, pattern, 'named');
}

/**
 * Returns the parts of a text, by one of its readings, that are values under names such as `access_token`,
 * `X-Amz-Signature` or `password`. Short values, sentences, words such as `expired`, and the scheme of credentials do
 * not count.
 */
export const namedSpans = (view: View): readonly Span[] =>
  Array.from(namedIn(view.text), ({ value, at }) =>
    view.origin(at + (SCHEME.exec(value)?.[0].length ?? 0), at + value.length),
  );

/**
 * Returns the values under such names in a foreign string, to be masked wherever they appear. In addition to those of
 * {@link namedSpans}, these include values in lines such as `Authorization: Bearer a1b2c3d4`.
 *
 * @example secretsNamedIn('{"token":"a1b2c3d4","id":1}') // ['a1b2c3d4']
 */
export function secretsNamedIn(text: string): readonly string[] {
  if (!mayNameSecret(text)) return [];
  return [
    ...new Set(
      viewsOf(text)
        .flatMap(({ text: read }) => [...namedIn(read), ...valuesIn(read, IN_WORDS, 'words')])
        .map(({ value }) => withoutScheme(value))
        .filter(isDistinct),
    ),
  ];
}

/**
 * Returns the parts of a named value that must be masked wherever they appear.
 *
 * @example secretsIn('x-auth-token', 'Bearer a1b2c3d4') // ['a1b2c3d4']
 */
export const secretsIn = (name: string, value: string): readonly string[] =>
  hides(name, value, 'named') ? [withoutScheme(value)].filter(isDistinct) : [];

function hides(name: string, value: string, place: Place): boolean {
  const sensitivity = sensitivityOf(name);
  if (sensitivity === 'public') return false;
  const bare = withoutScheme(value);
  return isHidden(bare, sensitivity) && (place === 'named' || looksRandom(bare));
}
