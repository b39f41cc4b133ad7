import { FatalError } from '../../core/errors/errors';
import { cacheHint, responseFacts, isFailure } from '../../core/errors/response-facts';
import type { Report, WarningCode } from '../../core/events';
import { isList } from '../../core/json/objects';
import { jsonPathOf } from '../../core/json/path';
import { rawDocument } from '../../core/json/raw-items';
import type { RawDocument } from '../../core/json/raw-items';
import type { JobRef, Json, Reply, Response } from '../../core/model';
import type { Secrets } from '../../core/secrets/secrets';
import { Unreadable } from '../../language/parts/errors';
import type { ChosenFormat, GuessedFormat } from '../../language/parts/format';
import type { ItemSelector, JobPlan } from '../../plan/plan';
import { jsonl, readJsonLines } from '../formats/jsonl';
import { isOldOffice } from '../formats/xlsx/parts';
import { isWorkbook } from '../formats/xlsx/workbook';
import { isZip } from '../formats/zip';
import { excerpt, learnFromHeaders, requestLine } from '../masking';
import { statusError, unusableStatus } from '../status-error';
import { textOf, utf8Of } from './characters';
import { JSON_BODY, formatOf, isGzip, readAs, readAsJson } from './read-body';
import type { Invalid, Misfits, Reading } from './read-body';
import { beginsAsWebPage, isWebPage, nameOfWebPage } from './web-page';

export interface DecodeOptions {
  /** Statuses with which any body is accepted (docs/language/responses.md#ignoring-errors). */
  readonly ignoreErrors: readonly number[];
  readonly report: Report;
  readonly secrets: Secrets;
  /** The content types of all formats, for bodies that are not JSON. */
  readonly contentTypes: readonly GuessedFormat[];
  /** What to do with bytes of JSON that are not in its encoding; by default they are an error. */
  readonly misfits?: Misfits;
  /** The job that warnings belong to. */
  readonly job?: JobRef;
}

const TEXT_LOGIN =
  'the login answered with other text. If that text is the credential, set api.authentication.format to "text".';
const singleLine = ({ name, label }: ChosenFormat): string =>
  `is ${label} by its content type, but a single JSON value, and is read as that. Set "format": "${name}" in the job.`;
const MISFIT_LOGIN = 'the login answered with bytes that are not in the encoding that it names, or else no UTF-8.';
const PAGE_LOGIN =
  'the login answered with a web page. Check its endpoint: this is often a page to log in by hand, or one of a proxy.';
const PAGE_HINT =
  'That is often a wrong address, a page to log in, or one of a proxy: check api.baseUrl, the endpoint and the credentials.';
const LATER_PAGE_HINT =
  'Earlier pages were none: that is often a page to log in again, or one of a firewall or a proxy. Run again, with fewer requests (api.http.rateLimit).';
const SENTENCE =
  'is one line of text, which counts as the names of columns: it has no rows. If the API says there that something is wrong, correct that.';
const DAMAGED =
  'holds bytes that are no UTF-8, as JSON has to be. They are left out, so characters may be missing in its strings. Report it to the provider of the API.';

/**
 * Reads the response to a page request (docs/language/responses.md): by the configured format, else as JSON regardless
 * of its content type; a body that is not JSON is read by the format of its content type. An empty body has no data and
 * causes the warning `EMPTY_BODY`. A status in `ignoreErrors` makes a failure a success, and an unreadable body becomes
 * `{ errorData: <text> }`; both cause a warning.
 *
 * Throws `API_STATUS` for a status of 400 and above, or one that has no data (see {@link statusError});
 * {@link FatalError} `API_NOT_JSON`, or `API_FORMAT` for a body that does not have the form of its format.
 *
 * @example decode({ ignoreErrors: [404], report, secrets })(response, { format, items }).data
 */
