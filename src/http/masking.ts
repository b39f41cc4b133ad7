import type { RequestFacts } from '../core/errors/errors';
import { entriesOf, isList, isObject, objectFrom } from '../core/json/objects';
import { parseData } from '../core/json/parse';
import { textOf } from '../core/json/scalars';
import { stringifyJson } from '../core/json/stringify';
import type { Headers, Json, JsonScalar, Request } from '../core/model';
import { isDistinct, isHidden, looksRandom, secretsIn, secretsNamedIn, sensitivityOf } from '../core/secrets/names';
import type { Secrets } from '../core/secrets/secrets';

/** How messages name a request: `GET https://host/path`, with secrets masked. */
export const requestLine = ({ method, url }: Pick<Request, 'method' | 'url'>, secrets: Secrets): string =>
  `${method} ${secrets.mask(url)}`;

/** What errors tell of a request (see {@link RequestFacts}). */
export const requestFacts = (
  { method, url }: Pick<Request, 'method' | 'url'>,
  secrets: Secrets,
): Pick<RequestFacts, 'method' | 'url'> => ({ method, url: secrets.mask(url) });

/** Host and port of a request, as messages about connections name them. */
export function hostOf({ url }: Pick<Request, 'url'>, secrets: Secrets): string {
  if (!URL.canParse(url)) return secrets.mask(url);
  const { protocol, hostname, port } = new URL(url);
  return secrets.mask(`${hostname}:${port === '' ? (protocol === 'https:' ? '443' : '80') : port}`);
}

/** The least characters of a cookie that is taken for a secret though its name says nothing. */
const SESSION_LENGTH = 10;

/**
 * Registers what the headers of a response hold that must not be printed: servers repeat it in the bodies of errors. That is
 * the values of cookies, and of headers such as `x-auth-token`.
 *
 * @example learnFromHeaders({ 'set-cookie': 'sid=a1b2c3d4; Path=/' }, secrets)
 */
export function learnFromHeaders(headers: Headers, secrets: Secrets): void {
  for (const [name, value] of Object.entries(headers))
    for (const line of [value].flat())
      secrets.learn(...(name === 'set-cookie' ? cookieIn(line) : secretsIn(name, line)));
}

/** `theme=dark` is no secret: masked, it would take words out of logs. */
function cookieIn(line: string): readonly string[] {
  const [pair = '', ...attributes] = line.split(';');
  const at = pair.indexOf('=');
  const value = pair
    .slice(at + 1)
    .trim()
    .replace(/^"(.*)"$/, '$1');
  const isHeld = attributes.some((attribute) => attribute.trim().toLowerCase() === 'httponly');
  const isSecret = isHeld || sensitivityOf(pair.slice(0, at)) !== 'public' || value.length >= SESSION_LENGTH;
  return isSecret && isHidden(value, 'secret') && isDistinct(value) ? [value, ...decoded(value)] : [];
}

function decoded(value: string): readonly string[] {
  try {
    return value.includes('%') ? [decodeURIComponent(value)] : [];
  } catch {
    return [];
  }
}

/**
 * Registers what stands in a string under the name of a secret: an address with `access_token=…`, a body with
 * `"password":"…"`.
 */
export const learnFromText = (text: string, secrets: Secrets): void => secrets.learn(...secretsNamedIn(text));

/** As {@link learnFromText}, for the address of a request: the host names no secret. */
export function learnFromAddress(url: string, secrets: Secrets): void {
  const path = url.indexOf('/', url.indexOf('://') + '://'.length);
  if (path >= 0) learnFromText(url.slice(path), secrets);
}

const EXCERPT_LENGTH = 300;
/** The most characters of a body that are searched for secrets. */
const SEARCHED_LENGTH = 65_536;

/** How a body begins, for messages: on one line, masked, and cut. */
export function excerpt(text: string, secrets: Secrets): string {
  const { masked, isLong } = maskedBeginning(text, secrets);
  const line = oneLine(masked);
  if (line === '') return isLong ? '…' : 'The body is empty.';
  return cut(line, EXCERPT_LENGTH);
}

/**
 * Masks a body before it is cut, since half a secret would slip through. What may be one at the end of a long body is
 * dropped.
 */
export function maskedBeginning(text: string, secrets: Secrets): { readonly masked: string; readonly isLong: boolean } {
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

/** What a login answers with, as it may be kept and shown: all that is in it may be the credential. */

/** A body of which nothing may be kept. */
export const WHOLLY_MASKED = '***';
const MASK = WHOLLY_MASKED;
/** What tells of a credential, and is none (RFC 6749 sections 4.2.2 and 5, RFC 8628 section 3.2). */
const TELLS_OF =
  /^(?:token_?type|scopes?|expires?_?(?:in|at|on)?|expir(?:es|y|ation)(?:_?(?:date|time))?|expires_utc|interval|error(?:_?(?:description|uri|code))?|oauth_callback_confirmed|message|status)$/i;
const MOMENT = /^\d{4}-\d\d-\d\d(?:[T ][\d:.]+(?:Z|[+-]\d\d:?\d\d)?)?$/i;
/** `name=value&name=value`, without blanks; the end of a token in base64 is no field. */
const FORM = /^[\w.~%+[\]-]+=[^\s&=<>{}"]+(?:&[\w.~%+[\]-]+=[^\s&=<>{}"]*)*$/;
/** Fields in a string, such as the request that a server repeats: their names say what is secret. */
const FIELDS = /^[\w.-]+=[^&]*&[\w.-]+=/;
const BYTE_ORDER_MARK = /^\uFEFF/;

/**
 * The body of a response to a login: JSON and forms without the values that may be credentials, anything else as one mask.
 *
 * @param mask replaces the secrets that are known, and those that stand under the name of one
 * @example shownLoginBody('access_token=gho_a1b2&scope=repo', secrets.mask) // 'access_token=***&scope=repo'
 */
export function shownLoginBody(body: string, mask: (text: string) => string): string {
  const text = body.replace(BYTE_ORDER_MARK, '').trim();
  if (text === '') return body;
  const json = parsed(text);
  if (json !== undefined) return withoutCredentials(json, text, mask);
  return FORM.test(text) ? maskedForm(text, mask) : MASK;
}

/** The text as it is, if nothing in it has to be hidden. */
function withoutCredentials(json: Json, text: string, mask: (text: string) => string): string {
  const shown = shownValue(json, '', false, mask);
  return stringifyJson(shown) === stringifyJson(json) ? text : stringifyJson(shown);
}

/** @param isSecret whether a key above is the name of a secret */
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
  // A scalar is the whole body, and so the credential.
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
