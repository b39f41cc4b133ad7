import { isBlank } from '../../json/blank';
import { isObject } from '../../json/keys';
import { accept, codec, expected, map, refine, type Codec, type Input } from '../../codec/codec';
import type { OptionFault } from '../../codec/component';
import { flag, integer, isMissing, numeric, NUMERIC_STRING, numericValue, string } from '../../codec/primitives';
import { always, record, required } from '../../codec/record';
import { tolerant } from '../../codec/schema';

/**
 * How long a login lasts (docs/language/authentication.md#renewal). `margin` is how many seconds before the end it is
 * renewed; absent: the default of docs/extensions/credentials.md.
 */
export type Expires =
  | { readonly kind: 'never' }
  | { readonly kind: 'each-request' }
  | { readonly kind: 'after'; readonly seconds: number; readonly margin?: number }
  | { readonly kind: 'response'; readonly path: string; readonly relative: boolean; readonly margin?: number };

const secondsFrom0 = refine('Seconds', numeric, (value, context, input) =>
  value >= 0 ? accept(value) : expected('a number of seconds, 0 or more', input, context),
);

/** The seconds before the end of credentials at which they are renewed (docs/extensions/credentials.md); 0 counts. */
export const margin: Codec<number | undefined> = codec(
  'Margin',
  () => tolerant({ type: 'number', minimum: 0 }, NUMERIC_STRING, { type: 'null' }, { const: '' }),
  (input, context) => (isMissing(input) || input === '' ? accept(undefined) : secondsFrom0.validate(input, context)),
);

const inResponse: Codec<Expires> = map(
  'ExpiresInResponse',
  record('ExpiresInResponseAsWritten', {
    response: required(string, 'the path of the expiry in the login response', {
      about: 'The path in the response of the login that leads to the end of the credentials.',
      example: 'expires_in',
    }),
    relative: always(flag(false), {
      about: 'Whether a number of seconds stands there, counted from the login, and no date or Unix time.',
      example: true,
      default: 'false',
    }),
    margin: always(margin, {
      about: 'How long before their end the credentials are renewed.',
      unit: 'seconds',
      example: 10,
      default: 'a tenth of their life, at most 30 seconds',
    }),
  }),
  ({ response, relative, margin: seconds }) => ({
    kind: 'response',
    path: response,
    relative,
    ...(seconds === undefined ? {} : { margin: seconds }),
  }),
);

const isNever = (input: Input): boolean => input === undefined || input === null || input === false || input === '';

/**
 * `api.authentication.expires` (docs/language/authentication.md#renewal): an absent value, `null`, `false` and the
 * empty string never renew; a number N renews every N seconds, 0 and less before every request; an object names the
 * place in the login response.
 */
export const expires: Codec<Expires> = codec(
  'Expires',
  () => tolerant({ anyOf: [{ type: 'integer' }, inResponse.schema()] }, integer.schema(), { enum: [null, false, ''] }),
  (input, context) => {
    if (isNever(input)) return accept({ kind: 'never' });
    const seconds = numericValue(input);
    if (seconds !== undefined && Number.isInteger(seconds))
      return accept(seconds > 0 ? { kind: 'after', seconds } : { kind: 'each-request' });
    if (isObject(input) && !isBlank(input)) return inResponse.validate(input, context);
    return expected('whole seconds, or an object with "response": a path in the login response', input, context);
  },
  inResponse.notes,
);

/** When credentials end, and the margin beside that. */
interface Life {
  readonly expires: Expires;
  readonly margin: number | undefined;
}

const hasEnd = (life: Expires): life is Extract<Expires, { kind: 'after' | 'response' }> =>
  life.kind === 'after' || life.kind === 'response';

/** How long credentials live, with the margin that stands beside `expires`. */
export const lifeOf = ({ expires: life, margin: seconds }: Life): Expires =>
  seconds === undefined || !hasEnd(life) ? life : { ...life, margin: seconds };

/** A margin that is given twice. */
export const marginFaults = ({ expires: life, margin: seconds }: Life): readonly OptionFault[] =>
  seconds !== undefined && hasEnd(life) && life.margin !== undefined
    ? [{ option: 'margin', message: 'stands in "expires" already' }]
    : [];

/** A margin that nothing ends after, or that is cut (docs/extensions/credentials.md). */
export function marginWarnings({ expires: life, margin: seconds }: Life): readonly OptionFault[] {
  if (seconds === undefined) return [];
  if (!hasEnd(life))
    return [{ option: 'margin', message: 'has no effect: "expires" does not say when credentials end' }];
  return life.kind === 'after' && seconds > life.seconds / 2
    ? [{ option: 'margin', message: `counts as ${life.seconds / 2} seconds: at most half of "expires"` }]
    : [];
}
