/** Completes a published configuration with what its user has to supply: attributes, credentials, headers. */
import { readFileSync } from 'node:fs';

const TOKENS = JSON.stringify({
  access_token: 'dummy-access',
  refresh_token: 'dummy-refresh',
  oauth_token: 'dummy-token',
  oauth_token_secret: 'dummy-secret',
});
const CREDENTIALS = {
  oauth_api: { credentials: { '#data': TOKENS, appKey: 'dummy-key', '#appSecret': 'dummy-app-secret' } },
};

/** The attributes that each file refers to and does not hold, by the name of the file. */
export function readMissingAttributes(path) {
  const [, ...lines] = readFileSync(path, 'utf8').trim().split('\n');
  return new Map(
    lines.map((line) => {
      const [file, names] = line.split('\t');
      return [file, names.split(',')];
    }),
  );
}

/**
 * The configuration as its user would run it. Only what is missing is added: no fault of its author is repaired, with
 * the exception of credentials, which publishing has made unusable.
 *
 * @param input the configuration, parsed
 * @param missing names of attributes that it refers to and does not hold
 */
export function completed(input, missing) {
  const root = isObject(input.parameters) ? input.parameters : input;
  const { api, config } = root;
  if (!isObject(api) || !isObject(config)) return input;
  const type = api.authentication?.type;
  const given = mapTexts(config, (text) => (text.startsWith('Input:') ? valueFor(text) : text));
  const filled = {
    ...given,
    ...Object.fromEntries(missing.map((name) => [name, beginsUrl(api.baseUrl, name) ? URL_TEXT : valueFor(name)])),
    ...(type === 'basic' ? { username: 'user', '#password': 'dummy-password' } : {}),
    ...requiredHeaders(api, given),
  };
  return {
    ...input,
    ...(root === input ? { config: filled } : { parameters: { ...root, config: filled } }),
    ...(String(type).startsWith('oauth') ? { authorization: CREDENTIALS } : {}),
  };
}

const URL_TEXT = 'https://api.example.com';

/** Text that an attribute of this name could hold. */
function valueFor(name) {
  if (/year/i.test(name)) return '2024';
  if (/month|day|number|retention/i.test(name)) return '3';
  if (/unit/i.test(name)) return 'day';
  return /date|since|from|\bto$|start|end/i.test(name) ? '2024-01-01' : 'x';
}

const beginsUrl = (baseUrl, name) => (baseUrl?.function === 'concat' ? baseUrl.args?.[0] : baseUrl)?.attr === name;

function requiredHeaders(api, config) {
  const names = api.http?.requiredHeaders ?? [];
  if (names.length === 0) return {};
  const headers = { ...Object.fromEntries(names.map((name) => [name, 'x'])), ...config.http?.headers };
  return { http: { ...config.http, headers } };
}

const isObject = (value) => typeof value === 'object' && value !== null && !Array.isArray(value);

function mapTexts(value, change) {
  if (typeof value === 'string') return change(value);
  if (Array.isArray(value)) return value.map((inner) => mapTexts(inner, change));
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, mapTexts(inner, change)]));
}
