/** A configuration to begin with, from an address or a command line of curl: found out as `headwater init` does it. */
import { configurationText, discover, readCurl } from '../index';
import type { AskOptions, Json, JsonObject, WrittenRequest } from '../index';
import { configurationOf } from '../discover/configuration';
import { subjectOf } from '../discover/subject';
import { entriesOf, isList, isObject } from '../json/keys';
import { RefusedRequest } from './refused-request';
import type { Finding } from './wire';
import type { Language } from './written-text';

/** What was found out. */
export interface Beginning {
  readonly text: string;
  readonly findings: readonly Finding[];
  readonly requests: number;
  /** The secrets of the request, by the variables that the text names in their place. */
  readonly secrets: Readonly<Record<string, string>>;
  /** Variables that the text names, and whose values nobody gave. */
  readonly unset: readonly string[];
}

/**
 * Asks the API that a person means, and writes a configuration for it. Its secrets are not in the text.
 *
 * @throws FatalError as `discover` does
 * @example (await beginningFrom(requestIn('https://api.example/ships'), 'json')).text
 */
export async function beginningFrom(
  request: WrittenRequest,
  language: Language,
  options: AskOptions = {},
): Promise<Beginning> {
  const { configuration, runnable, comments, findings, requests } = await discover(request, options);
  return {
    text: await configurationText(configuration, comments, formatOf(language)),
    findings: findings.map(({ about, value, confidence, reason }) => ({ about, value, confidence, reason })),
    requests,
    ...variablesOf(configuration, runnable),
  };
}

/**
 * Writes a configuration for an API that nobody has asked. Its secrets are not in the text.
 *
 * @example (await unaskedBeginning(requestIn('https://api.example/ships?token=t0p'), 'json')).secrets // { API_TOKEN: 't0p' }
 */
export async function unaskedBeginning(request: WrittenRequest, language: Language): Promise<Beginning> {
  const subject = subjectOf(request);
  const configuration = configurationOf({ subject });
  return {
    text: await configurationText(configuration, {}, formatOf(language)),
    findings: [],
    requests: 0,
    ...variablesOf(configuration, configurationOf({ subject }, true)),
  };
}

/**
 * The request that a person means.
 *
 * @throws RefusedRequest SOURCE_UNREADABLE for what is neither an address nor a command line of curl
 */
export function requestIn(source: string): WrittenRequest {
  const text = source.trim();
  if (/^curl\s/.test(text)) return readCurl(text);
  const url = /^[a-z][a-z0-9+.-]*:\/\//i.test(text) ? text : `https://${text}`;
  if (/^https?:\/\//i.test(url) && URL.canParse(url)) return { method: 'GET', url, headers: {} };
  const remedy =
    'Give the address of a list, with http or https, a command line that begins with curl, an OpenAPI document or a HAR.';
  throw new RefusedRequest(422, 'SOURCE_UNREADABLE', remedy);
}

const formatOf = (language: Language): 'yaml' | 'jsonc' => (language === 'yaml' ? 'yaml' : 'jsonc');

/** The variables that a configuration names: with the secrets that the one to run has there, and those without. */
function variablesOf(written: JsonObject, run: JsonObject): Pick<Beginning, 'secrets' | 'unset'> {
  const named = namedIn(written, run);
  const secrets = Object.fromEntries(
    named.flatMap(({ name, value }) => (typeof value === 'string' ? [[name, value] as const] : [])),
  );
  const unset = named.map(({ name }) => name).filter((name) => !Object.hasOwn(secrets, name));
  return { secrets, unset: [...new Set(unset)] };
}

interface Named {
  readonly name: string;
  readonly value: Json | undefined;
}

/** Each `{"env": …}` of a configuration, with what another one has at its place. */
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
