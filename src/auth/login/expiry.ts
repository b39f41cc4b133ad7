import { FatalError } from '../../core/errors/errors';
import { isObject } from '../../core/json/objects';
import { parseJson } from '../../core/json/parse';
import { isBlank, isScalar, textOf, typeName } from '../../core/json/scalars';
import type { Json, JsonObject } from '../../core/model';
import { accept, codec, expected, map, noting, refine } from '../../language/codec/codec';
import type { Codec, Input } from '../../language/codec/codec';
import type { OptionFault } from '../../language/codec/component';
import {
  NUMERIC_STRING,
  flag,
  integer,
  isMissing,
  numeric,
  numericValue,
  oneOf,
  string,
} from '../../language/codec/primitives';
import { always, optional, record, required } from '../../language/codec/record';
import { tolerant } from '../../language/codec/schema';
import { pathNotes } from '../../language/codec/values';
import { parseTime } from '../../language/expressions/dates/parse-time';
import { loginPlace, placeText, valueIn } from './place';
import type { GivenByLogin, LoginPlace } from './place';

/**
 * The lifetime of a login (docs/language/authentication.md#renewal). `margin` is the number of seconds before the end
 * at which it is renewed; if absent, the default of docs/language/authentication.md#renewal applies.
 */
export type Expires =
  | { readonly kind: 'never' }
  | { readonly kind: 'each-request' }
  | { readonly kind: 'after'; readonly seconds: number; readonly margin?: number }
  | {
      readonly kind: 'response';
      readonly path: LoginPlace;
      readonly relative: boolean;
      /** The unit of a number; if absent, the configuration names none, and seconds are assumed. */
      readonly unit?: 's' | 'ms';
      readonly margin?: number;
    }
  /** The end is the claim `exp` of the JSON Web Token at that place. */
  | { readonly kind: 'jwt'; readonly path: LoginPlace; readonly margin?: number };

const secondsFrom0 = refine('Seconds', numeric, (value, context, input) =>
  value >= 0 ? accept(value) : expected('a number of seconds, 0 or more', input, context),
);

/**
 * The seconds before the end of credentials at which they are renewed (docs/language/authentication.md#renewal); 0 is a value.
 */
export const margin: Codec<number | undefined> = codec(
  'Margin',
  () => tolerant({ type: 'number', minimum: 0 }, NUMERIC_STRING, { type: 'null' }, { const: '' }),
  (input, context) => (isMissing(input) || input === '' ? accept(undefined) : secondsFrom0.validate(input, context)),
);

const ownMargin = {
  margin: always(margin, {
    about: 'How long before their end the credentials are renewed.',
    unit: 'seconds',
    example: 10,
    default: 'a tenth of their life, at most 30 seconds',
  }),
};

const reading = {
  relative: always(flag(false), {
    about: 'Whether a lifetime stands there, counted from the login, and no date or Unix time.',
    example: true,
    default: 'false',
  }),
  unit: optional(oneOf('UnitOfExpiry', ['s', 'ms']), {
    about: 'What a number there counts: seconds (`s`) or milliseconds (`ms`). A date needs none.',
    example: 'ms',
    default: 's, with a warning where the number looks like milliseconds',
  }),
  ...ownMargin,
};

interface Reading {
  readonly relative: boolean;
  readonly unit?: 's' | 'ms';
  readonly margin: number | undefined;
}

const readAs = (path: LoginPlace, { relative, unit, margin: seconds }: Reading): Expires => ({
  kind: 'response',
  path,
  relative,
  ...(unit === undefined ? {} : { unit }),
  ...(seconds === undefined ? {} : { margin: seconds }),
});

const inResponse: Codec<Expires> = map(
  'ExpiresInResponse',
  record('ExpiresInResponseAsWritten', {
    response: required(noting(string, pathNotes), 'the path of the expiry in the login response', {
      about: 'The path in the response of the login that leads to the end of the credentials.',
      example: 'expires_in',
    }),
    ...reading,
  }),
  ({ response, ...rest }) => readAs(response, rest),
);

const inHeader: Codec<Expires> = map(
  'ExpiresInHeader',
  record('ExpiresInHeaderAsWritten', {
    responseHeader: required(string, 'the name of the header of the login response that has the expiry', {
      about: 'The header of the response of the login that has the end of the credentials.',
      example: 'X-Expires-In',
    }),
    ...reading,
  }),
  ({ responseHeader, ...rest }) => readAs({ responseHeader }, rest),
);

