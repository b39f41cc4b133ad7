import * as t from 'io-ts';
import { isBlank } from '../json/blank';
import { isObject } from '../json/keys';
import { codec, expected, map, refine, type Codec, type Input } from '../codec/codec';
import { flag, integer, isMissing, numeric, numericValue, string } from '../codec/primitives';
import { always, record, required } from '../codec/record';
import { tolerant } from '../codec/schema';

/**
 * How long a login lasts (specification 5 rules 3 to 6). `margin`: seconds before the end at which it is renewed; absent:
 * the default of docs/extensions/credentials.md.
 */
export type Expires =
  | { readonly kind: 'never' }
  | { readonly kind: 'each-request' }
  | { readonly kind: 'after'; readonly seconds: number; readonly margin?: number }
  | { readonly kind: 'response'; readonly path: string; readonly relative: boolean; readonly margin?: number };

const secondsFrom0 = refine('Seconds', numeric, (value, context, input) =>
  value >= 0 ? t.success(value) : expected('a number of seconds, 0 or more', input, context),
);

/** Seconds before the end of credentials at which they are renewed (docs/extensions/credentials.md); 0 counts. */
export const margin: Codec<number | undefined> = codec(
  'Margin',
  () => tolerant({ type: 'number', minimum: 0 }, numeric.schema(), { type: 'null' }, { const: '' }),
  (input, context) => (isMissing(input) || input === '' ? t.success(undefined) : secondsFrom0.validate(input, context)),
);

const inResponse: Codec<Expires> = map(
  'ExpiresInResponse',
  record('ExpiresInResponseAsWritten', {
    response: required(string, 'the path of the expiry in the login response'),
    relative: always(flag(false)),
    margin: always(margin),
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
 * `api.authentication.expires` (specification 5 rules 3 to 6, language 4.5.5): nothing, `null`, `false` and empty text
 * never renew; a number N renews every N seconds, 0 and less before every request; an object names the place in the
 * login response.
 */
export const expires: Codec<Expires> = codec(
  'Expires',
  () => tolerant({ anyOf: [{ type: 'integer' }, inResponse.schema()] }, integer.schema(), { enum: [null, false, ''] }),
  (input, context) => {
    if (isNever(input)) return t.success({ kind: 'never' });
    const seconds = numericValue(input);
    if (seconds !== undefined && Number.isInteger(seconds))
      return t.success(seconds > 0 ? { kind: 'after', seconds } : { kind: 'each-request' });
    if (isObject(input) && !isBlank(input)) return inResponse.validate(input, context);
    return expected('whole seconds, or an object with "response": a path in the login response', input, context);
  },
  inResponse.notes,
);
