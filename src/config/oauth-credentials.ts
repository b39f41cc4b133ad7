import { isLeft } from 'fp-ts/lib/Either';
import * as t from 'io-ts';
import { parseJson } from '../json/parse';
import { isBlank } from '../json/blank';
import { isObject } from '../json/keys';
import { textOf, typeName } from '../json/text';
import type { Json, JsonObject } from '../model';
import { codec, contextAt, expected, map, refuse, type Codec, type Input } from '../codec/codec';
import type { Oauth10Credentials, OauthCredentials } from './configuration';
import { isMissing, text, valueOf } from '../codec/primitives';
import { always, record, required } from '../codec/record';
import { anyKey } from '../codec/unknown-key';

const CREDENTIALS = ['authorization', 'oauth_api', 'credentials'];
const DATA = [...CREDENTIALS, '#data'];

/** A text or a number that is there, even if empty. */
const given = (why: string): Codec<string> =>
  codec('Given', { type: ['string', 'number'] }, (input, context) => {
    if (isMissing(input)) return refuse(input, context, `required: ${why}`);
    return typeof input === 'string' || typeof input === 'number' || typeof input === 'bigint'
      ? t.success(textOf(input))
      : expected('a text', input, context);
  });

const credentials: Codec<OauthCredentials> = map(
  'OauthCredentials',
  record(
    'OauthCredentialsAsWritten',
    {
      '#data': always(given('the OAuth tokens')),
      appKey: always(given('the key (client id) of the OAuth application')),
      '#appSecret': always(given('the secret of the OAuth application')),
    },
    anyKey,
  ),
  (written) => ({ data: written['#data'], appKey: written.appKey, appSecret: written['#appSecret'] }),
);

/** `authorization.oauth_api.credentials` (language 4.6, 4.7). */
export function oauthCredentials(authorization: Input): t.Validation<OauthCredentials> {
  const written = valueOf(valueOf(authorization, 'oauth_api'), 'credentials');
  return isBlank(written)
    ? refuse(written, contextAt(CREDENTIALS), 'required: the OAuth credentials; this type of authentication needs them')
    : credentials.validate(written, contextAt(CREDENTIALS));
}

/** The JSON that `#data` holds as text. The fault does not quote it. */
export function parsedData(data: string): t.Validation<Json> {
  try {
    return t.success(parseJson(data));
  } catch {
    return refuse(data, contextAt(DATA), 'expected JSON as text, found text that is not valid JSON');
  }
}

/** {@link parsedData} that must be an object. */
export function parsedDataObject(data: string): t.Validation<JsonObject> {
  const parsed = parsedData(data);
  if (isLeft(parsed)) return parsed;
  return isObject(parsed.right)
    ? t.success(parsed.right)
    : refuse(data, contextAt(DATA), `expected a JSON object as text, found JSON of type "${typeName(parsed.right)}"`);
}

const tokens = record(
  'Oauth10Tokens',
  {
    oauth_token: required(text, 'the OAuth 1.0 token'),
    oauth_token_secret: required(text, 'the secret of the OAuth 1.0 token'),
  },
  anyKey,
);

/** The credentials of OAuth 1.0 (language 4.6). */
export function oauth10Credentials({ data, appKey, appSecret }: OauthCredentials): t.Validation<Oauth10Credentials> {
  const parsed = parsedDataObject(data);
  if (isLeft(parsed)) return parsed;
  const found = tokens.validate(parsed.right, contextAt(DATA));
  if (isLeft(found)) return found;
  const { oauth_token: token, oauth_token_secret: tokenSecret } = found.right;
  return t.success({ consumerKey: appKey, consumerSecret: appSecret, token, tokenSecret });
}
