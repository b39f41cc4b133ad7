import { isUtf8 } from 'node:buffer';
import { FatalError } from '../errors';
import type { Report, WarningCode } from '../events';
import type { JobRef, Json, Reply, Response } from '../model';
import { isList } from '../json/keys';
import { rawDocument } from '../json/raw-items';
import { decodeUtf8 } from '../json/utf8';
import type { ItemSelector, JobPlan } from '../plan/plan';
import type { Secrets } from '../secrets';
import { isDamagedJson } from './formats/damaged-json';
import { readAs, readAsJson, readByContentType, saysJsonLines } from './formats/read-body';
import type { Language, Reading } from './formats/read-body';
import { requestLine } from './request-line';

export interface DecodeOptions {
  /** Statuses of which any body is taken (language 2.9). */
  readonly ignoreErrors: readonly number[];
  readonly report: Report;
  readonly secrets: Secrets;
  /** The job that warnings belong to. */
  readonly job?: JobRef;
}

const FAILURE = 400;
const EXCERPT_LENGTH = 300;
/** Of a longer body no more is searched for secrets. */
const SEARCHED_LENGTH = 65_536;
const TEXT_LOGIN =
  'the login answered with other text. If that text is the credential, set api.authentication.format to "text".';
const SINGLE_LINE =
  'is JSON lines by its content type, but a single JSON value, and is read as that. Set "format": "jsonl" in the job.';
const DAMAGED =
  'holds bytes that are no UTF-8, as JSON has to be. They are left out, so characters may be missing in its strings. Tell the provider of the API.';
const HINTS: Readonly<Record<number, string>> = {
  401: ' Check the credentials.',
  403: ' Check the credentials, and what they allow.',
  404: ' Check api.baseUrl and the endpoint.',
  429: ' The API limits the rate of requests; allow more in api.retryConfig.maxRetries.',
};

/**
 * Reads the response to a page request (language 2.8, 2.9): by the format that the configuration gives, else as JSON
 * whatever its content type; what is no JSON, by the format that its content type names. An empty body gives no data and
 * the warning `EMPTY_BODY`. A status in `ignoreErrors` makes a failure a success, and a body that cannot be read becomes
 * `{ errorData: <text> }`, with a warning each.
 *
 * Throws {@link FatalError}: `API_STATUS` for a status of 400 and above, `API_NOT_JSON`, or `API_FORMAT` for a body that
 * is not what its format says.
 *
 * @example decode({ ignoreErrors: [404], report, secrets })(response, { format: { type: 'xml' }, items }).data
 */
export const decode =
  ({ ignoreErrors, report, secrets, job }: DecodeOptions) =>
  (response: Response, { format, items }: Pick<JobPlan, 'format' | 'items'>): Reply => {
    const warn = (code: WarningCode, message: string): void =>
      report({ type: 'warning', code, message, ...(job === undefined ? {} : { job }) });
    const ignored = ignoreErrors.includes(response.status);
    const line = requestLine(response.request, secrets);

    if (!ignored) requireSuccess(response, secrets);
    else if (response.status >= FAILURE)
      warn('STATUS_IGNORED', `Failed to get response of ${line}: the status ${response.status} is ignored.`);

    const quick = format === undefined || format.type === 'json' ? withRawItems(response, items) : undefined;
    if (quick !== undefined) return quick;
    const read = format === undefined ? readWithoutFormat(response, !ignored) : readAs(format, response);
    if (read.kind === 'empty') warn('EMPTY_BODY', `The response of ${line} is empty: it counts as no items.`);
    if (format === undefined && read.kind === 'data' && isSingleLine(response, read.data))
      warn('FORMAT_GUESSED', `The response of ${line} ${SINGLE_LINE}`);
    if (read.kind === 'data' && isDamagedJson(format, response.body))
      warn('INVALID_UTF8', `The response of ${line} ${DAMAGED}`);
    if (read.kind !== 'invalid') return { response, data: read.kind === 'empty' ? undefined : read.data };
    if (!ignored) throw unreadable(response, secrets, read.as, `${read.reason}. ${beginning(read.text, secrets)}`);
    warn('BODY_IGNORED', `Failed to parse response of ${line}: ${read.reason}. Its text is in "errorData".`);
    return { response, data: { errorData: read.text } };
  };

/**
 * Reads responses to logins (language 4.5.3): `text` gives the body as it is, `json` what it says, or `undefined` for an
 * empty body. Throws as {@link decode} does, but shows nothing of a body that came with a status of success: it may be
 * a token.
 *
 * @example decodeLogin(secrets)(response, 'json')
 */
export const decodeLogin =
  (secrets: Secrets) =>
  (response: Response, format: 'json' | 'text'): Json | undefined => {
    requireSuccess(response, secrets);
    if (format === 'text') return decodeUtf8(response.body);
    const read = readAsJson(response.body);
    if (read.kind === 'invalid') throw unreadable(response, secrets, 'JSON', TEXT_LOGIN);
    return read.kind === 'empty' ? undefined : read.data;
  };

/** A JSON body whose items need not be parsed to be found; `undefined` for any other, which may be as good. */
function withRawItems(response: Response, { path, delimiter }: ItemSelector): Reply | undefined {
  const { body } = response;
  if (!isUtf8(body)) return undefined;
  const document = rawDocument(body, path === undefined ? undefined : path === delimiter ? [] : path.split(delimiter));
  if (document === undefined) return undefined;
  const { items: raw, data } = document;
  if (raw.path.length > 0 && saysJsonLines(response)) return undefined;
  return {
    response,
    raw,
    get data() {
      return data();
    },
  };
}

/** The message shows how the body begins: APIs say there what is wrong. */
function requireSuccess(response: Response, secrets: Secrets): void {
  if (response.status < FAILURE) return;
  const place = `[${response.status}] ${requestLine(response.request, secrets)}`;
  const detail = beginning(decodeUtf8(response.body), secrets);
  const hint = HINTS[response.status] ?? '';
  throw new FatalError('API_STATUS', `The API request failed: ${place}: ${detail}${hint}`);
}

/** @param guess whether the content type decides of a body that is no JSON */
function readWithoutFormat(response: Response, guess: boolean): Reading {
  const read = readAsJson(response.body);
  const guessed = read.kind === 'invalid' && guess ? readByContentType(response, read.text) : undefined;
  return guessed ?? read;
}

/** JSON lines that are a single line are JSON too, and JSON comes first (language 2.8). */
const isSingleLine = (response: Response, data: Json): boolean => !isList(data) && saysJsonLines(response);

const unreadable = (response: Response, secrets: Secrets, as: Language, detail: string): FatalError =>
  new FatalError(
    as === 'JSON' ? 'API_NOT_JSON' : 'API_FORMAT',
    `Invalid ${as} response from API: ${requestLine(response.request, secrets)}: ${detail}`,
  );

/** Masked before it is cut: half a secret would slip through. What may be one at the end of a long body is dropped. */
function beginning(text: string, secrets: Secrets): string {
  const isLong = text.length > SEARCHED_LENGTH + secrets.longest;
  const masked = isLong
    ? secrets.mask(text.slice(0, SEARCHED_LENGTH + secrets.longest)).slice(0, -secrets.longest)
    : secrets.mask(text);
  const line = masked.replace(/\s+/g, ' ').trim();
  if (line === '') return isLong ? '…' : 'The body is empty.';
  return line.length > EXCERPT_LENGTH ? `${line.slice(0, EXCERPT_LENGTH)}…` : line;
}
