import { entriesOf, isList, isObject, ownValue } from '../../../core/json/keys';
import type { JsonObject } from '../../../core/model';
import { parseUrl } from '../../../core/url/parse-url';

/**
 * The address of the API: of the first server, with the values that its variables have by default; in Swagger 2 of the host.
 *
 * @param from the address of the document, which servers may be relative to
 * @returns with a `/` at its end; `undefined` where the document does not say it
 */
export function baseUrlOf(document: JsonObject, from: string | undefined): string | undefined {
  const written = ownValue(document, 'swagger') === undefined ? serverOf(document) : hostOf(document, from);
  const url = parseUrl(written ?? '/', from);
  if (url === undefined || !/^https?:$/.test(url.protocol)) return undefined;
  url.hash = '';
  url.search = '';
  return url.href.endsWith('/') ? url.href : `${url.href}/`;
}

function serverOf(document: JsonObject): string | undefined {
  const servers = ownValue(document, 'servers');
  const [server] = isList(servers) ? servers : [];
  const url = isObject(server) ? ownValue(server, 'url') : undefined;
  if (!isObject(server) || typeof url !== 'string') return undefined;
  const variables = ownValue(server, 'variables');
  const values = isObject(variables) ? entriesOf(variables) : [];
  return values.reduce((text, [name, variable]) => {
    const fallback = isObject(variable) ? ownValue(variable, 'default') : undefined;
    return typeof fallback === 'string' ? text.replaceAll(`{${name}}`, () => fallback) : text;
  }, url);
}

function hostOf(document: JsonObject, from: string | undefined): string | undefined {
  const text = (key: string): string | undefined => {
    const value = ownValue(document, key);
    return typeof value === 'string' ? value : undefined;
  };
  const schemes = ownValue(document, 'schemes');
  const known = isList(schemes) ? schemes.filter((each) => each === 'https' || each === 'http') : [];
  const scheme = known.includes('https')
    ? 'https'
    : (known[0] ?? parseUrl(from ?? '')?.protocol.slice(0, -1) ?? 'https');
  const host = text('host');
  const path = text('basePath') ?? '/';
  return host === undefined ? path : `${scheme}://${host}${path}`;
}
