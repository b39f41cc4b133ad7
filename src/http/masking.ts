/** Masks requests and responses for messages, and registers the secrets in them. */
import type { RequestFacts } from '../core/errors/errors';
import { entriesOf, isList, isObject, objectFrom } from '../core/json/objects';
import { parseData } from '../core/json/parse';
import { textOf } from '../core/json/scalars';
import { stringifyJson } from '../core/json/stringify';
import type { Headers, Json, JsonScalar, Request } from '../core/model';
import { isDistinct, isHidden, looksRandom, secretsIn, secretsNamedIn, sensitivityOf } from '../core/secrets/names';
import type { Secrets } from '../core/secrets/secrets';

/** Returns a request for messages: `GET https://host/path`, with secrets masked. */
export const requestLine = ({ method, url }: Pick<Request, 'method' | 'url'>, secrets: Secrets): string =>
  `${method} ${secrets.mask(url)}`;

/** Returns the facts that errors carry about a request (see {@link RequestFacts}). */
export const requestFacts = (
  { method, url }: Pick<Request, 'method' | 'url'>,
  secrets: Secrets,
): Pick<RequestFacts, 'method' | 'url'> => ({ method, url: secrets.mask(url) });

/** Returns host and port of a request for messages about connections. */
export function hostOf({ url }: Pick<Request, 'url'>, secrets: Secrets): string {
  if (!URL.canParse(url)) return secrets.mask(url);
  const { protocol, hostname, port } = new URL(url);
  return secrets.mask(`${hostname}:${port === '' ? (protocol === 'https:' ? '443' : '80') : port}`);
}

/** The least length of a cookie that counts as a secret without the name of one. */
const SESSION_LENGTH = 10;

/**
 * Registers the secrets in the headers of a response, because servers repeat them in the bodies of errors: the values
 * of cookies, and of headers such as `x-auth-token`.
 *
 * @example learnFromHeaders({ 'set-cookie': 'sid=a1b2c3d4; Path=/' }, secrets)
 */
export function learnFromHeaders(headers: Headers, secrets: Secrets): void {
  for (const [name, value] of Object.entries(headers)) {
    const isCookie = name === 'set-cookie';
    if (!isCookie && sensitivityOf(name) === 'public') continue;
    for (const line of [value].flat()) secrets.learn(...(isCookie ? cookieIn(line) : secretsIn(name, line)));
  }
}

/** Returns the secret of a cookie. `theme=dark` is not a secret: masking it would remove words from logs. */
function cookieIn(line: string): readonly string[] {
  const [pair = '', ...attributes] = line.split(';');
  const at = pair.indexOf('=');
  const value = pair
    .slice(at + 1)
    .trim()
    .replace(/^"(.*)"$/, '$1');
  const isHeld = attributes.some((attribute) => attribute.trim().toLowerCase() === 'httponly');
  const isSecret = isHeld || sensitivityOf(pair.slice(0, at)) !== 'public' || value.length >= SESSION_LENGTH;
  return isSecret && isHidden(value, 'secret') && isDistinct(value) ? [value] : [];
}

/**
 * Registers the values under names of secrets in a string: an address with `access_token=…`, a body with
 * `"password":"…"`.
 */
export const learnFromText = (text: string, secrets: Secrets): void => secrets.learn(...secretsNamedIn(text));

/** Does the same as {@link learnFromText} for the address of a request: the host contains no name of a secret. */
export function learnFromAddress(url: string, secrets: Secrets): void {
  const path = url.indexOf('/', url.indexOf('://') + '://'.length);
  if (path >= 0) learnFromText(url.slice(path), secrets);
}

const EXCERPT_LENGTH = 300;
/** The most characters of a body that are searched for secrets. */
const SEARCHED_LENGTH = 65_536;

/** Returns the beginning of a body for messages: on one line, masked, and cut. */
export function excerpt(text: string, secrets: Secrets): string {
  const { masked, isLong } = maskedExcerpt(text, secrets);
  const line = oneLine(masked);
  if (line === '') return isLong ? '…' : 'The body is empty.';
  return cut(line, EXCERPT_LENGTH);
}

/**
 * Masks a body before it is cut, because half a secret would not be recognised. A possible secret at the end of a long
 * body is dropped.
 */
