import { withLiterals } from '../config/references/reference';
import { merge } from '../json/merge';
import type { Json, JsonObject } from '../model';
import { replaceSecrets } from './body-secrets';
import { secretReference, variableOf } from './secret-reference';
import type { Credential } from './subject';

/** What configurations have of credentials: parts of `api`, and attributes of `config`. */
export interface WrittenCredentials {
  readonly authentication?: JsonObject;
  /** For `api.http.headers`. */
  readonly headers: JsonObject;
  /** For the parameters of each request. */
  readonly params: JsonObject;
  readonly attributes: JsonObject;
}

/**
 * Credentials as a configuration has them: one as the type of authentication that is made for it, others as headers and parameters.
 *
 * @param withSecrets whether the secrets themselves stand there, for a configuration that is not written; those that are not known
 * are left out then
 */
export function writtenCredentials(credentials: readonly Credential[], withSecrets: boolean): WrittenCredentials {
  const known = credentials.filter(({ secret }) => !withSecrets || secret !== '');
  const main = mainOf(known);
  const headers: Record<string, Json> = {};
  const params: Record<string, Json> = {};
  let attributes: JsonObject = {};
  for (const each of known) {
    if (each === main || each.kind === 'basic' || each.kind === 'client') continue;
    const reference = secretReference(each.attribute, withSecrets ? each.secret : undefined);
    attributes = merge(attributes, reference.attributes);
    if (each.kind === 'query') params[each.name] = reference.value;
    else if (each.kind === 'header') headers[each.name] = reference.value;
    else if (each.kind === 'bearer')
      headers['authorization'] = { function: 'concat', args: [`${each.scheme} `, reference.value] };
  }
  if (main === undefined) return { headers, params, attributes };
  const { authentication, attributes: own } = authenticationOf(main, withSecrets);
  return { authentication, headers, params, attributes: merge(own, attributes) };
}

/** The credential that becomes `api.authentication`; a cookie stays a header, since `api.http.cookies` may add to it. */
function mainOf(credentials: readonly Credential[]): Credential | undefined {
  const kinds = ['basic', 'client', 'bearer', 'query', 'header'] as const;
  return kinds
    .map((kind) =>
      credentials.find((each) => each.kind === kind && !(each.kind === 'header' && each.name === 'cookie')),
    )
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
      attributes: merge(
        { username: credential.username === '' ? { env: variableOf('username') } : credential.username },
        secretReference('#password', given).attributes,
      ),
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
 * A body with references in the place of its secrets. What the body has that is like a reference stays what it is: who wrote the request may
 * not read the environment of who takes it over.
 */
export const writtenBody = (body: Json, credentials: readonly Credential[]): Json =>
  replaceSecrets(withLiterals(body), (name, secret) => {
    const own = credentials.find((each) => each.kind === 'body' && each.name === name && each.secret === secret);
    return own?.kind === 'body' ? secretReference(own.attribute).value : null;
  });

const PLACES = { query: 'parameter', header: 'header', body: 'body, at' } as const;

/** What the credentials of a request are, in a sentence; `undefined`: it has none. */
export function toldCredentials(credentials: readonly Credential[]): string | undefined {
  const told = credentials.map((each) => {
    if (each.kind === 'basic') return 'a name and a password (Basic)';
    if (each.kind === 'client') return `a token of OAuth 2.0, for client credentials, from ${each.tokenEndpoint}`;
    if (each.kind === 'bearer') return `a token in the header Authorization (${each.scheme})`;
    return `a secret in the ${PLACES[each.kind]} ${each.name}`;
  });
  return told.length === 0 ? undefined : `The request carries ${told.join(', and ')}.`;
}
