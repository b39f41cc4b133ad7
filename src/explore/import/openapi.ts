/** An OpenAPI document as requests for lists. */
import { FatalError } from '../../core/errors/errors';
import { isObject, ownValue } from '../../core/json/keys';
import { parseJson } from '../../core/json/parse';
import type { Json, JsonObject } from '../../core/model';
import { readYamlText } from '../../language/reading/yaml';
import { UnreadableText } from '../../language/reading/source';
import { withParents } from './children';
import type { Imported } from './imported';
import { baseUrlOf } from './openapi/base-url';
import { listsOf } from './openapi/lists';
import { referencesIn } from './openapi/references';
import { wantedBy } from './openapi/security';

/** What a document does not say. */
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
 * Reads an OpenAPI document (3.0, 3.1) or one of Swagger 2: its GET operations that give lists, and which of them are called for the
 * items of others. Nothing is requested: references to other documents are told, and not followed.
 *
 * @param text JSON or YAML
 * @throws FatalError CONFIG_INVALID where it is none, or where it names no list
 * @example importOpenApi(await readFile('openapi.yaml', 'utf8')).beginnings.map(({ id }) => id) // ['/users', '/users/{id}/posts']
 */
export function importOpenApi(text: string, { url, baseUrl: given }: OpenApiOptions = {}): Imported {
  const document = documentOf(text);
  const references = referencesIn(document);
  const baseUrl = given === undefined ? baseUrlOf(document, url) : `${given.replace(/\/$/, '')}/`;
  const told = new Set<string>();
  const schemes = schemesOf(document);
  const credentials = (operation: JsonObject) => {
    const security = ownValue(operation, 'security') ?? ownValue(document, 'security');
    const wanted = wantedBy(security, schemes, references, baseUrl);
    for (const warning of wanted.warnings) told.add(warning);
    return wanted.credentials;
  };
  const beginnings = withParents(listsOf(document, { baseUrl, references, credentials }));
  if (beginnings.length === 0)
    throw refused(`it describes no GET operation that gives a list${externalNote(references.external)}`);
  const info = ownValue(document, 'info');
  const title = isObject(info) ? ownValue(info, 'title') : undefined;
  return {
    kind: 'openapi',
    title: typeof title === 'string' ? title : 'an API',
    ...(baseUrl === undefined ? {} : { baseUrl }),
    beginnings,
    warnings: [
      ...told,
      ...(references.external.size === 0
        ? []
        : [`Other documents are not read${externalNote(references.external)}: bundle the document first.`]),
    ],
  };
}

/**
 * Tells whether a string is an OpenAPI document, as far as its beginning says.
 *
 * @example looksLikeOpenApi('openapi: 3.1.0') // true
 */
export const looksLikeOpenApi = (text: string): boolean =>
  /(?:^|[\s{,])["']?(?:openapi|swagger)["']?\s*:\s*["']?[23]\./.test(text.slice(0, 20_000));

function documentOf(text: string): JsonObject {
  if (text.length > LONGEST) throw refused(`it has more than ${LONGEST} characters`);
  const document = parsed(text);
  const version = isObject(document) ? (ownValue(document, 'openapi') ?? ownValue(document, 'swagger')) : undefined;
  // YAML without quotation marks makes a number of the version of Swagger 2.
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

function schemesOf(document: JsonObject): JsonObject {
  const components = ownValue(document, 'components');
  const schemes = isObject(components)
    ? ownValue(components, 'securitySchemes')
    : ownValue(document, 'securityDefinitions');
  return isObject(schemes) ? schemes : {};
}

function externalNote(external: ReadonlySet<string>): string {
  if (external.size === 0) return '';
  const shown = [...external].slice(0, SHOWN).map((each) => each.slice(0, 100));
  return ` (it refers to ${shown.join(', ')}${external.size > SHOWN ? ', …' : ''})`;
}

const refused = (why: string, cause?: unknown): FatalError =>
  new FatalError('CONFIG_INVALID', `This OpenAPI document cannot be used: ${why}.`, { cause });
