/** A configuration to begin with, from an address or a command line of curl: found out as `headwater init` does it. */
import { configurationText, discover, readCurl } from '../index';
import type { AskOptions, Json, JsonObject, WrittenRequest } from '../index';
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
}

/**
 * Asks the API that a person means, and writes a configuration for it. Its secrets are not in the text.
 *
 * @throws RefusedRequest SOURCE_UNREADABLE for what is neither an address nor a command line of curl
 * @throws FatalError as `discover` does
 * @example (await beginningFrom('https://api.example/ships', 'json')).text
 */
export async function beginningFrom(source: string, language: Language, options: AskOptions = {}): Promise<Beginning> {
  const found = await discover(requestIn(source), options);
  const { configuration, runnable, comments, findings, requests } = found;
  return {
    text: await configurationText(configuration, comments, language === 'yaml' ? 'yaml' : 'jsonc'),
    findings: findings.map(({ about, value, confidence, reason }) => ({ about, value, confidence, reason })),
    requests,
    secrets: Object.fromEntries(secretsOf(configuration, runnable)),
  };
}

function requestIn(source: string): WrittenRequest {
  const text = source.trim();
  if (/^curl\s/.test(text)) return readCurl(text);
  const url = /^[a-z][a-z0-9+.-]*:\/\//i.test(text) ? text : `https://${text}`;
  if (/^https?:\/\//i.test(url) && URL.canParse(url)) return { method: 'GET', url, headers: {} };
  const remedy = 'Give the address of a list, with http or https, or a command line that begins with curl.';
  throw new RefusedRequest(422, 'SOURCE_UNREADABLE', remedy);
}

/** The attributes that name a variable where the configuration that is run has a secret. */
function secretsOf(written: JsonObject, run: JsonObject): readonly (readonly [string, string])[] {
  const values = memberOf(run, 'config');
  return Object.entries(objectIn(memberOf(written, 'config'))).flatMap(([key, value]) => {
    const name = memberOf(value, 'env');
    const secret = memberOf(values, key);
    return typeof name === 'string' && typeof secret === 'string' ? [[name, secret] as const] : [];
  });
}

const objectIn = (value: Json | undefined): JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonObject) : {};

const memberOf = (value: Json | undefined, key: string): Json | undefined => {
  const object = objectIn(value);
  return Object.hasOwn(object, key) ? object[key] : undefined;
};
