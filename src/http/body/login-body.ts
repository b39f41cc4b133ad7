/** What a login answers with, as it may be kept and shown: all that is in it may be the credential. */
import { entriesOf, isList, isObject, objectFrom } from '../../core/json/keys';
import { parseData } from '../../core/json/parse';
import { stringifyJson } from '../../core/json/stringify';
import { textOf } from '../../core/json/text';
import type { Json, JsonScalar } from '../../core/model';
import { isHidden, looksRandom, sensitivityOf } from '../../core/secrets/names';

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
