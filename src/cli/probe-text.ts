/** What `headwater probe` prints: the description, the requests and the first pages of a configuration, as text. */
import { counted } from '../core/text';
import { stringifyJson } from '..';
import type {
  ExchangePreview,
  JobPreview,
  JobRequests,
  Json,
  PagePreview,
  Paragraph,
  PlannedRequest,
  Preview,
  RequestsOf,
  TablePreview,
} from '..';
import { INDENT, fitted, labelled, marked, textTable, visible, wrapped } from './output';

/** Returns a description in lines of at most that many columns. */
export const descriptionText = (all: readonly Paragraph[], width: number): string =>
  inParagraphs(
    all.map(({ about, path, sentences }) =>
      [`${about}  (${path})`, ...sentences].flatMap((text, at) => marked(at === 0 ? '' : '  ', text, width)),
    ),
  );

const inParagraphs = (all: readonly (readonly string[])[]): string =>
  all.map((lines) => lines.map((line) => `${line}\n`).join('')).join('\n');

/** Returns requests in lines of at most that many columns. */
export function requestsText({ jobs, logins, iterations }: RequestsOf, width: number): string {
  return inParagraphs([
    ...(logins.length === 0
      ? []
      : [['Login, before the first request', ...logins.flatMap((each) => requestLines(each, width))]]),
    ...jobs.map((job) => [
      fitted(visible(`${job.endpoint}  (${job.path})`), width),
      ...labelled('calls', job.calls, width),
      ...job.requests.flatMap((each) => requestLines(each, width)),
      ...(job.unknown === undefined ? [] : labelled('unknown', job.unknown, width)),
      ...labelled('paging', job.paging, width),
    ]),
    ...(iterations > 1 ? [[`This is the first of ${iterations} iterations.`]] : []),
  ]);
}

function requestLines({ purpose, method, url, headers, body }: PlannedRequest, width: number): readonly string[] {
  return [
    ...labelled(purpose, `${method} ${url}`, width),
    ...Object.entries(headers).map(([name, value]) => fitted(visible(`             ${name}: ${value}`), width)),
    ...(body === undefined ? [] : [fitted(visible(`             ${body}`), width)]),
  ];
}

/** Returns a shell script, with comments about its commands and the variables they need. */
export function curlText({ jobs, logins, variables }: RequestsOf): string {
  const needs =
    variables.length === 0
      ? []
      : ['# Set these first:', ...variables.map(({ name, about }) => comment(`${name}: ${about}`)), ''];
  const commands = [
    ...logins.flatMap(({ curl }) => ['# Login', curl, '']),
    ...jobs.flatMap((job) => [
      comment(titleOf(job)),
      ...job.requests.flatMap(({ purpose, curl }) => [...(purpose === 'page' ? [] : [comment(purpose)]), curl, '']),
    ]),
  ];
  return [...needs, ...commands]
    .map((line) => `${line}\n`)
    .join('')
    .replace(/\n+$/, '\n');
}

/** A line break would end the comment. */
export const comment = (text: string): string => `# ${visible(text)}`;

const titleOf = ({ endpoint, path, calls, unknown }: JobRequests): string =>
  `${endpoint} (${path}). ${calls}${unknown === undefined ? '' : ` Unknown: ${unknown}`}`;

/** The maximum number of columns of a table that are listed with their types. */
const MOST_COLUMNS = 40;
const MOST_CANDIDATES = 6;
const NUMBERS = /^(integer|bigint|double|decimal)/;

/** Returns a preview in lines of at most that many columns. */
export function previewText({ jobs, logins, warnings, iterations }: Preview, width: number): string {
  return inParagraphs([
    ...(logins.length === 0 ? [] : [['Logins', ...logins.flatMap((login) => exchangeLines(login, width))]]),
    ...jobs.map((job) => jobLines(job, width)),
    ...(warnings.length === 0 ? [] : [warnings.flatMap((text) => marked('! ', text, width))]),
    ...(iterations > 1 ? [wrapped(`This is the first of ${iterations} iterations.`, width)] : []),
  ]);
}

function jobLines(job: JobPreview, width: number): readonly string[] {
  const { endpoint, path, state, reason, error, placeholders = {}, exchanges } = job;
  const called = Object.entries(placeholders).map(([name, value]) => `${name}=${value}`);
  const title = `${endpoint}  (${path}${called.length === 0 ? '' : `, ${called.join(', ')}`})`;
  const last = exchanges.at(-1);
  return [
    fitted(visible(title), width),
    ...job.warnings.flatMap((text) => marked('  ! ', text, width)),
    ...(state === 'notReached' ? marked('  not reached: ', reason ?? '', width) : []),
    ...(error === undefined ? [] : marked('  failed: ', error.message, width)),
    ...(job.pages.length === 0 && last !== undefined ? exchangeLines(last, width) : []),
    ...job.pages.flatMap((page) => pageLines(page, width)),
    ...job.tables.flatMap((table) => tableLines(table, width)),
  ];
}

function pageLines(page: PagePreview, width: number): readonly string[] {
  const { found, items, count, next, more, moreBecause } = page;
  const others = found.candidates.filter(({ path }) => path !== found.path);
  const named = others.slice(0, MOST_CANDIDATES).map(({ path, count: each }) => `${path} (${each})`);
  const rest = others.length > MOST_CANDIDATES ? [`${others.length - MOST_CANDIDATES} more`] : [];
  const place =
    found.path === '' ? 'nothing was found' : `${counted(count, 'item')} at dataField "${found.path}", ${found.how}`;
  const request = next.request === undefined ? 'nothing' : `${next.request.method} ${next.request.url}`;
  return [
    ...exchangeLines(page, width),
    ...labelled('items', place, width),
    ...(others.length === 0 ? [] : labelled('lists', `also ${[...named, ...rest].join(', ')}`, width)),
    ...items.map((item) => fitted(`           ${visible(stringifyJson(item))}`, width)),
    ...labelled('next', `${request}. ${next.because}`, width),
    ...labelled('more', `${more}. ${moreBecause}`, width),
  ];
}

function exchangeLines({ request, response, error }: ExchangePreview, width: number): readonly string[] {
  const { method, url, body } = request;
  const type = response?.headers['content-type'];
  const answer =
    response === undefined
      ? `none${error === undefined ? '' : `: ${error}`}`
      : `${response.status}, ${counted(response.bytes, 'byte')}, ${Math.round(response.milliseconds)} ms${type === undefined ? '' : `, ${type}`}`;
  return [
    ...labelled('request', `${method} ${url}`, width),
    ...(body === undefined ? [] : [fitted(`           ${visible(body)}`, width)]),
    ...labelled('response', answer, width),
  ];
}

function tableLines({ name, parent, columns, rows, count }: TablePreview, width: number): readonly string[] {
  const belongs = parent === undefined ? '' : `, rows of ${parent}`;
  const typed = columns.slice(0, MOST_COLUMNS).map((column) => `${column.name} ${column.type}`);
  const rest = columns.length > MOST_COLUMNS ? [`and ${columns.length - MOST_COLUMNS} more`] : [];
  const heads = columns.map((column) => ({ name: column.name, isNumber: NUMBERS.test(column.type) }));
  return [
    ...labelled('table', `${name} (${counted(count, 'row')}${belongs}): ${[...typed, ...rest].join(', ')}`, width),
    ...textTable(
      heads,
      rows.map((row) => row.map(cellText)),
      width - INDENT.length,
    ).map((line) => INDENT + line),
  ];
}

const cellText = (cell: Json): string =>
  cell === null ? 'NULL' : typeof cell === 'string' ? cell : stringifyJson(cell);
