import type { Documentation } from '../language/codec/documentation';

/** What the OAuth types take from `authorization` (docs/language/configuration.md#authorization). */
export const oauthNeeds = (data: Documentation): Readonly<Record<string, Documentation>> => ({
  'authorization.oauth_api.credentials.#data': data,
  'authorization.oauth_api.credentials.appKey': {
    about: 'The key, or client id, of the application. It must be there, but may be empty.',
    example: 'river',
  },
  'authorization.oauth_api.credentials.#appSecret': {
    about: 'The secret of the application. It must be there, but may be empty.',
    example: 's3',
  },
});
