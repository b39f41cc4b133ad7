import type { OauthCredentials } from '../../parts/authentication/surroundings';
import { andThen, invalid, mapValid, type Checked } from '../../codec/checked';
import { map, readAt, type Codec, type Input } from '../../codec/codec';
import type { Finding } from '../../codec/finding';
import { given } from '../../codec/json-string';
import { valueOf } from '../../codec/primitives';
import { always, record } from '../../codec/record';
import { anyKey } from '../../codec/unknown-key';
import { isBlank } from '../../../core/json/blank';

const CREDENTIALS = ['authorization', 'oauth_api', 'credentials'];
const DATA = [...CREDENTIALS, '#data'];

const credentials: Codec<OauthCredentials> = map(
  'OauthCredentials',
  record(
    'OauthCredentialsAsWritten',
    {
      '#data': always(given('the OAuth tokens'), {
        about: 'The tokens, as a string; for most types it holds JSON.',
        example: '{"access_token": "…"}',
      }),
      appKey: always(given('the key (client id) of the OAuth application'), {
        about: 'The client id of the application.',
        example: 'app-1',
      }),
      '#appSecret': always(given('the secret of the OAuth application'), {
        about: 'The client secret of the application.',
        example: '…',
      }),
    },
    anyKey,
  ),
  (written) => ({ data: written['#data'], appKey: written.appKey, appSecret: written['#appSecret'] }),
);

/** `authorization.oauth_api.credentials` (docs/language/configuration.md#authorization). */
export function oauthCredentials(authorization: Input): Checked<OauthCredentials, Finding> {
  const written = valueOf(valueOf(authorization, 'oauth_api'), 'credentials');
  return isBlank(written)
    ? invalid({
        path: CREDENTIALS,
        message: 'required: the OAuth credentials; this type of authentication needs them',
      })
    : readAt(credentials, written, CREDENTIALS);
}

/** {@link oauthCredentials}, with what the string in `#data` holds. */
export const oauthWith = <D>(authorization: Input, data: Codec<D>): Checked<OauthCredentials<D>, Finding> =>
  andThen(oauthCredentials(authorization), (read) =>
    mapValid(readAt(data, read.data, DATA), (inside) => ({ ...read, data: inside })),
  );
