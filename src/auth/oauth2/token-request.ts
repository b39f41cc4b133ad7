import { merge } from '../../core/json/objects';
import type { CredentialStore, JsonObject } from '../../core/model';
import type { LoginWritten } from '../login/options';

/** The options of `oauth2` for its requests. */
export interface Oauth2Options extends Pick<LoginWritten, 'margin' | 'refusedStatusCodes'> {
  readonly tokenEndpoint: string | JsonObject;
  readonly grant: (typeof GRANTS)[number];
  readonly scope?: string;
  readonly clientAuthentication: 'basic' | 'body' | 'none';
  readonly authorizationEndpoint?: string | JsonObject;
  readonly deviceAuthorizationEndpoint?: string | JsonObject;
  readonly authorizationParams: JsonObject;
  readonly params: JsonObject;
}

/** The grants that need a person at a browser. */
export type InteractiveGrant = 'authorization_code' | 'device_code';
export const GRANTS = ['client_credentials', 'password', 'refresh_token', 'authorization_code', 'device_code'] as const;

/** Returns whether a person has to log in, with `headwater login`. */
export const isInteractive = (grant: Oauth2Options['grant']): grant is InteractiveGrant =>
  grant === 'authorization_code' || grant === 'device_code';

/** The credentials; those that a grant does not need are empty. */
export interface Oauth2Credentials {
  readonly clientId: string;
  readonly clientSecret: string;
  readonly username: string;
  readonly password: string;
  readonly refreshToken: string;
}

/** The name of the refresh token in the state. */
const KEPT = 'refreshToken';

/** A request to the server in the form of the type `login`. */
export type FormWritten = LoginWritten['loginRequest'];

/** Returns a form with the authentication of the client. */
export function formOf(
  { endpoint, params, scope }: Form,
  options: Oauth2Options,
  credentials: Oauth2Credentials,
): FormWritten {
  const more = merge(scope === undefined ? {} : { scope }, options.params);
  return {
    endpoint,
    method: 'FORM',
    params: [inBody(options, credentials), more].reduce<JsonObject>(merge, params),
    functionsInLists: false,
    headers: merge({ Accept: 'application/json' }, inHeader(options, credentials)),
  };
}

interface Form {
  readonly endpoint: string | JsonObject;
  readonly params: JsonObject;
  readonly scope: string | undefined;
}

/** Returns the equivalent `login` of an `oauth2` (docs/language/authentication/oauth2.md). */
export function asLogin(options: Oauth2Options, credentials: Oauth2Credentials): LoginWritten {
  const { tokenEndpoint: endpoint, scope, margin, refusedStatusCodes } = options;
  const request = (params: JsonObject): FormWritten => formOf({ endpoint, params, scope }, options, credentials);
  return {
    loginRequest: request(grantParams(options, credentials)),
    refreshRequest: request({ grant_type: 'refresh_token', refresh_token: { state: KEPT } }),
    persist: { [KEPT]: 'refresh_token' },
    format: 'json',
    apiRequest: {
      headers: { Authorization: { function: 'concat', args: ['Bearer ', { response: 'access_token' }] } },
      query: {},
    },
    expires: { kind: 'response', path: 'expires_in', relative: true },
    margin,
    refusedStatusCodes,
  };
}

function grantParams({ grant }: Oauth2Options, { username, password, refreshToken }: Oauth2Credentials): JsonObject {
  switch (grant) {
    case 'client_credentials':
      return { grant_type: grant };
    // A person logs in, so this request is never sent; it only identifies the login.
    case 'authorization_code':
    case 'device_code':
      return { grant_type: grant };
    case 'password':
      return { grant_type: grant, username, password };
    case 'refresh_token':
      return { grant_type: grant, refresh_token: refreshToken };
  }
}

function inBody({ clientAuthentication }: Oauth2Options, { clientId, clientSecret }: Oauth2Credentials): JsonObject {
  if (clientAuthentication === 'basic') return {};
  return { client_id: clientId, ...(clientAuthentication === 'body' ? { client_secret: clientSecret } : {}) };
}

const inHeader = ({ clientAuthentication }: Oauth2Options, credentials: Oauth2Credentials): JsonObject =>
  clientAuthentication === 'basic' ? { Authorization: `Basic ${basicPair(credentials)}` } : {};

/**
 * Returns the pair for basic authentication: name and secret are form-encoded before they become a header (RFC 6749
 * section 2.3.1).
 */
export const basicPair = ({ clientId, clientSecret }: Oauth2Credentials): string =>
  Buffer.from(`${formEncoded(clientId)}:${formEncoded(clientSecret)}`).toString('base64');

const formEncoded = (text: string): string => new URLSearchParams([['', text]]).toString().slice(1);

/** Returns the strings that must not be printed, in all their encodings. */
export const secretsOf = (credentials: Oauth2Credentials): readonly string[] => {
  const { clientSecret, password, refreshToken } = credentials;
  return [clientSecret, password, refreshToken, ...(clientSecret === '' ? [] : [basicPair(credentials)])];
};

/** Creates a store that lasts as long as the run. */
export function inMemory(): CredentialStore {
  const kept = new Map<string, ReadonlyMap<string, string>>();
  return {
    read: (login) => kept.get(login) ?? new Map(),
    write: (login, values) => {
      kept.set(login, new Map([...(kept.get(login) ?? []), ...values]));
      return Promise.resolve();
    },
  };
}
