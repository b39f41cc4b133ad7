import { stringifyJson } from '..';
import type { ExchangePreview, JobPreview, Json, PagePreview, Preview, TablePreview } from '..';
import { INDENT, labelled, marked } from './labelled';
import { fitted, visible, wrapped } from './terminal';
import { textTable } from './text-table';

/** Columns of a table that are listed with their types. */
const MOST_COLUMNS = 40;
const MOST_CANDIDATES = 6;
const NUMBERS = /^(integer|bigint|double|decimal)/;

/** A preview in lines of no more than so many columns. */
export function previewText({ jobs, logins, warnings, iterations }: Preview, width: number): string {
  const paragraphs = [
    ...(logins.length === 0 ? [] : [['Logins', ...logins.flatMap((login) => exchangeLines(login, width))]]),
    ...jobs.map((job) => jobLines(job, width)),
    ...(warnings.length === 0 ? [] : [warnings.flatMap((text) => marked('! ', text, width))]),
    ...(iterations > 1 ? [wrapped(`This is the first of ${iterations} iterations.`, width)] : []),
  ];
  return paragraphs.map((lines) => lines.map((line) => `${line}\n`).join('')).join('\n');
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
    found.path === '' ? 'nothing was found' : `${countOf(count, 'item')} at dataField "${found.path}", ${found.how}`;
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
      : `${response.status}, ${countOf(response.bytes, 'byte')}, ${Math.round(response.milliseconds)} ms${type === undefined ? '' : `, ${type}`}`;
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
    ...labelled('table', `${name} (${countOf(count, 'row')}${belongs}): ${[...typed, ...rest].join(', ')}`, width),
    ...textTable(
      heads,
      rows.map((row) => row.map(cellText)),
      width - INDENT.length,
    ).map((line) => INDENT + line),
  ];
}

const cellText = (cell: Json): string =>
  cell === null ? 'NULL' : typeof cell === 'string' ? cell : stringifyJson(cell);

const countOf = (count: number, what: string): string =>
  `${count.toLocaleString('en')} ${what}${count === 1 ? '' : 's'}`;
