/** Reads an OpenAPI document as requests for lists. */
import { firstValueFrom } from 'rxjs';
import { FatalError } from '../../../core/errors/errors';
import { defined, entriesOf, isObject, listAt, objectAt, ownValue, stringAt } from '../../../core/json/objects';
import { parseJson } from '../../../core/json/parse';
import type { Json, JsonObject } from '../../../core/model';
import { parseUrl } from '../../../core/url/address';
import { UnreadableText } from '../../../language/reading/source';
import { readYamlText } from '../../../language/reading/yaml';
import { client } from '../../../run/client';
import type { TransportChoice } from '../../../run/sessions/sessions';
import type { Imported } from '../imported';
import { listsOf, withParents } from './lists';
import { referencesIn } from './references';
import { wantedBy } from './security';

/** Options for what the document lacks. */
export interface OpenApiOptions {
  /** The address of the document: servers may be relative to it. */
  readonly url?: string;
  /** The address of the API; default: the first server of the document. */
  readonly baseUrl?: string;
}

/** Descriptions of very large APIs have some ten million characters. */
const LONGEST = 50_000_000;
const SHOWN = 3;

/**
 * Reads an OpenAPI document (3.0, 3.1) or one of Swagger 2: its GET operations that return lists, and which of them are called for the
 * items of others. Nothing is requested: references to other documents are reported, and not followed.
 *
 * @param text JSON or YAML
 * @throws FatalError CONFIG_INVALID if it is none, or if it names no list
 * @example importOpenApi(await readFile('openapi.yaml', 'utf8')).beginnings.map(({ id }) => id) // ['/users', '/users/{id}/posts']
 */
export function importOpenApi(text: string, { url, baseUrl: given }: OpenApiOptions = {}): Imported {
  const document = documentOf(text);
  const references = referencesIn(document);
  const baseUrl = given === undefined ? baseUrlOf(document, url) : `${given.replace(/\/$/, '')}/`;
  const unique = new Set<string>();
  const schemes = schemesOf(document);
  const credentials = (operation: JsonObject) => {
    const security = ownValue(operation, 'security') ?? ownValue(document, 'security');
    const wanted = wantedBy(security, schemes, references, baseUrl);
    for (const warning of wanted.warnings) unique.add(warning);
    return wanted.credentials;
  };
  const beginnings = withParents(listsOf(document, { baseUrl, references, credentials }));
  if (beginnings.length === 0)
    throw refused(`it describes no GET operation that gives a list${externalNote(references.external)}`);
  return {
    kind: 'openapi',
    title: stringAt(ownValue(document, 'info'), 'title') ?? 'an API',
    ...defined({ baseUrl }),
    beginnings,
    warnings: [
      ...unique,
      ...(references.external.size === 0
        ? []
        : [`Other documents are not read${externalNote(references.external)}: bundle the document first.`]),
    ],
  };
}

/**
 * Returns whether a string is an OpenAPI document, by its beginning.
 *
 * @example looksLikeOpenApi('openapi: 3.1.0') // true
 */