const inToken: Codec<Expires> = map(
  'ExpiresInToken',
  record('ExpiresInTokenAsWritten', {
    jwt: required(loginPlace, 'the place of the token in the login response', {
      about:
        'Where the response of the login has a JSON Web Token, whose claim `exp` is the end: a path, or `{"responseHeader": name}`.',
      example: 'access_token',
    }),
    ...ownMargin,
  }),
  ({ jwt, margin: seconds }) => ({ kind: 'jwt', path: jwt, ...(seconds === undefined ? {} : { margin: seconds }) }),
);

/** Returns the codec for the form of an object. */
function formOf(input: Input): Codec<Expires> {
  if (isObject(input) && Object.hasOwn(input, 'jwt')) return inToken;
  return isObject(input) && Object.hasOwn(input, 'responseHeader') ? inHeader : inResponse;
}

const isNever = (input: Input): boolean => input === undefined || input === null || input === false || input === '';

/**
 * `api.authentication.expires` (docs/language/authentication.md#renewal): an absent value, `null`, `false` and the
 * empty string never renew; a number N renews every N seconds, 0 and less before every request; an object names the
 * place in the login response.
 */
export const expires: Codec<Expires> = codec(
  'Expires',
  () =>
    tolerant(
      { anyOf: [{ type: 'integer' }, ...[inResponse, inHeader, inToken].map((form) => form.schema())] },
      integer.schema(),
      { enum: [null, false, ''] },
    ),
  (input, context) => {
    if (isNever(input)) return accept({ kind: 'never' });
    const seconds = numericValue(input);
    if (seconds !== undefined && Number.isInteger(seconds))
      return accept(seconds > 0 ? { kind: 'after', seconds } : { kind: 'each-request' });
    if (isObject(input) && !isBlank(input)) return formOf(input).validate(input, context);
    return expected('whole seconds, or an object with "response": a path in the login response', input, context);
  },
  (input, path) => formOf(input).notes(input, path),
);

/** The end of credentials, and the margin next to it. */
interface Life {
  readonly expires: Expires;
  readonly margin: number | undefined;
}

const hasEnd = (life: Expires): life is Extract<Expires, { kind: 'after' | 'response' | 'jwt' }> =>
  life.kind === 'after' || life.kind === 'response' || life.kind === 'jwt';

/** Returns the lifetime of credentials, with the margin next to `expires`. */
export const lifeOf = ({ expires: life, margin: seconds }: Life): Expires =>
  seconds === undefined || !hasEnd(life) ? life : { ...life, margin: seconds };

/** Returns the fault of a margin that is given twice. */
export const marginFaults = ({ expires: life, margin: seconds }: Life): readonly OptionFault[] =>
  seconds !== undefined && hasEnd(life) && life.margin !== undefined
    ? [{ option: 'margin', message: 'stands in "expires" already' }]
    : [];

/**
 * Warns of a margin without an end, or of one that is reduced (docs/language/authentication.md#renewal), and of a lifetime that
 * looks like milliseconds.
 */
export const lifeWarnings = (life: Life): readonly OptionFault[] => [...unitWarnings(life), ...marginWarnings(life)];

function marginWarnings({ expires: life, margin: seconds }: Life): readonly OptionFault[] {
  if (seconds === undefined) return [];
  if (!hasEnd(life))
    return [{ option: 'margin', message: 'has no effect: "expires" does not say when credentials end' }];
  return life.kind === 'after' && seconds > life.seconds / 2
    ? [{ option: 'margin', message: `counts as ${life.seconds / 2} seconds: at most half of "expires"` }]
    : [];
}

function unitWarnings({ expires: life }: Life): readonly OptionFault[] {
  if (life.kind !== 'after' || !looksLikeMilliseconds(life.seconds)) return [];
  const days = (life.seconds / 86_400).toFixed(1);
  const message = `counts seconds, and so many are ${days} days; if milliseconds were meant, write ${life.seconds / 1000}`;
  return [{ option: 'expires', message }];
}

/** The time at which credentials have to be renewed. `past` is their end as given, if it is before the login. */
export interface Expiry {
  /** The time of expiry in milliseconds since the epoch; absent if they live as long as the run. */
  readonly expiresAt?: number;
  readonly past?: string;
  /** A message for people: why the number probably has another unit than assumed. */
  readonly doubt?: string;
}

type FromResponse = Extract<Expires, { kind: 'response' }>;
type FromToken = Extract<Expires, { kind: 'jwt' }>;

