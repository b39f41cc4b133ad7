import { FatalError } from '../../errors';
import { parseTime } from '../../expressions/dates/relative-time';
import { valueAt } from '../../json/path';
import { isScalar, textOf, typeName } from '../../json/text';
import type { Json, JsonObject } from '../../model';
import type { Expires } from './expires';

/** When credentials have to be renewed. `past` is their end as it was given, when it lies before the login. */
export interface Expiry {
  /** The moment of expiry in milliseconds since the epoch; absent: they live as long as the run. */
  readonly expiresAt?: number;
  readonly past?: string;
}

type FromResponse = Extract<Expires, { kind: 'response' }>;

/** The last moment that a date can name; credentials that live longer live to then. */
const END_OF_TIME = 8.64e15;
const LONGEST_MARGIN = 30_000;

const NUMBER = /^\s*[+-]?\d+(\.\d+)?\s*$/;

/**
 * The expiry of credentials that a login has just given (docs/language/authentication.md#renewal). A lifetime counts
 * from the moment the login was sent: that of its response says nothing of when the API made the token. They are
 * renewed by a margin before their end, since a request that carries them is on its way for a while
 * (docs/extensions/credentials.md).
 *
 * @param sentAt milliseconds since the epoch, when the login was sent
 * @param early whether there is a margin where the configuration names none
 * @throws FatalError LOGIN_RESPONSE for a value that is neither a number nor a date
 * @example expiryOf({ kind: 'after', seconds: 60 }, {}, 0, true) // { expiresAt: 54000 }
 */
export function expiryOf(expires: Expires, content: JsonObject, sentAt: number, early: boolean): Expiry {
  switch (expires.kind) {
    case 'never':
    case 'each-request':
      return {};
    case 'after':
      return { expiresAt: lessMargin(sentAt + expires.seconds * 1000, expires.margin, sentAt, early) };
    case 'response':
      return fromResponse(expires, valueAt(content, expires.path), sentAt, early);
  }
}

function fromResponse(expires: FromResponse, value: Json | undefined, sentAt: number, early: boolean): Expiry {
  if (value === undefined || value === null) return {};
  const seconds = expires.relative ? sentAt / 1000 + secondsOf(expires, value) : momentOf(expires, value, sentAt);
  const end = Math.max(seconds * 1000, 0);
  // Whole seconds, as the value has: a token that ends in this second is not late, only good for one request.
  const past = end < Math.floor(sentAt / 1000) * 1000;
  const expiresAt = lessMargin(end, expires.margin, sentAt, early);
  return { expiresAt, ...(past ? { past: isScalar(value) ? textOf(value) : '' } : {}) };
}

/** A margin never takes more than half of the lifetime, or it would make a login before every request. */
function lessMargin(endOrNever: number, seconds: number | undefined, sentAt: number, early: boolean): number {
  const end = Math.min(endOrNever, END_OF_TIME);
  const lifetime = Math.max(end - sentAt, 0);
  const byDefault = early ? Math.min(lifetime / 10, LONGEST_MARGIN) : 0;
  const margin = seconds === undefined ? byDefault : Math.min(seconds * 1000, lifetime / 2);
  return end - margin;
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
