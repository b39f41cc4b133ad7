/** Documents that a person begins from: what they offer, and the request for what is chosen of it. */
import { importHar, importOpenApi, looksLikeOpenApi, printable } from '../index';
import type { AskOptions, Beginning, Imported, WrittenRequest } from '../index';
import { placeholdersIn } from '../import/placeholders';
import { filledCredentials, variablesWanted } from './known-credentials';
import { recordedFetch } from './recorded-fetch';
import { RefusedRequest } from './refused-request';
import type { Choice, Offer } from './wire';

/** What is chosen of an offer, and what it does not say. */
export interface Chosen {
  readonly offer: number;
  /** Its place among the choices. */
  readonly choice: number;
  readonly baseUrl?: string;
  /** By the name of a placeholder or of a parameter. */
  readonly values: Readonly<Record<string, string>>;
  /** By variable. */
  readonly secrets: Readonly<Record<string, string>>;
}

export interface Offers {
  /** Reads a document; it is kept until another one is read. */
  readonly read: (source: string) => Offer;
  /** What to ask, and how: a recording is asked in place of the API. */
  readonly chosen: (chosen: Chosen) => { readonly request: WrittenRequest; readonly options: AskOptions };
}

interface Kept {
  readonly number: number;
  readonly source: string;
  readonly imported: Imported;
}

/** @example createOffers().read(await readFile('openapi.yaml', 'utf8')).choices.map(({ id }) => id) // ['/ships'] */
export function createOffers(): Offers {
  let kept: Kept | undefined;
  return {
    read: (source) => {
      const imported = importedFrom(source);
      kept = { number: (kept?.number ?? 0) + 1, source, imported };
      return offerOf(kept);
    },
    chosen: ({ offer, choice, baseUrl, values, secrets }) => {
      if (kept?.number !== offer) throw gone();
      const beginning = beginningsOf(kept, baseUrl)[choice];
      if (beginning === undefined) throw gone();
      const { request, recorded } = beginning;
      const credentials = filledCredentials(request.credentials ?? [], secrets);
      return {
        request: { ...request, url: filledAddress(beginning, values), credentials },
        options: recorded === undefined ? {} : { fetch: recordedFetch(recorded) },
      };
    },
  };
}

function importedFrom(source: string): Imported {
  if (looksLikeOpenApi(source)) return importOpenApi(source);
  if (/^\s*\{/.test(source) || source.startsWith('\ufeff{')) return importHar(source);
  throw new RefusedRequest(422, 'SOURCE_UNREADABLE', 'This is neither an OpenAPI document nor a HAR.');
}

function beginningsOf({ source, imported }: Kept, baseUrl: string | undefined): readonly Beginning[] {
  if (!wantsBaseUrl(imported)) return imported.beginnings;
  if (baseUrl === undefined || !/^https?:\/\//i.test(baseUrl) || !URL.canParse(baseUrl))
    throw new RefusedRequest(422, 'VALUE_MISSING', 'Give the address of the API, with http or https.');
  return importOpenApi(source, { baseUrl }).beginnings;
}

const wantsBaseUrl = ({ kind, baseUrl }: Imported): boolean => kind === 'openapi' && baseUrl === undefined;

function filledAddress({ request, missing }: Beginning, values: Readonly<Record<string, string>>): string {
  const valueOf = (name: string): string => {
    const value = Object.hasOwn(values, name) ? values[name] : undefined;
    if (value === undefined || value === '')
      throw new RefusedRequest(422, 'VALUE_MISSING', `Give a value for ${printable(name)}.`);
    return value;
  };
  const placeholders = placeholdersIn(request.url);
  const url = new URL(
    placeholders.reduce(
      (text, name) => text.replace(`{${name}}`, () => encodeURIComponent(valueOf(name))),
      request.url,
    ),
  );
  for (const name of missing) if (!placeholders.includes(name)) url.searchParams.set(name, valueOf(name));
  return url.href;
}

const offerOf = ({ number, imported }: Kept): Offer => ({
  number,
  kind: imported.kind,
  title: printable(imported.title),
  wantsBaseUrl: wantsBaseUrl(imported),
  choices: imported.beginnings.map(choiceOf),
  warnings: imported.warnings.map(printable),
});

const choiceOf = ({ id, summary, request, missing }: Beginning): Choice => ({
  id: printable(id),
  ...(summary === undefined ? {} : { summary: printable(summary) }),
  values: [...new Set([...placeholdersIn(request.url), ...missing])],
  variables: variablesWanted(request.credentials ?? []),
});

const gone = (): RefusedRequest =>
  new RefusedRequest(409, 'OFFER_GONE', 'Another document was read since: choose it again.');