/** The last moment that a `Date` can hold; credentials that live longer expire then. */
const END_OF_TIME = 8.64e15;
const LONGEST_MARGIN = 30_000;

const NUMBER = /^\s*[+-]?\d+(\.\d+)?\s*$/;

/**
 * Returns the expiry of credentials that a login has just given (docs/language/authentication.md#renewal). A lifetime
 * counts from the moment when the login was sent, because the time of its response says nothing about when the API
 * created the token. Credentials are renewed a margin before their end, because a request that carries them takes some
 * time (docs/language/authentication.md#renewal).
 *
 * @param sentAt the time when the login was sent, in milliseconds since the epoch
 * @param early whether there is a margin if the configuration names none
 * @throws FatalError LOGIN_RESPONSE for a value that is neither a number nor a date, and for a token that is not a JSON
 *   Web Token
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

/** Returns the expiry in a token. The time is the API's: the margin compensates for clocks that differ. */
function fromToken(expires: FromToken, value: Json | undefined, sentAt: number, early: boolean): Expiry {
  const end = endOfToken(expires.path, value);
  return end === undefined ? {} : endingAt(Number(end), end, expires.margin, sentAt, early);
}

/** @returns Unix seconds; `undefined` for a token without an end */
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
  // The comparison is in whole seconds, as the value is: a token that ends in this second is not late, but only valid
  // for one request.
  const past = end < Math.floor(sentAt / 1000) * 1000;
  const expiresAt = lessMargin(end, margin, sentAt, early);
  return { expiresAt, ...(past ? { past: isScalar(value) ? textOf(value) : '' } : {}) };
}

/** Subtracts the margin. It is at most half of the lifetime, or there would be a login before every request. */
function lessMargin(endOrNever: number, seconds: number | undefined, sentAt: number, early: boolean): number {
  const end = Math.min(endOrNever, END_OF_TIME);
  const lifetime = Math.max(end - sentAt, 0);
  const byDefault = early ? Math.min(lifetime / 10, LONGEST_MARGIN) : 0;
  const margin = seconds === undefined ? byDefault : Math.min(seconds * 1000, lifetime / 2);
  return end - margin;
}

/** Returns a number, or the number that a string holds. */
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

/** Returns a doubt about a number without a unit. */
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

/** Returns the error for an unreadable value, without the value: a wrong path may lead to the token. */
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

const SHORTEST = 60_000;
/** The largest plausible times in milliseconds: a lifetime of 31 years, and a moment in the year 5138. */
const LONGEST = 1e12;
const LATEST = 1e14;
const DAY = 86_400;
/** A year in seconds, with 366 days. */
const YEAR = 366 * DAY;

/**
 * Returns whether a lifetime in seconds is probably in milliseconds: a minute or more, in whole thousands, and unlikely
 * in seconds, because it is neither whole days nor below a year. 900000 is a quarter of an hour in milliseconds, and
 * ten days and ten hours in seconds; 2592000 is 30 days.
 */
export const looksLikeMilliseconds = (lifetime: number): boolean =>
  lifetime >= SHORTEST && lifetime <= LONGEST && lifetime % 1000 === 0 && (lifetime % DAY !== 0 || lifetime > YEAR);

/**
 * Returns whether a Unix time is probably in milliseconds: as milliseconds it is from 1973 on, as seconds it would be
 * from 5138 on.
 */
export const isUnixMilliseconds = (time: number): boolean => time >= 1e11 && time < LATEST;

/**
 * Matches header, claims and signature of a JSON Web Token in compact form; an unsecured one has an empty signature.
 */
const COMPACT = /^([\w-]+)\.([\w-]+)\.([\w-]*)$/;

/**
 * Returns the claims of a JSON Web Token (RFC 7519). Its signature is not verified: the API that accepts the token does
 * that, and the claims only determine when to log in again.
 *
 * @returns `undefined` if the text is not such a token
 * @example claimsOf('eyJhbGciOiJub25lIn0.eyJleHAiOjE3MDAwMDAwMDB9.') // { exp: 1700000000 }
 */
export function claimsOf(token: string): JsonObject | undefined {
  const [, header = '', claims = ''] = COMPACT.exec(token.trim()) ?? [];
  return objectIn(header) === undefined ? undefined : objectIn(claims);
}

function objectIn(encoded: string): JsonObject | undefined {
  try {
    const value = parseJson(Buffer.from(encoded, 'base64url').toString('utf8'));
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
