import type { Headers } from '../../core/model';
import type { Secrets } from '../../core/secrets/secrets';
import { isDistinct, isHidden, sensitivityOf } from '../../core/secrets/names';
import { secretsIn, secretsNamedIn } from '../../core/secrets/named';

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
