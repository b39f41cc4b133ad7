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
