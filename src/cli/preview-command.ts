import { counted } from '../core/text';
import { FatalError, preview, stringifyJson, validate } from '..';
import type {
  ExchangePreview,
  JobPreview,
  Json,
  JsonObject,
  PagePreview,
  Preview,
  PreviewOptions,
  TablePreview,
} from '..';
import { environmentOf, lookAtEach, nameIn } from './configurations';
import type { OneConfiguration } from './configurations';
import { EXIT, abortOnInterruption } from './exit-status';
import { filesRead, refuseOverwriting } from './files';
import {
  INDENT,
  fitted,
  labelled,
  marked,
  printJson,
  printUnder,
  terminalWidth,
  textTable,
  visible,
  wrapped,
} from './output';
import { replayFrom, missingIn } from './recording-file';
import { stateFor } from './airbyte';
import type { ReadSource } from './airbyte';
import { saveStateFile, sealOfEnvironment } from './state-file';

export interface PreviewFlags {
  readonly job?: string;
  readonly pages: number;
  readonly format: 'text' | 'json';
  readonly state?: string;
  readonly replay?: string;
  readonly lenient: boolean;
  readonly components?: readonly string[];
  readonly envFile?: readonly string[];
  readonly config?: string;
  readonly stream?: readonly string[];
}

/** `headwater preview CONFIG…`: prints a page of each job; nothing is stored. Resolves to the worst exit status. */
export async function previewCommand(paths: readonly string[], flags: PreviewFlags): Promise<number> {
  const { signal, forget } = abortOnInterruption();
  try {
    const { components, state } = flags;
    return await lookAtEach(
      paths,
      { signal, components, manifest: flags, own: { '--state': state } },
      (configuration) => previewOne(configuration, flags, signal),
    );
  } finally {
    forget();
  }
}

async function previewOne(
  { path, read, components, name }: OneConfiguration,
  flags: PreviewFlags,
  signal: AbortSignal,
): Promise<number> {
  const { job, pages, lenient, format, replay } = flags;
  const reading = { lenient, components, ...environmentOf(flags), ...missingIn(flags) };
  const state = flags.state === undefined ? undefined : nameIn(flags.state, path);
  if (state !== undefined) {
    const written = [{ what: '--state', path: state }];
    refuseOverwriting(written, filesRead(flags, read, validate(read.configuration, reading)));
  }
  const configuration = await preview(read.configuration, {
    ...{ pages, signal, ownConnections: true, ...reading },
    ...(job === undefined ? {} : { job }),
    ...(await stateOptions(read, state)),
    ...(replay === undefined ? {} : await replayFrom(nameIn(replay, path))),
  }).catch((error: unknown) => {
    throw error instanceof RangeError ? new FatalError('CONFIG_INVALID', error.message) : error;
  });
  if (format === 'json') printJson(name, configuration);
  else printUnder(name, previewText(configuration, terminalWidth()));
  return configuration.jobs.some((one) => one.state === 'failed') ? EXIT.userError : EXIT.success;
}

/** Returns the options for the state: a login that replaces its own credentials must be kept, even in a preview. */
async function stateOptions(
  read: ReadSource,
  file: string | undefined,
): Promise<Pick<PreviewOptions, 'state' | 'onCredentials'>> {
  if (file === undefined) return {};
  const seal = sealOfEnvironment();
  const onCredentials = (next: JsonObject): Promise<void> => saveStateFile(file, next, seal);
  return { state: await stateFor(read, file), onCredentials };
}

/** The maximum number of columns of a table that are listed with their types. */
const MOST_COLUMNS = 40;
const MOST_CANDIDATES = 6;
const NUMBERS = /^(integer|bigint|double|decimal)/;

/** Returns a preview in lines of at most that many columns. */
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
