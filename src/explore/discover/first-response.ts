/** Classifies the first response of an API: a failure, JSON, another format, or a web page. */
import { FatalError } from '../../core/errors/errors';
import { entriesOf, isList, isObject } from '../../core/json/objects';
import { jsonIn } from '../../core/json/parse';
import type { Headers, Json, Reply, Response } from '../../core/model';
import { Secrets } from '../../core/secrets/secrets';
import { readAs } from '../../http/body/read-body';
import { isWebPage } from '../../http/body/web-page';
import { shortBodyText } from '../../http/status-error';
import { BUILT_IN } from '../../run/built-in-parts';
import { isAboutPages, saidBy } from '../../sources/completeness/said';
import { printable } from '../detect/configuration-text';
import type { ReadBody } from '../detect/paging/sign';
import type { Subject } from '../detect/subject';
import type { Asker } from './requests';

const MOST_HTML = 200_000;

/** @throws FatalError if the status is no success */
export function refuseFailure(response: Response, subject: Subject): void {
  const { status, headers, request } = response;
  if (status < 300) return;
  const wanted = wantedCredentials(headers);
  const hint =
    status === 401 || status === 403
      ? ` ${subject.credentials.length > 0 ? 'The credentials were refused.' : `It wants credentials${wanted === undefined ? ': --bearer TOKEN, --user NAME:PASSWORD or --header "NAME: VALUE"' : `: ${wanted}`}.`}`
      : '';
  const body = shortBodyText(response, secretsOf(subject));
  const said = body === '' ? '.' : `: ${printable(body)}`;
  throw new FatalError('API_STATUS', `The API answered with the status ${status}${said}${hint}`, {
    status,
    method: request.method,
    headers,
  });
}

/** APIs repeat the credentials that they refuse. */
const secretsOf = ({ credentials }: Subject): Secrets => new Secrets(credentials.map(({ secret }) => secret));

/** @throws FatalError if the response has nothing but an error, whatever its status */
export function refuseError(reply: Pick<Reply, 'data' | 'response'>, items: readonly string[], subject: Subject): void {
  const { data } = reply;
  const { error } = saidBy(reply, items, 0, 0);
  if (error === undefined || !isObject(data) || !isAboutPages(data)) return;
  const [key] = entriesOf(data).find(([, value]) => isList(value) && value.length > 0) ?? [];
  const wanted = key === undefined ? '' : ` If that is what you want, name it: --data-field ${printable(key)}.`;
  const said = printable(secretsOf(subject).mask(error.value));
  throw new FatalError('API_ERROR', `The API answers with ${error.where}: ${said}${wanted}`);
}

/** The value of a body, its format if that is not JSON, and what reads other bodies of this format. */
interface Understood {
  readonly data: Json | undefined;
  readonly format?: string;
  readonly read?: ReadBody;
}

/** Returns the value of a body. */
export async function understood(response: Response, asker: Asker): Promise<Understood> {
  const text = Buffer.from(response.body).toString('utf8');
  if (text.trim() === '') return { data: undefined };
  const data = jsonIn(text);
  if (data !== undefined) return { data };
  if (isWebPage(response)) throw webPage(text.slice(0, MOST_HTML), response.request.url);
  const format = formatOfText(text, response.headers);
  if (format === undefined)
    throw new FatalError(
      'API_FORMAT',
      'The body is neither JSON nor lines of JSON, CSV or XML. Set "format" in a configuration that you write.',
    );
  const trial = await asker.run({ format, ...(format === 'xml' ? { dataField: '.' } : {}) }, 1);
  if ('error' in trial) throw trial.error;
  return { data: trial.pages[0]?.reply.data, format, read: readerOf(format) };
}

function readerOf(format: string): ReadBody {
  const usual = BUILT_IN.format.get(format)?.contentTypes[0]?.format;
  return (response) => {
    const reading = usual === undefined ? undefined : readAs(usual, response);
    if (reading?.kind === 'empty') return [];
    return reading?.kind === 'data' ? reading.data : undefined;
  };
}

const SAMPLE = 64 * 1024;

/**
 * Returns the format of a body that is no JSON document, by its beginning; `undefined` for other text.
 *
 * @example formatOfText('{"a":1}\n{"a":2}\n', {}) // 'jsonl'
 */
function formatOfText(text: string, headers: Headers): string | undefined {
  const sample = text
    .slice(0, SAMPLE)
    .replace(/^\ufeff/, '')
    .trimStart();
  const type = String(headers['content-type'] ?? '');
  if (sample.startsWith('<')) return 'xml';
  const lines = sample
    .split(/\r?\n/)
    .slice(0, 20)
    .filter((line) => line.trim() !== '');
  const whole = text.length > SAMPLE ? lines.slice(0, -1) : lines;
  if (whole.length > 0 && whole.every(isJson)) return 'jsonl';
  const [head = '', second] = whole;
  const columns = head.split(',').length;
  const isTable = columns > 1 && second !== undefined && !/[{[]/.test(head.charAt(0));
  return isTable || /\bcsv\b/i.test(type) ? 'csv' : undefined;
}

const isJson = (line: string): boolean => typeof jsonIn(line) === 'object';

const DESCRIPTION =
  /(?:href|src|url)\s*[=:]\s*["']([^"'<>\s]{1,300}(?:openapi|swagger|api-docs)[^"'<>\s]{0,100}\.(?:json|ya?ml)|[^"'<>\s]{1,300}\/(?:api-docs|openapi\.json|swagger\.json))["']/i;

/** Returns the failure of a request that returned a web page: it names the API description that the page links to. */
function webPage(html: string, url: string): FatalError {
  const link = DESCRIPTION.exec(html)?.[1];
  const hint =
    link === undefined || !URL.canParse(link, url)
      ? ' Look for the API in the manual of the site, or copy the request of the page for its data as curl from the tools of the browser.'
      : ` It names a description of the API: headwater init ${printable(new URL(link, url).href)}`;
  return new FatalError('API_NOT_JSON', `This is a web page, not data.${hint}`);
}

/**
 * Returns the credentials that an API asks for when it refuses a request.
 *
 * @returns a part of a sentence
 * @example wantedCredentials({ 'www-authenticate': 'Basic realm="x"' }) // 'a name and a password (Basic)'
 */
function wantedCredentials(headers: Headers): string | undefined {
  const challenge = [headers['www-authenticate'] ?? []].flat().join(', ');
  const kinds = [
    [/\bbasic\b/i, 'a name and a password (Basic): --user NAME:PASSWORD'],
    [/\bbearer\b/i, 'a token (Bearer): --bearer TOKEN'],
    [/\bdigest\b/i, 'a name and a password (Digest): write "digest" in api.authentication'],
    [/\bnegotiate\b|\bntlm\b/i, 'a login of a Windows domain, which Headwater does not know'],
  ] as const;
  const wanted = kinds.filter(([pattern]) => pattern.test(challenge)).map(([, words]) => words);
  return wanted.length === 0 ? undefined : wanted.join(', or ');
}
