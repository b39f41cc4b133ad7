/** Documents from which a configuration can be made: their lists, and the choices of the user. */
import { importHar, importOpenApi, looksLikeOpenApi, printable } from '..';
import type { Beginning, Credential, Imported } from '..';
import { variableOf } from '../explore/detect/secrets';
import { RefusedRequest } from './replies';
import type { Choice, GivenCredential, Offer } from './wire';

/** The choices from an offer, and the values that it lacks. */
export interface Chosen {
  readonly offer: number;
  /** Indexes of the choices. Parents of chosen lists are included. */
  readonly choices: readonly number[];
  readonly baseUrl?: string;
  /** The values by the name of a placeholder or of a parameter. */
  readonly values: Readonly<Record<string, string>>;
  /** The secrets by variable. */
  readonly secrets: Readonly<Record<string, string>>;
}

/** The chosen lists of a document, with the known secrets. */
export interface ChosenLists {
  readonly imported: Imported;
  /** Their ids. */
  readonly jobs: readonly string[];
  readonly values: Readonly<Record<string, string>>;
}

export interface Offers {
  /** Reads a document, with its address if that is known; it is kept until another one is read. */
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

/** Returns the ids of a list and its parents, parents first. */
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

/** @returns the variables for the secrets that the document lacks, which the user may give instead */
const variablesWanted = (credentials: readonly Credential[]): readonly string[] => [
  ...new Set(
    credentials.flatMap((each) => [...partsOf(each)].flatMap(([name, value]) => (value === '' ? [name] : []))),
  ),
];

/** @param values the values by variable */
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

/** Matches the name of a header by RFC 9110. */
const HEADER_NAME = /^[\w!#$%&'*+.^`|~-]+$/;

/**
 * Returns the credential from the user for an address that needs one.
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

/** Returns the parts of a credential, by variable. */
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