export const decode =
  ({ ignoreErrors, report, secrets, contentTypes, misfits, job }: DecodeOptions) =>
  (response: Response, { format, items }: Pick<JobPlan, 'format' | 'items'>, reportTo: Report = report): Reply => {
    const warn = (code: WarningCode, message: string): void =>
      reportTo({ type: 'warning', code, message, ...(job === undefined ? {} : { job }) });
    const ignored = ignoreErrors.includes(response.status);
    const line = (): string => requestLine(response.request, secrets);

    if (!ignored) requireSuccess(response, secrets);
    else if (isFailure(response.status))
      warn('STATUS_IGNORED', `Failed to get response of ${line()}: the status ${response.status} is ignored.`);

    const isPlain = format === undefined || (format.isJson && format.file === undefined);
    let repeatedKey: string | undefined;
    const note = (key: string): void => void (repeatedKey = key);
    const quick = isPlain ? withRawItems(response, format, items, contentTypes, note) : undefined;
    if (quick !== undefined) return quick;
    const read =
      format === undefined
        ? readWithoutFormat(response, ignored ? [] : contentTypes, misfits)
        : readAs(format, response, misfits);
    if (read.kind === 'empty') warn('EMPTY_BODY', `The response of ${line()} is empty: it counts as no items.`);
    const other =
      format === undefined && read.kind === 'data' ? singleLineOf(response, read.data, contentTypes) : undefined;
    if (other !== undefined) warn('FORMAT_GUESSED', `The response of ${line()} ${singleLine(other)}`);
    if (read.kind === 'data' && read.isDamaged === true) warn('INVALID_UTF8', `The response of ${line()} ${DAMAGED}`);
    if (read.kind === 'data' && read.isSentence === true) warn('NO_DATA', `The response of ${line()} ${SENTENCE}`);
    if (read.kind === 'empty') return { response, data: undefined };
    if (read.kind === 'data') {
      const withHeading = read.heading === undefined ? response : { ...response, heading: read.heading };
      return {
        ...{ response: withHeading, data: read.data },
        ...(mayBeCut(response, read) ? { mayBeCut: true } : {}),
        ...(read.hasColumns === true ? { hasColumns: true } : {}),
        ...(repeatedKey === undefined ? {} : { repeatedKey }),
      };
    }
    if (!ignored) throw unreadable(response, secrets, read.as, detailOf(response, read, secrets, format));
    warn('BODY_IGNORED', `Failed to parse response of ${line()}: ${read.reason}. Its text is in "errorData".`);
    return { response, data: { errorData: read.text } };
  };

/**
 * Reads responses to logins (docs/language/authentication.md#logging-in): `text` returns the body as it is, `json` its
 * value, or `undefined` for an empty body. Throws as {@link decode} does, but never shows a body with a status of
 * success: it may be a token.
 *
 * @example decodeLogin(secrets)(response, 'json')
 */
export const decodeLogin =
  (secrets: Secrets) =>
  (response: Response, format: 'json' | 'text'): Json | undefined => {
    requireSuccess(response, secrets);
    const text = loginText(response, secrets, format === 'text' ? TEXT : JSON_BODY);
    if (format === 'text') return text;
    const read = readAsJson(response.body, { headers: response.headers });
    if (read.kind === 'invalid')
      throw unreadable(response, secrets, JSON_BODY, isWebPage(response) ? PAGE_LOGIN : TEXT_LOGIN);
    return read.kind === 'empty' ? undefined : read.data;
  };

function loginText(response: Response, secrets: Secrets, as: Invalid['as']): string {
  const { body, headers } = response;
  try {
    return textOf(body, { headers });
  } catch (error) {
    if (error instanceof Unreadable) throw unreadable(response, secrets, as, MISFIT_LOGIN);
    throw error;
  }
}

const TEXT = { label: 'text', isJson: false };

/**
 * Returns a JSON body whose items are found without parsing; `undefined` for any other body, which may still be valid.
 */
function withRawItems(
  response: Response,
  format: ChosenFormat | undefined,
  { path, delimiter, key, rows }: ItemSelector,
  contentTypes: readonly GuessedFormat[],
  note: (repeatedKey: string) => void,
): Reply | undefined {
  if (rows !== undefined || (path !== undefined && jsonPathOf(path, delimiter) !== undefined)) return undefined;
  const steps = path === undefined ? undefined : path === delimiter ? [] : path.split(delimiter);
  const bytes = inUtf8(response, format);
  const document = bytes === undefined ? undefined : rawDocument(bytes, steps, key, note);
  if (document === undefined) return undefined;
  if (document.path.length > 0 && otherThanJson(response, contentTypes) !== undefined) return undefined;
  const reply = { response, raw: document };
  return Object.defineProperty(reply, 'data', DATA) as typeof reply & { readonly data: Json };
}

/** What is beside the items is parsed when it is read. One getter for all: see docs/decisions/responses-and-pages.md#objects-of-a-request. */
const DATA = {
  enumerable: true,
  get(this: { readonly raw: RawDocument }): Json {
    return this.raw.data;
  },
};

