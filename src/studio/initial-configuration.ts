/** Makes a first configuration from an address, a curl command line or a document, by the same detection as `headwater init`. */
import { configurationText, discover, discoverImported, hintsIn, readCurl, writtenAddress } from '..';
import type { AskOptions, DiscoveryFinding, Json, JsonObject, WrittenRequest } from '..';
import { configurationOf } from '../explore/detect/configuration';
import { subjectOf } from '../explore/detect/subject';
import { entriesOf, isList, isObject } from '../core/json/objects';
import type { ChosenLists } from './offers';
import { RefusedRequest } from './replies';
import type { Finding, FoundList } from './wire';
import type { Language } from './configuration-file';

/** The result of detection. */
export interface InitialConfiguration {
  readonly text: string;
  readonly lists: readonly FoundList[];
  readonly warnings: readonly string[];
  readonly requests: number;
  /** The secrets of the request, by the variables in the text. */
  readonly secrets: Readonly<Record<string, string>>;
  /** The variables in the text whose values are unknown. */
  readonly unset: readonly string[];
}

/**
 * Requests the API that the user means, and writes a configuration for it. Its secrets are not in the text.
 *
 * @throws FatalError as `discover` does
 * @example (await initialConfigurationFrom(requestIn('https://api.example/ships'), 'json')).text
 */
export async function initialConfigurationFrom(
  request: WrittenRequest,
  language: Language,
  options: AskOptions = {},
): Promise<InitialConfiguration> {
  const { configuration, runnable, comments, findings, requests, dataType } = await discover(request, options);
  return {
    text: await configurationText(configuration, comments, formatOf(language)),
    lists: [{ name: dataType, findings: findings.map(findingOf) }],
    warnings: [],
    requests,
    ...variablesOf(configuration, [runnable]),
  };
}

/**
 * Requests the lists of a document that the user has chosen, for children with items of their parents, and writes one configuration for all
 * of them. Its secrets are not in the text.
 *
 * @throws FatalError as `discoverImported` does
 * @example (await configurationFromLists({ imported, jobs: ['/ships'], values: {} }, 'json')).lists
 */
export async function configurationFromLists(
  { imported, jobs, values }: ChosenLists,
  language: Language,
  options: Pick<AskOptions, 'fetch' | 'signal'> = {},
): Promise<InitialConfiguration> {
  const { configuration, comments, lists, warnings, requests } = await discoverImported(imported, {
    ...{ jobs, values },
    ...options,
  });
  const taken = new Map<string, string>();
  const subjects = imported.beginnings
    .filter(({ id }) => jobs.includes(id))
    .map(({ request }) => subjectOf(request, taken));
  return {
    text: await configurationText(configuration, comments, formatOf(language)),
    lists: lists.map(({ dataType, findings, unasked }) => ({
      ...{ name: dataType, findings: findings.map(findingOf) },
      ...(unasked === undefined ? {} : { unseen: unasked }),
    })),
    ...{ warnings, requests },
    ...variablesOf(
      configuration,
      subjects.map((subject) => configurationOf({ subject }, true)),
    ),
  };
}

/**
 * Writes a configuration for an API without requesting it. Its secrets are not in the text.
 *
 * @example (await offlineInitialConfiguration(requestIn('https://api.example/ships?token=t0p'), 'json')).secrets // { API_TOKEN: 't0p' }
 */
export async function offlineInitialConfiguration(
  request: WrittenRequest,
  language: Language,
): Promise<InitialConfiguration> {
  const subject = subjectOf(request);
  const configuration = configurationOf({ subject });
  return {
    text: await configurationText(configuration, {}, formatOf(language)),
    lists: [],
    warnings: [],
    requests: 0,
    ...variablesOf(configuration, [configurationOf({ subject }, true)]),
  };
}

/**
 * Returns the request that the user means.
 *
 * @throws RefusedRequest SOURCE_UNREADABLE for anything but an address or a curl command line
 */
export function requestIn(source: string): WrittenRequest {
  const text = source.trim();
  if (/^curl\s/.test(text)) return readCurl(text);
  const url = writtenAddress(text);
  if (/^https?:\/\//i.test(url) && URL.canParse(url)) return { method: 'GET', url, headers: {} };
  const remedy =
    'Give the address of a list, with http or https, a command line that begins with curl, an OpenAPI document or a HAR.';
  throw new RefusedRequest(422, 'SOURCE_UNREADABLE', remedy);
}

const formatOf = (language: Language): 'yaml' | 'jsonc' => (language === 'yaml' ? 'yaml' : 'jsonc');

const findingOf = ({ about, value, confidence, reason }: DiscoveryFinding): Finding => ({
  about,
  value,
  confidence,
  reason: hintsIn('json', reason),
});

/**
 * Returns the variables of a configuration: with their secrets, and those without.
 *
 * @param runnable the same, or parts of it, with the secrets in place of the variables: the first one with a secret counts
 */
function variablesOf(
  written: JsonObject,
  runnable: readonly JsonObject[],
): Pick<InitialConfiguration, 'secrets' | 'unset'> {
  const named = runnable.flatMap((each) => namedIn(written, each));
  const known = named.filter((each): each is Named & { readonly value: string } => isSecret(each.value));
  const secrets = Object.fromEntries(known.map(({ name, value }) => [name, value] as const).reverse());
  const unset = named.map(({ name }) => name).filter((name) => !Object.hasOwn(secrets, name));
  return { secrets, unset: [...new Set(unset)] };
}

/** Returns whether a value is a secret; an unknown credential is empty. */
const isSecret = (value: Json | undefined): boolean => typeof value === 'string' && value !== '';

interface Named {
  readonly name: string;
  readonly value: Json | undefined;
}

/** Returns each `{"env": …}` of a configuration, with the value at its place in another one. */
function namedIn(written: Json, run: Json | undefined): readonly Named[] {
  if (isList(written)) return written.flatMap((each, at) => namedIn(each, isList(run) ? run[at] : undefined));
  if (!isObject(written)) return [];
  const entries = entriesOf(written);
  const [[key, name] = []] = entries;
  if (entries.length === 1 && key === 'literal') return [];
  if (entries.length === 1 && key === 'env' && typeof name === 'string') return [{ name, value: run }];
  const beside = new Map(isObject(run) ? entriesOf(run) : []);
  return entries.flatMap(([own, value]) => namedIn(value, beside.get(own)));
}
