import { FatalError } from '../errors';
import { parseTime } from '../expressions/relative-time';
import { valueAt } from '../json/path';
import { isScalar, textOf, typeName } from '../json/text';
import type { Json, JsonObject } from '../model';
import type { LoginPlan } from '../plan/authentication-plan';

/** When credentials end. `past` is the value as given when it lies before now. */
export interface Expiry {
  /** Milliseconds since the epoch; absent: they live as long as the run. */
  readonly expiresAt?: number;
  readonly past?: string;
}

type FromResponse = Extract<LoginPlan['expires'], { kind: 'response' }>;

/** The last moment that a date can name; credentials that live longer live to then. */
const END_OF_TIME = 8.64e15;

const NUMBER = /^\s*[+-]?\d+(\.\d+)?\s*$/;

/**
 * The expiry of credentials that a login has just given (specification 5 rules 3 to 6, language 4.5.5).
 *
 * @param now milliseconds since the epoch, when the login response arrived
 * @throws FatalError LOGIN_RESPONSE for a value that is neither a number nor a date
 * @example expiryOf({ kind: 'after', seconds: 60 }, {}, 0) // { expiresAt: 60000 }
 */
export function expiryOf(expires: LoginPlan['expires'], content: JsonObject, now: number): Expiry {
  switch (expires.kind) {
    case 'never':
    case 'each-request':
      return {};
    case 'after':
      return { expiresAt: Math.min(now + expires.seconds * 1000, END_OF_TIME) };
    case 'response':
      return fromResponse(expires, valueAt(content, expires.path), now);
  }
}

function fromResponse(expires: FromResponse, value: Json | undefined, now: number): Expiry {
  if (value === undefined || value === null) return {};
  const seconds = expires.relative ? now / 1000 + secondsOf(expires, value) : momentOf(expires, value, now);
  const expiresAt = Math.max(Math.min(seconds * 1000, END_OF_TIME), 0);
  // Whole seconds, as the value has: a token that ends in this second is not late, only good for one request.
  const past = expiresAt < Math.floor(now / 1000) * 1000;
  return { expiresAt, ...(past ? { past: isScalar(value) ? textOf(value) : '' } : {}) };
}

function secondsOf(expires: FromResponse, value: Json): number {
  if (typeof value === 'number' || typeof value === 'bigint') return Number(value);
  if (typeof value === 'string' && NUMBER.test(value)) return Number(value);
  throw unreadable(expires, value, 'a number of seconds');
}

function momentOf(expires: FromResponse, value: Json, now: number): number {
  if (typeof value === 'number' || typeof value === 'bigint') return Number(value);
  if (typeof value !== 'string') throw unreadable(expires, value, 'a Unix timestamp or a date');
  const moment = NUMBER.test(value) ? Number(value) : parseTime(value, Math.floor(now / 1000));
  if (moment === undefined) throw unreadable(expires, value, 'a Unix timestamp or a date');
  return moment;
}

/** Does not show the value: a wrong path may lead to the token. */
function unreadable(expires: FromResponse, value: Json, expected: string): FatalError {
  const found =
    typeof value === 'string' ? `another text of length ${value.length}` : `a value of type ${typeName(value)}`;
  const place = `at "${expires.path}" of the login response`;
  return new FatalError(
    'LOGIN_RESPONSE',
    `api.authentication.expires.response: expected ${expected} ${place}, found ${found}`,
  );
}
