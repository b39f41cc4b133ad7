import { isBlank } from '../../core/json/blank';
import { isObject } from '../../core/json/keys';
import { accept, codec, expected, map, noting, refine, type Codec, type Input } from '../../language/codec/codec';
import type { OptionFault } from '../../language/codec/component';
import { pathNotes } from '../../language/codec/path';
import {
  flag,
  integer,
  isMissing,
  numeric,
  NUMERIC_STRING,
  numericValue,
  oneOf,
  string,
} from '../../language/codec/primitives';
import { always, optional, record, required } from '../../language/codec/record';
import { tolerant } from '../../language/codec/schema';
import { looksLikeMilliseconds } from './expiry-unit';
import type { LoginPlace } from './given';
import { loginPlace } from './place';

/**
 * How long a login lasts (docs/language/authentication.md#renewal). `margin` is how many seconds before the end it is
 * renewed; absent: the default of docs/extensions/credentials.md.
 */
export type Expires =
  | { readonly kind: 'never' }
  | { readonly kind: 'each-request' }
  | { readonly kind: 'after'; readonly seconds: number; readonly margin?: number }
  | {
      readonly kind: 'response';
      readonly path: LoginPlace;
      readonly relative: boolean;
      /** The unit of a number; absent: the configuration names none, and seconds are assumed. */
      readonly unit?: 's' | 'ms';
      readonly margin?: number;
    }
  /** The claim `exp` of the JSON Web Token at that place. */
  | { readonly kind: 'jwt'; readonly path: LoginPlace; readonly margin?: number };

const secondsFrom0 = refine('Seconds', numeric, (value, context, input) =>
  value >= 0 ? accept(value) : expected('a number of seconds, 0 or more', input, context),
);

/** The seconds before the end of credentials at which they are renewed (docs/extensions/credentials.md); 0 counts. */
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

/** The form that an object is written in. */
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

/** When credentials end, and the margin beside that. */
interface Life {
  readonly expires: Expires;
  readonly margin: number | undefined;
}

const hasEnd = (life: Expires): life is Extract<Expires, { kind: 'after' | 'response' | 'jwt' }> =>
  life.kind === 'after' || life.kind === 'response' || life.kind === 'jwt';

/** How long credentials live, with the margin that stands beside `expires`. */
export const lifeOf = ({ expires: life, margin: seconds }: Life): Expires =>
  seconds === undefined || !hasEnd(life) ? life : { ...life, margin: seconds };

/** A margin that is given twice. */
export const marginFaults = ({ expires: life, margin: seconds }: Life): readonly OptionFault[] =>
  seconds !== undefined && hasEnd(life) && life.margin !== undefined
    ? [{ option: 'margin', message: 'stands in "expires" already' }]
    : [];

/**
 * A margin that nothing ends after, or that is cut (docs/extensions/credentials.md), and a lifetime that looks like
 * milliseconds.
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