export const looksLikeOpenApi = (text: string): boolean =>
  /(?:^|[\s{,])["']?(?:openapi|swagger)["']?\s*:\s*["']?[23]\./.test(text.slice(0, 20_000));

function documentOf(text: string): JsonObject {
  if (text.length > LONGEST) throw refused(`it has more than ${LONGEST} characters`);
  const document = parsed(text);
  const version = isObject(document) ? (ownValue(document, 'openapi') ?? ownValue(document, 'swagger')) : undefined;
  // YAML without quotation marks reads the version of Swagger 2 as a number.
  const isKnown = version === 2 || (typeof version === 'string' && /^(?:3\.\d|2\.0)/.test(version));
  if (!isObject(document) || !isKnown) throw refused('it names no version of OpenAPI 3 or Swagger 2');
  return document;
}

function parsed(text: string): Json {
  try {
    return /^\s*\{/.test(text) ? parseJson(text) : readYamlText(text).value;
  } catch (cause) {
    throw refused(cause instanceof UnreadableText ? cause.message : 'it is neither JSON nor YAML', cause);
  }
}

const schemesOf = (document: JsonObject): JsonObject =>
  isObject(ownValue(document, 'components'))
    ? objectAt(ownValue(document, 'components'), 'securitySchemes')
    : objectAt(document, 'securityDefinitions');

function externalNote(external: ReadonlySet<string>): string {
  if (external.size === 0) return '';
  const shown = [...external].slice(0, SHOWN).map((each) => each.slice(0, 100));
  return ` (it refers to ${shown.join(', ')}${external.size > SHOWN ? ', …' : ''})`;
}

const refused = (why: string, cause?: unknown): FatalError =>
  new FatalError('CONFIG_INVALID', `This OpenAPI document cannot be used: ${why}.`, { cause });

/**
 * Returns the address of the API: that of the first server, with the default values of its variables; in Swagger 2 that of the host.
 *
 * @param from the address of the document, which servers may be relative to
 * @returns with a `/` at its end; `undefined` if the document lacks it
 */
function baseUrlOf(document: JsonObject, from: string | undefined): string | undefined {
  const written = ownValue(document, 'swagger') === undefined ? serverOf(document) : hostOf(document, from);
  const url = parseUrl(written ?? '/', from);
  if (url === undefined || !/^https?:$/.test(url.protocol)) return undefined;
  url.hash = '';
  url.search = '';
  return url.href.endsWith('/') ? url.href : `${url.href}/`;
}

function serverOf(document: JsonObject): string | undefined {
  const [server] = listAt(document, 'servers');
  return entriesOf(objectAt(server, 'variables')).reduce(
    (text, [name, variable]) => {
      const fallback = stringAt(variable, 'default');
      return fallback === undefined ? text : text?.replaceAll(`{${name}}`, () => fallback);
    },
    stringAt(server, 'url'),
  );
}

function hostOf(document: JsonObject, from: string | undefined): string | undefined {
  const known = listAt(document, 'schemes').filter((each) => each === 'https' || each === 'http');
  const scheme = known.includes('https')
    ? 'https'
    : (known[0] ?? parseUrl(from ?? '')?.protocol.slice(0, -1) ?? 'https');
  const host = stringAt(document, 'host');
  const path = stringAt(document, 'basePath') ?? '/';
  return host === undefined ? path : `${scheme}://${host}${path}`;
}

/** The options for downloading the description of an API; all are optional. */
export interface FetchOpenApiOptions extends Pick<TransportChoice, 'dispatcher' | 'fetch' | 'proxies'> {
  /** Credentials, for a description that is refused without them. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
}

/** Matches addresses with a usual name of an API description. */
const DESCRIPTION = /(?:openapi|swagger|api-docs|schema)[^/]*\/?$|\.ya?ml$/i;
const REFUSED: ReadonlySet<number> = new Set([401, 403]);

/**
 * Downloads the OpenAPI document at an address. It may be at another host than the API: it gets credentials only if it refuses requests
 * without them.
 *
 * @param url absolute, with http or https
 * @returns `undefined` if the address has no name of an API description, so that nothing is requested, or if no
 *   description is there
 * @throws HeadwaterError `NETWORK_…`, if the host cannot be reached
 * @example
 * const text = await fetchOpenApi('https://api.example/openapi.json');
 * const imported = text === undefined ? undefined : importOpenApi(text, { url: 'https://api.example/openapi.json' });
 */
export async function fetchOpenApi(
  url: string,
  { headers = {}, signal, ...transport }: FetchOpenApiOptions = {},
): Promise<string | undefined> {
  if (!URL.canParse(url) || !DESCRIPTION.test(new URL(url).pathname)) return undefined;
  const own = client(
    { baseUrl: new URL('/', url).href, retryConfig: { maxRetries: 2 } },
    { ...transport, ...defined({ signal }) },
  );
  const get = (carried: Readonly<Record<string, string>>) =>
    firstValueFrom(own.request({ method: 'GET', url, headers: { accept: 'application/json, */*;q=0.5', ...carried } }));
  try {
    const first = await get({});
    const response = REFUSED.has(first.status) && Object.keys(headers).length > 0 ? await get(headers) : first;
    const text = response.status < 300 ? Buffer.from(response.body).toString('utf8') : '';
    return looksLikeOpenApi(text) ? text : undefined;
  } finally {
    await own.close();
  }
}
