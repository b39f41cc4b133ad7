import { FatalError } from '../../core/errors/errors';
import { parseTime } from '../../language/expressions/dates/relative-time';
import { isScalar, textOf, typeName } from '../../core/json/text';
import type { Json } from '../../core/model';
import type { Expires } from './expires';
import { isUnixMilliseconds, looksLikeMilliseconds } from './expiry-unit';
import { placeText, valueIn, type GivenByLogin, type LoginPlace } from './given';
import { claimsOf } from './jwt';

/** When credentials have to be renewed. `past` is their end as it was given, when it lies before the login. */
export interface Expiry {
  /** The moment of expiry in milliseconds since the epoch; absent: they live as long as the run. */
  readonly expiresAt?: number;
  readonly past?: string;
  /** For a person: why the number is likely to count something else than it was taken for. */
  readonly doubt?: string;
}

type FromResponse = Extract<Expires, { kind: 'response' }>;
type FromToken = Extract<Expires, { kind: 'jwt' }>;

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
 * @throws FatalError LOGIN_RESPONSE for a value that is neither a number nor a date, and for a token that is no JSON Web Token
 * @example expiryOf({ kind: 'after', seconds: 60 }, { content: {}, headers: {} }, 0, true) // { expiresAt: 54000 }
 */
export function expiryOf(expires: Expires, given: GivenByLogin, sentAt: number, early: boolean): Expiry {
  switch (expires.kind) {
    case 'never':
    case 'each-request':
      return {};
    case 'after':
      return { expiresAt: lessMargin(sentAt + expires.seconds * 1000, expires.margin, sentAt, early) };
    case 'response':
      return fromResponse(expires, valueIn(given, expires.path), sentAt, early);
    case 'jwt':
      return fromToken(expires, valueIn(given, expires.path), sentAt, early);
  }
}

function fromResponse(expires: FromResponse, value: Json | undefined, sentAt: number, early: boolean): Expiry {
  if (value === undefined || value === null) return {};
  const seconds = expires.relative ? sentAt / 1000 + secondsOf(expires, value) : momentOf(expires, value, sentAt);
  const doubt = doubtOf(expires, value);
  return { ...endingAt(seconds, value, expires.margin, sentAt, early), ...(doubt === undefined ? {} : { doubt }) };
}

/** The moment is the API's: clocks that differ are what the margin is for. */
function fromToken(expires: FromToken, value: Json | undefined, sentAt: number, early: boolean): Expiry {
  const end = endOfToken(expires.path, value);
  return end === undefined ? {} : endingAt(Number(end), end, expires.margin, sentAt, early);
}

/** @returns Unix seconds; `undefined` for a token that says nothing of its end */
function endOfToken(place: LoginPlace, value: Json | undefined): number | bigint | undefined {
  const claims = typeof value === 'string' ? claimsOf(value) : undefined;
  if (claims === undefined) {
    const found = value === undefined || value === null ? 'nothing' : foundOf(value);
    const remedy =
      'Name the path of the token, or take the end from elsewhere, for example {"response": "expires_in", "relative": true}.';
    throw new FatalError(
      'LOGIN_RESPONSE',
      `api.authentication.expires.jwt: expected a JSON Web Token at ${placeText(place)}, found ${found}. ${remedy}`,
    );
  }
  const { exp } = claims;
  if (exp === undefined || typeof exp === 'number' || typeof exp === 'bigint') return exp;
  throw new FatalError(
    'LOGIN_RESPONSE',
    `api.authentication.expires.jwt: expected a Unix timestamp as "exp" of the token at ${placeText(place)}, found ${foundOf(exp)}. ` +
      'Take the end from elsewhere, for example {"response": "expires_in", "relative": true}.',
  );
}

function endingAt(
  seconds: number,
  value: Json,
  margin: number | undefined,
  sentAt: number,
  early: boolean,
): Pick<Expiry, 'expiresAt' | 'past'> {
  const end = Math.max(seconds * 1000, 0);
  // Whole seconds, as the value has: a token that ends in this second is not late, only good for one request.
  const past = end < Math.floor(sentAt / 1000) * 1000;
  const expiresAt = lessMargin(end, margin, sentAt, early);
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

/** A number, or the text of one. */
function numberOf(value: Json): number | undefined {
  const isNumber = typeof value === 'number' || typeof value === 'bigint';
  return isNumber || (typeof value === 'string' && NUMBER.test(value)) ? Number(value) : undefined;
}

const inSeconds = (number: number, { unit }: FromResponse): number => (unit === 'ms' ? number / 1000 : number);

function secondsOf(expires: FromResponse, value: Json): number {
  const number = numberOf(value);
  if (number !== undefined) return inSeconds(number, expires);
  throw unreadable(expires, value, `a number of ${expires.unit === 'ms' ? 'milliseconds' : 'seconds'}`);
}

function momentOf(expires: FromResponse, value: Json, now: number): number {
  const number = numberOf(value);
  if (number !== undefined) return inSeconds(number, expires);
  const moment = typeof value === 'string' ? parseTime(value, Math.floor(now / 1000)) : undefined;
  if (moment === undefined) throw unreadable(expires, value, 'a Unix timestamp or a date');
  return moment;
}

/** Where nobody has said what a number counts. */
function doubtOf({ path, relative, unit }: FromResponse, value: Json): string | undefined {
  const number = unit === undefined ? numberOf(value) : undefined;
  if (number === undefined || !(relative ? looksLikeMilliseconds(number) : isUnixMilliseconds(number)))
    return undefined;
  const what = relative ? 'a lifetime' : 'a Unix time';
  return (
    `${placeText(path)} looks like ${what} in milliseconds, and was taken for seconds, so that the credentials may be used ` +
    'after their end. Write "unit": "ms" into api.authentication.expires, or "unit": "s" if it is seconds.'
  );
}

/** Does not show the value: a wrong path may lead to the token. */
function unreadable(expires: FromResponse, value: Json, expected: string): FatalError {
  const { path } = expires;
  const option = typeof path === 'string' ? 'response' : 'responseHeader';
  return new FatalError(
    'LOGIN_RESPONSE',
    `api.authentication.expires.${option}: expected ${expected} at ${placeText(path)}, found ${foundOf(value)}`,
  );
}

const foundOf = (value: Json): string =>
  typeof value === 'string' ? `another string of length ${value.length}` : `a value of type ${typeName(value)}`;
