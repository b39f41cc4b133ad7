import type { Json, JsonObject } from '../model';
import { replaceSecrets } from './body-secrets';
import { secretReference } from './secret-reference';
import type { Credential } from './subject';

/** What configurations have of credentials: parts of `api`, and attributes of `config`. */
export interface WrittenCredentials {
  readonly authentication?: JsonObject;
  /** For `api.http.headers`. */
  readonly headers: JsonObject;
  readonly attributes: JsonObject;
}

/**
 * Credentials as a configuration has them.
 *
 * @param withSecrets whether the secrets themselves stand there, for a configuration that is not written
 */
export function writtenCredentials(credentials: readonly Credential[], withSecrets: boolean): WrittenCredentials {
  const query: Record<string, Json> = {};
  const headers: Record<string, Json> = {};
  const attributes: Record<string, Json> = {};
  let isBasic = false;
  for (const each of credentials) {
    if (each.kind === 'basic') {
      isBasic = true;
      attributes['username'] = each.username;
      Object.assign(attributes, secretReference('#password', withSecrets ? each.secret : undefined).attributes);
      continue;
    }
    const reference = secretReference(each.attribute, withSecrets ? each.secret : undefined);
    Object.assign(attributes, reference.attributes);
    if (each.kind === 'query') query[each.name] = reference.value;
    else if (each.kind === 'body') continue;
    else if (each.kind === 'header') headers[each.name] = reference.value;
    else headers['authorization'] = { function: 'concat', args: [`${each.scheme} `, reference.value] };
  }
  const hasQuery = Object.keys(query).length > 0;
  return {
    ...(isBasic ? { authentication: { type: 'basic' } } : hasQuery ? { authentication: { type: 'query', query } } : {}),
    headers,
    attributes,
  };
}

/** A body with references in the place of its secrets. */
export const writtenBody = (body: Json, credentials: readonly Credential[]): Json =>
  replaceSecrets(body, (name, secret) => {
    const own = credentials.find((each) => each.kind === 'body' && each.name === name && each.secret === secret);
    return own?.kind === 'body' ? secretReference(own.attribute).value : null;
  });

const PLACES = { query: 'parameter', header: 'header', body: 'body, at' } as const;

/** What the credentials of a request are, in a sentence; `undefined`: it has none. */
export function toldCredentials(credentials: readonly Credential[]): string | undefined {
  const told = credentials.map((each) => {
    if (each.kind === 'basic') return 'a name and a password (Basic)';
    if (each.kind === 'bearer') return `a token in the header Authorization (${each.scheme})`;
    return `a secret in the ${PLACES[each.kind]} ${each.name}`;
  });
  return told.length === 0 ? undefined : `The request carries ${told.join(', and ')}.`;
}
