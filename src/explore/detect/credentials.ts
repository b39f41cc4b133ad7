import { withLiterals } from '../../language/references/reference';
import { FatalError } from '../../core/errors/errors';
import { merge } from '../../core/json/objects';
import type { Json, JsonObject } from '../../core/model';
import { replaceSecrets, secretReference, variableOf, type SecretReference } from './secrets';
import { sendsParams, type Credential, type Subject } from './subject';

/** The credentials of a configuration: parts of `api`, and attributes of `config`. */
export interface WrittenCredentials {
  readonly authentication?: JsonObject;
  /** For `api.http.headers`. */
  readonly headers: JsonObject;
  /** For the parameters of each request. */
  readonly params: JsonObject;
  readonly attributes: JsonObject;
}

/**
 * Returns the credentials for a configuration: one as the matching type of authentication, others as headers and parameters.
 *
 * @throws FatalError CONFIG_INVALID if no configuration can combine them
 * @param withSecrets whether it contains the secrets themselves, for a configuration that is not written; unknown ones
 * are then left out
 */
export function writtenCredentials(
  subject: Pick<Subject, 'credentials' | 'method' | 'body' | 'isForm'>,
  withSecrets: boolean,
): WrittenCredentials {
  const known = subject.credentials.filter(({ secret }) => !withSecrets || secret !== '');
  const inQuery = known.filter((each) => each.kind === 'query');
  const main = mainOf(known);
  // The job sends parameters in the body, while that type of authentication puts all of them into the address.
  const isByQuery = sendsParams(subject) && inQuery.some((each) => each !== main);
  if (isByQuery && known.some(({ kind }) => kind === 'client')) throw tooMany();
  const headers: Record<string, Json> = {};
  const params: Record<string, Json> = {};
  let attributes: JsonObject = {};
  for (const each of known) {
    if ((each === main && !isByQuery) || each.kind === 'client') continue;
    const { value, attributes: own } = referenceTo(each, withSecrets);
    attributes = merge(attributes, own);
    if (each.kind === 'query') params[each.name] = value;
    else if (each.kind === 'header')
      headers[each.name] = each.scheme === undefined ? value : concat(`${each.scheme} `, value);
    else if (each.kind === 'bearer') headers['authorization'] = concat(`${each.scheme} `, value);
    else if (each.kind === 'basic' && isByQuery) headers['authorization'] = basic(value);
  }
  if (isByQuery) return { authentication: { type: 'query', query: params }, headers, params: {}, attributes };
  if (main === undefined) return { headers, params, attributes };
  const { authentication, attributes: own } = authenticationOf(main, withSecrets);
  return { authentication, headers, params, attributes: merge(own, attributes) };
}

function referenceTo(
  credential: Exclude<Credential, { readonly kind: 'client' }>,
  withSecrets: boolean,
): SecretReference {
  const { kind, secret } = credential;
  const given = withSecrets ? secret : undefined;
  if (kind !== 'basic') return secretReference(credential.attribute, given);
  const { value, attributes } = secretReference('#password', given);
  return { value, attributes: merge({ username: usernameOf(credential) }, attributes) };
}

const usernameOf = ({ username }: { readonly username: string }): Json =>
  username === '' ? { env: variableOf('username') } : username;

const concat = (...args: readonly Json[]): JsonObject => ({ function: 'concat', args });
const basic = (password: Json): JsonObject =>
  concat('Basic ', { function: 'base64_encode', args: [concat({ attr: 'username' }, ':', password)] });

const tooMany = (): FatalError =>
  new FatalError(
    'CONFIG_INVALID',
    'The request has secrets in its address, a form, and credentials of OAuth 2.0: a configuration cannot have all of them.',
  );

/** Returns whether a header cannot be an `apiKey`: a cookie, since `api.http.cookies` may add to it, or a secret after a scheme. */
const staysHeader = (each: Credential): boolean =>
  each.kind === 'header' && (each.name === 'cookie' || each.scheme !== undefined);

/** Returns the credential that becomes `api.authentication`. */
function mainOf(credentials: readonly Credential[]): Credential | undefined {
  const kinds = ['basic', 'client', 'bearer', 'query', 'header'] as const;
  return kinds
    .map((kind) => credentials.find((each) => each.kind === kind && !staysHeader(each)))
    .find((each) => each !== undefined);
}

function authenticationOf(
  credential: Credential,
  withSecrets: boolean,
): { readonly authentication: JsonObject; readonly attributes: JsonObject } {
  const { kind, secret } = credential;
  const given = withSecrets ? secret : undefined;
  if (kind === 'basic')
    return {
      authentication: { type: 'basic' },
      attributes: merge({ username: usernameOf(credential) }, secretReference('#password', given).attributes),
    };
  if (kind === 'client') {
    const { tokenEndpoint, scope, clientId } = credential;
    return {
      authentication: { type: 'oauth2', tokenEndpoint, ...(scope === undefined ? {} : { scope }) },
      attributes: merge(
        { clientId: clientId === '' ? { env: variableOf('clientId') } : clientId },
        secretReference('#clientSecret', given).attributes,
      ),
    };
  }
  const value = given ?? { env: variableOf(credential.attribute) };
  if (kind === 'bearer') {
    const scheme = /^bearer$/i.test(credential.scheme) ? {} : { scheme: credential.scheme };
    return { authentication: { type: 'bearer', token: value, ...scheme }, attributes: {} };
  }
  const place = kind === 'query' ? { in: 'query' } : {};
  return { authentication: { type: 'apiKey', name: credential.name, key: value, ...place }, attributes: {} };
}

/**
 * Returns a body with references in place of its secrets. Values of the body that look like references stay literal: the author of the
 * request must not read environment variables of another user.
 */
export const writtenBody = (body: Json, credentials: readonly Credential[]): Json =>
  replaceSecrets(withLiterals(body), (name, secret) => {
    const own = credentials.find((each) => each.kind === 'body' && each.name === name && each.secret === secret);
    return own?.kind === 'body' ? secretReference(own.attribute).value : null;
  });

const PLACES = { query: 'parameter', header: 'header', body: 'body, at' } as const;

/** Returns a sentence about the credentials of a request; `undefined`: it has none. */
export function describeCredentials(credentials: readonly Credential[]): string | undefined {
  const carried = credentials.map((each) => {
    if (each.kind === 'basic') return 'a name and a password (Basic)';
    if (each.kind === 'client') return `a token of OAuth 2.0, for client credentials, from ${each.tokenEndpoint}`;
    if (each.kind === 'bearer') return `a token in the header Authorization (${each.scheme})`;
    return `a secret in the ${PLACES[each.kind]} ${each.name}`;
  });
  return carried.length === 0 ? undefined : `The request carries ${carried.join(', and ')}.`;
}
