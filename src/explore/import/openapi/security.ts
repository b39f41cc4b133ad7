import { attributeFor, type Credential } from '../../detect/subject';
import { entriesOf, isList, isObject, ownValue, stringAt } from '../../../core/json/objects';
import type { Json, JsonObject } from '../../../core/model';
import { parseUrl } from '../../../core/url/address';
import type { References } from './references';

/** The credentials that a document asks for; secrets are empty, since no document contains them. */
export interface Wanted {
  readonly credentials: readonly Credential[];
  readonly warnings: readonly string[];
}

/**
 * Returns the credentials of an operation: the first choice that a configuration can use without a person.
 *
 * @param security the requirements of the operation, or else of the document
 * @param schemes the schemes by their names
 * @param baseUrl the base of a relative token endpoint
 */
export function wantedBy(
  security: Json | undefined,
  schemes: JsonObject,
  references: References,
  baseUrl: string | undefined,
): Wanted {
  const choices = isList(security) ? security.filter(isObject) : [];
  const read = choices.map((choice) =>
    entriesOf(choice).map(([name, scopes]) => credentialOf(name, references.follow(ownValue(schemes, name)), scopes)),
  );
  const known = read.filter((choice) => choice.length > 0);
  const chosen = known.find((choice) => choice.every(({ warning }) => warning === undefined)) ?? known[0] ?? [];
  return {
    credentials: chosen.flatMap(({ credential }) => (credential === undefined ? [] : [credential])),
    warnings: chosen.flatMap(({ warning }) => (warning === undefined ? [] : [warning])),
  };

  function credentialOf(name: string, scheme: JsonObject | undefined, scopes: Json): Read {
    const text = (key: string): string => stringAt(scheme, key) ?? '';
    const type = text('type');
    if (type === 'basic' || (type === 'http' && /^basic$/i.test(text('scheme'))))
      return { credential: { kind: 'basic', username: '', secret: '' } };
    if (type === 'http' && /^digest$/i.test(text('scheme')))
      return { warning: `The scheme "${name}" is Digest: write "digest" in api.authentication.` };
    if (type === 'http') return { credential: { ...TOKEN, scheme: schemeOf(text('scheme')) } };
    if (type === 'apiKey') return keyOf(text('in'), text('name'));
    if (type === 'oauth2') return grantOf(name, scheme ?? {}, scopes);
    if (type === 'openIdConnect')
      return { credential: TOKEN, warning: `The scheme "${name}" is OpenID Connect: a token of it is taken.` };
    return { warning: `The scheme "${name}" is not known: credentials for it are missing.` };
  }

  function grantOf(name: string, scheme: JsonObject, scopes: Json): Read {
    const flows = ownValue(scheme, 'flows');
    const flow = isObject(flows)
      ? references.follow(ownValue(flows, 'clientCredentials'))
      : ownValue(scheme, 'flow') === 'application'
        ? scheme
        : undefined;
    const written = flow === undefined ? undefined : ownValue(flow, 'tokenUrl');
    const endpoint = typeof written === 'string' ? parseUrl(written, baseUrl) : undefined;
    if (endpoint === undefined || !/^https?:$/.test(endpoint.protocol))
      return {
        credential: TOKEN,
        warning: `The scheme "${name}" is OAuth 2.0 without a grant for clients alone: a token of it is taken. See api.authentication of type oauth2 for logins of people.`,
      };
    const words = isList(scopes) ? scopes.filter((scope) => typeof scope === 'string') : [];
    const scope = words.length === 0 ? {} : { scope: words.join(' ') };
    return {
      credential: { kind: 'client', tokenEndpoint: endpoint.href, ...scope, clientId: '', secret: '' },
    };
  }
}

interface Read {
  readonly credential?: Credential;
  readonly warning?: string;
}

const TOKEN = { kind: 'bearer', scheme: 'Bearer', attribute: '#token', secret: '' } as const;

const HEADER_NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;

const schemeOf = (text: string): string => (text === '' || /^bearer$/i.test(text) ? 'Bearer' : text);

function keyOf(place: string, name: string): Read {
  if (!(place === 'query' ? name !== '' : HEADER_NAME.test(name)))
    return { warning: 'An API key has no name that a header or a parameter can have.' };
  const attribute = attributeFor(name);
  if (place === 'query') return { credential: { kind: 'query', name, attribute, secret: '' } };
  if (place === 'header') return { credential: { kind: 'header', name: name.toLowerCase(), attribute, secret: '' } };
  return {
    credential: { kind: 'header', name: 'cookie', attribute: '#cookie', secret: '' },
    warning: `The key "${name}" is a cookie: the variable has to have all of the header, ${name}=….`,
  };
}