/** Returns the body in UTF-8; `undefined` if it is not in its encoding. */
function inUtf8({ body, headers }: Response, format: ChosenFormat | undefined): Uint8Array | undefined {
  try {
    return utf8Of(body, { headers, format });
  } catch (error) {
    if (error instanceof Unreadable) return undefined;
    throw error;
  }
}

/** Returns whether only the end of the connection marks the end of a body, and its format does not mark it either. */
const mayBeCut = ({ isEndUnknown }: Response, { hidesEnd }: Extract<Reading, { readonly kind: 'data' }>): boolean =>
  isEndUnknown === true && hidesEnd === true;

/** Throws for a status of failure. The message shows the beginning of the body, where APIs explain the error. */
function requireSuccess(response: Response, secrets: Secrets): void {
  if (isFailure(response.status) || unusableStatus(response) !== undefined) throw statusError(response, secrets);
}

/** @param contentTypes the content types that select the format of a body that is not JSON */
function readWithoutFormat(
  response: Response,
  contentTypes: readonly GuessedFormat[],
  misfits: Misfits | undefined,
): Reading {
  const read = readAsJson(response.body, { headers: response.headers }, misfits);
  if (read.kind !== 'invalid' || beginsAsWebPage(response.body)) return read;
  const format = formatOf(contentTypes, response, read.text);
  return format === undefined ? read : readAs(format, response);
}

/** Returns the format of the content type, if its bodies may look like JSON as well: the format of JSON lines. */
const otherThanJson = (response: Response, contentTypes: readonly GuessedFormat[]): ChosenFormat | undefined =>
  formatOf(contentTypes, response, '{}');

/**
 * Returns the value of a single JSON line. It is JSON too, and JSON takes precedence
 * (docs/language/responses.md#reading).
 */
const singleLineOf = (
  response: Response,
  data: Json,
  contentTypes: readonly GuessedFormat[],
): ChosenFormat | undefined => (isList(data) ? undefined : otherThanJson(response, contentTypes));

function detailOf(
  response: Response,
  { as, reason, text }: Invalid,
  secrets: Secrets,
  format: ChosenFormat | undefined,
): string {
  // The headers of a cached response have not passed the transport.
  learnFromHeaders(response.headers, secrets);
  const packed = packedBody(response.body);
  if (packed !== undefined) return format === undefined ? `the API answered with ${packed}` : `${reason}.`;
  const lines = as.isJson ? jsonLinesIn(text) : 0;
  if (lines > 1) return `each of its ${lines} lines is JSON. Set "format": "${jsonl.name}" in the job.`;
  if (isWebPage(response))
    return `the API answered with ${nameOfWebPage(text, secrets)}. ${response.request.isLater === true ? LATER_PAGE_HINT : PAGE_HINT}`;
  const hint = format === undefined && as.isJson && !BEGINS_AS_JSON.test(text) ? FORMAT_HINT : '';
  return `${reason}. ${excerpt(text, secrets)}${hint}`;
}

const BEGINS_AS_JSON = /^\s*[[{]/;
const FORMAT_HINT = ' If it is not meant to be JSON, set "format" in the job.';

/** Returns the number of lines of a body if each of them is JSON; else 0. */
function jsonLinesIn(text: string): number {
  try {
    return readJsonLines(text).length;
  } catch (error) {
    if (error instanceof Unreadable) return 0;
    throw error;
  }
}

function unreadable(response: Response, secrets: Secrets, as: Invalid['as'], detail: string): FatalError {
  const message = `Invalid ${as.label} response from API: ${requestLine(response.request, secrets)}: ${detail}${cacheHint(response)}`;
  return new FatalError(as.isJson ? 'API_NOT_JSON' : 'API_FORMAT', message, responseFacts(response, secrets));
}

/** Returns a description of a body that is not text, with advice if it should be JSON; `undefined` for any other. */
function packedBody(body: Uint8Array): string | undefined {
  if (isGzip(body)) return `a gzip file. ${UNPACK}`;
  if (isOldOffice(body))
    return 'an Excel file of the old kind (.xls), or an encrypted one. Ask the API for .xlsx or CSV.';
  if (!isZip(body)) return undefined;
  return isWorkbook(body) ? 'an Excel file. Set "format": "xlsx" in the job.' : `a zip archive. ${UNPACK}`;
}

const UNPACK =
  'Set "format" in the job to what the file in it is, such as "csv", "jsonl", "xml" or "json": then it is unpacked.';