export function maskedExcerpt(text: string, secrets: Secrets): { readonly masked: string; readonly isLong: boolean } {
  learnFromText(text.slice(0, SEARCHED_LENGTH), secrets);
  const isLong = text.length > SEARCHED_LENGTH + secrets.longest;
  const masked = isLong
    ? secrets.mask(text.slice(0, SEARCHED_LENGTH + secrets.longest)).slice(0, -secrets.longest)
    : secrets.mask(text);
  return { masked, isLong };
}

export const oneLine = (text: string): string => text.replace(/\s+/g, ' ').trim();

export const cut = (line: string, length: number): string =>
  line.length > length ? `${line.slice(0, length)}…` : line;

/** The masked form of a login response for records and messages: all of its values may be credentials. */

/** The replacement for a body that must be hidden entirely. */
export const WHOLLY_MASKED = '***';
const MASK = WHOLLY_MASKED;
/** Fields that describe a credential and are none (RFC 6749 sections 4.2.2 and 5, RFC 8628 section 3.2). */
const TELLS_OF =
  /^(?:token_?type|scopes?|expires?_?(?:in|at|on)?|expir(?:es|y|ation)(?:_?(?:date|time))?|expires_utc|interval|error(?:_?(?:description|uri|code))?|oauth_callback_confirmed|message|status)$/i;
const MOMENT = /^\d{4}-\d\d-\d\d(?:[T ][\d:.]+(?:Z|[+-]\d\d:?\d\d)?)?$/i;
/** Matches `name=value&name=value`, without blanks; the end of a token in base64 is not a field. */
const FORM = /^[\w.~%+[\]-]+=[^\s&=<>{}"]+(?:&[\w.~%+[\]-]+=[^\s&=<>{}"]*)*$/;
/** Matches fields in a string, such as the request that a server repeats: their names show which of them are secret. */
const FIELDS = /^[\w.-]+=[^&]*&[\w.-]+=/;
const BYTE_ORDER_MARK = /^\uFEFF/;

/**
 * Returns the masked body of a login response: JSON and forms without the values that may be credentials, anything else
 * as one mask.
 *
 * @param mask replaces known secrets, and values under the name of a secret
 * @example shownLoginBody('access_token=gho_a1b2&scope=repo', secrets.mask) // 'access_token=***&scope=repo'
 */
export function shownLoginBody(body: string, mask: (text: string) => string): string {
  const text = body.replace(BYTE_ORDER_MARK, '').trim();
  if (text === '') return body;
  const json = parsed(text);
  if (json !== undefined) return withoutCredentials(json, text, mask);
  return FORM.test(text) ? maskedForm(text, mask) : MASK;
}

/** Returns the text as it is if nothing in it has to be hidden. */
function withoutCredentials(json: Json, text: string, mask: (text: string) => string): string {
  const shown = shownValue(json, '', false, mask);
  return stringifyJson(shown) === stringifyJson(json) ? text : stringifyJson(shown);
}

/** @param isSecret whether a key above names a secret */
function shownValue(value: Json, key: string, isSecret: boolean, mask: (text: string) => string): Json {
  if (isList(value)) return value.map((each) => shownValue(each, key, isSecret, mask));
  if (isObject(value))
    return objectFrom(
      entriesOf(value).map(([name, inner]) => [
        mask(name),
        shownValue(inner, name, isSecret || sensitivityOf(name) === 'secret', mask),
      ]),
    );
  if (typeof value === 'boolean' || value === null) return value;
  const text = textOf(value);
  // A scalar is the whole body, and therefore the credential.
  if (key === '') return MASK;
  if (TELLS_OF.test(key)) return shownText(value, mask(text));
  if (isSecret && (isHidden(text, 'secret') || /\s/.test(text.trim()))) return MASK;
  const mayBeCredential = typeof value === 'string' && looksRandom(text) && !MOMENT.test(text) && !FIELDS.test(text);
  return mayBeCredential ? MASK : shownText(value, mask(text));
}

const shownText = (value: JsonScalar, masked: string): Json => (masked === textOf(value) ? value : masked);

function maskedForm(text: string, mask: (text: string) => string): string {
  if (text.split('&').some((pair) => looksRandom(pair.slice(0, pair.indexOf('='))))) return MASK;
  const pairs = text.split('&').map((pair) => {
    const at = pair.indexOf('=');
    const name = pair.slice(0, at);
    return pair.length === at + 1 || TELLS_OF.test(name) ? pair : `${name}=${MASK}`;
  });
  return mask(pairs.join('&'));
}

function parsed(text: string): Json | undefined {
  try {
    return parseData(text);
  } catch {
    return undefined;
  }
}
