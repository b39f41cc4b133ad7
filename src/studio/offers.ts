/** Documents that a person begins from: what they offer, and the lists that are chosen of it. */
import { importHar, importOpenApi, looksLikeOpenApi, printable } from '..';
import type { Beginning, Credential, Imported } from '..';
import { variableOf } from '../explore/detect/secrets';
import { RefusedRequest } from './replies';
import type { Choice, GivenCredential, Offer } from './wire';

/** What is chosen of an offer, and what it does not say. */
export interface Chosen {
  readonly offer: number;
  /** Places among the choices. Parents of what is chosen come along. */
  readonly choices: readonly number[];
  readonly baseUrl?: string;
  /** By the name of a placeholder or of a parameter. */
  readonly values: Readonly<Record<string, string>>;
  /** By variable. */
  readonly secrets: Readonly<Record<string, string>>;
}

/** Lists that are chosen, in the document that has them, with the secrets that are known. */
export interface ChosenLists {
  readonly imported: Imported;
  /** Their ids. */
  readonly jobs: readonly string[];
  readonly values: Readonly<Record<string, string>>;
}

export interface Offers {
  /** Reads a document, of which the address may be known; it is kept until another one is read. */
  readonly read: (source: string, url?: string) => Offer;
  readonly chosen: (chosen: Chosen) => ChosenLists;
}

interface Kept {
  readonly number: number;
  readonly source: string;
  readonly url?: string | undefined;
  readonly imported: Imported;
}

/** @example createOffers().read(await readFile('openapi.yaml', 'utf8')).choices.map(({ id }) => id) // ['/ships'] */
export function createOffers(): Offers {
  let kept: Kept | undefined;
  return {
    read: (source, url) => {
      const imported = importedFrom(source, url);
      kept = { number: (kept?.number ?? 0) + 1, source, url, imported };
      return offerOf(kept);
    },
    chosen: ({ offer, choices, baseUrl, values, secrets }) => {
      if (kept?.number !== offer) throw gone();
      if (choices.length === 0) throw new RefusedRequest(422, 'VALUE_MISSING', 'Choose a list.');
      const imported = importedAt(kept, baseUrl);
      const beginnings = imported.beginnings.map(({ request, ...rest }) => ({
        ...rest,
        request: { ...request, credentials: filledCredentials(request.credentials ?? [], secrets) },
      }));
      const jobs = choices.flatMap((choice) => withParents(beginnings, beginnings[choice]));
      return { imported: { ...imported, beginnings }, jobs: [...new Set(jobs)], values };
    },
  };
}

/** The id of a list, behind those of the lists that it is called for. */
function withParents(all: readonly Beginning[], list: Beginning | undefined): readonly string[] {
  if (list === undefined) throw gone();
  if (list.parent === undefined) return [list.id];
  return [
    ...withParents(
      all,
      all.find(({ id }) => id === list.parent),
    ),
    list.id,
  ];
}

function importedFrom(source: string, url: string | undefined): Imported {
  if (looksLikeOpenApi(source)) return importOpenApi(source, url === undefined ? {} : { url });
  if (/^\s*\{/.test(source) || source.startsWith('\ufeff{')) return importHar(source);
  throw new RefusedRequest(422, 'SOURCE_UNREADABLE', 'This is neither an OpenAPI document nor a HAR.');
}

function importedAt({ source, imported }: Kept, baseUrl: string | undefined): Imported {
  if (!wantsBaseUrl(imported)) return imported;
  if (baseUrl === undefined || !/^https?:\/\//i.test(baseUrl) || !URL.canParse(baseUrl))
    throw new RefusedRequest(422, 'VALUE_MISSING', 'Give the address of the API, with http or https.');
  return importOpenApi(source, { baseUrl });
}

const wantsBaseUrl = ({ kind, baseUrl }: Imported): boolean => kind === 'openapi' && baseUrl === undefined;

const offerOf = ({ number, imported }: Kept): Offer => ({
  number,
  kind: imported.kind,
  title: printable(imported.title),
  wantsBaseUrl: wantsBaseUrl(imported),
  choices: imported.beginnings.map((each) => choiceOf(each, imported.beginnings)),
  warnings: imported.warnings.map(printable),
});

function choiceOf({ id, summary, request, missing, parent }: Beginning, all: readonly Beginning[]): Choice {
  const above = parent === undefined ? -1 : all.findIndex((each) => each.id === parent);
  return {
    id: printable(id),
    ...(above === -1 ? {} : { parent: above }),
    ...(summary === undefined ? {} : { summary: printable(summary) }),
    values: missing,
    variables: variablesWanted(request.credentials ?? []),
  };
}

const gone = (): RefusedRequest =>
  new RefusedRequest(409, 'OFFER_GONE', 'Another document was read since: choose it again.');

/** Credentials whose secrets a document cannot say: they come from variables, or from the person. */

/** @returns the variables that stand for what the credentials lack */
const variablesWanted = (credentials: readonly Credential[]): readonly string[] => [
  ...new Set(
    credentials.flatMap((each) => [...partsOf(each)].flatMap(([name, value]) => (value === '' ? [name] : []))),
  ),
];

/** @param values by variable */
const filledCredentials = (
  credentials: readonly Credential[],
  values: Readonly<Record<string, string>>,
): readonly Credential[] =>
  credentials.map((each) => {
    const parts = new Map(
      [...partsOf(each)].map(([name, value]) => [
        name,
        value === '' && Object.hasOwn(values, name) ? (values[name] ?? '') : value,
      ]),
    );
    const at = (attribute: string): string => parts.get(variableOf(attribute)) ?? '';
    if (each.kind === 'basic') return { ...each, username: at('username'), secret: at('#password') };
    if (each.kind === 'client') return { ...each, clientId: at('clientId'), secret: at('#clientSecret') };
    return { ...each, secret: at(each.attribute) };
  });

/** As RFC 9110 has names of headers. */
const HEADER_NAME = /^[\w!#$%&'*+.^`|~-]+$/;

/**
 * The credential that a person gives for an address that wants one.
 *
 * @throws RefusedRequest VALUE_MISSING
 */
export function credentialOf({ kind, name = '', secret = '' }: Partial<GivenCredential>): Credential {
  const isHeader = kind === 'header' && HEADER_NAME.test(name);
  if (secret === '' || /[\r\n\0]/.test(secret) || (kind === 'header' && !isHeader) || (kind === 'basic' && name === ''))
    throw new RefusedRequest(
      422,
      'VALUE_MISSING',
      'The credentials lack a value, or have one that no header can have.',
    );
  if (kind === 'basic') return { kind, username: name, secret };
  if (kind === 'header') return { kind, name: name.toLowerCase(), attribute: '#key', secret };
  return { kind: 'bearer', scheme: 'Bearer', attribute: '#token', secret };
}

/** What a credential is made of, by variable. */
function partsOf(credential: Credential): ReadonlyMap<string, string> {
  const { kind, secret } = credential;
  if (kind === 'basic')
    return new Map([
      [variableOf('username'), credential.username],
      [variableOf('#password'), secret],
    ]);
  if (kind === 'client')
    return new Map([
      [variableOf('clientId'), credential.clientId],
      [variableOf('#clientSecret'), secret],
    ]);
  return new Map([[variableOf(credential.attribute), secret]]);
}
