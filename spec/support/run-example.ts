/** Runs a worked example of the manual, or of a definition, by the public API: every request, every item, every cell. */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse } from 'csv-parse/sync';
import { deliver, extract, parseJson, sinks, stringifyJson } from '../../src';
import type { Item, Json, JsonObject, Part } from '../../src';
import type { ExampleExchange } from '../../src/language/codec/component';
import { nock } from './nock';
import { sheetDataOf, workbookOf } from './xlsx';
import { zipOf } from './zip';

export type Exchange = ExampleExchange;

/** A configuration, what it makes of an API, and what comes out; the example of a definition is one. */
export interface Example {
  readonly about?: string;
  readonly config: JsonObject;
  readonly options?: {
    readonly now?: string;
    readonly state?: JsonObject;
    readonly warnings?: boolean;
    readonly env?: Readonly<Record<string, string>>;
  };
  readonly exchanges: readonly Exchange[];
  readonly items?: readonly Json[];
  /** Rows with the header, by the name of the table. */
  readonly tables?: Readonly<Record<string, string>>;
  readonly error?: { readonly code: string; readonly parts: readonly string[] };
  readonly log?: readonly string[];
}

const BASE = 'https://api.example';
const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'];

/** What a run gave. */
interface Outcome {
  readonly items: readonly Item[];
  readonly tables: Readonly<Record<string, string>>;
  readonly log: readonly string[];
  readonly error?: { readonly code: string; readonly message: string };
}

/**
 * Runs an example and fails with a difference, if there is any.
 *
 * @param components parts of an application that the example names
 */
export async function runExample(example: Example | undefined, components: readonly Part[] = []): Promise<void> {
  if (example === undefined) throw new Error('There is no example.');
  const { options = {}, items, tables, error, log } = example;
  if (options.now !== undefined) jest.useFakeTimers({ now: new Date(options.now), doNotFake: REAL });
  const api = serve(example.exchanges);
  try {
    const outcome = await outcomeOf(example, components);
    expect(api.complaints).toEqual([]);
    expect(error === undefined ? outcome.error : outcome.error?.code).toBe(error?.code);
    for (const part of error?.parts ?? []) expect(spaced(outcome.error?.message ?? '')).toContain(spaced(part));
    expect(api.left()).toEqual([]);
    if (items !== undefined) expect(outcome.items.map(asText)).toEqual(items.map(asText));
    if (tables !== undefined && error === undefined)
      expect(sameTables(outcome.tables, tables)).toEqual(readTables(tables));
    expect(linesIn(outcome.log, log ?? [])).toEqual(log ?? []);
  } finally {
    api.close();
    jest.useRealTimers();
  }
}

type FakeTimers = Exclude<Parameters<typeof jest.useFakeTimers>[0], undefined> & { doNotFake?: string[] };

/** Only the clock stands still. */
const REAL = [
  'hrtime',
  'nextTick',
  'performance',
  'queueMicrotask',
  'setImmediate',
  'clearImmediate',
  'setInterval',
  'clearInterval',
  'setTimeout',
  'clearTimeout',
] satisfies NonNullable<FakeTimers['doNotFake']>;

const asText = (value: Json): string => stringifyJson(value);
const spaced = (text: string): string => text.replace(/\s+/g, ' ').trim();

/** The configuration with a base URL. */
export function completed(config: JsonObject): JsonObject {
  const written = config as { parameters?: JsonObject; api?: JsonObject };
  if (written.parameters !== undefined) return { ...config, parameters: completed(written.parameters) };
  return { ...config, api: { baseUrl: BASE, ...written.api } };
}

async function outcomeOf({ config, options = {}, tables }: Example, components: readonly Part[]): Promise<Outcome> {
  const log: string[] = [];
  const logger = { log: (_: string, message: string) => void log.push(message) };
  const { state, env } = options;
  const outside = { ...(state === undefined ? {} : { state }), ...(env === undefined ? {} : { env }) };
  const runOptions = { logger, components, ...outside };
  const items: Item[] = [];
  const folder = mkdtempSync(join(tmpdir(), 'headwater-example-'));
  try {
    const extraction = extract(completed(config), runOptions);
    if (options.warnings !== true) expect(extraction.warnings).toEqual([]);
    if (tables === undefined) for await (const item of extraction) items.push(item);
    else await deliver(completed(config), [sinks.csv(folder)], runOptions);
    const files = readdirSync(folder).filter((name) => name.endsWith('.csv'));
    const read = files.map((name) => [name.slice(0, -4), readFileSync(join(folder, name), 'utf8')]);
    return { items, log, tables: Object.fromEntries(read) as Record<string, string> };
  } catch (error) {
    if (!(error instanceof Error && 'code' in error)) throw error;
    return { items, log, tables: {}, error: { code: String(error.code), message: error.message } };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** The lines of `wanted` that are in the log, in this order. */
function linesIn(log: readonly string[], wanted: readonly string[]): readonly string[] {
  let from = 0;
  return wanted.filter((line) => {
    const at = log.findIndex((entry, index) => index >= from && entry.includes(line));
    if (at >= 0) from = at + 1;
    return at >= 0;
  });
}

/** Answers the requests of an example, in their order and no others. */
function serve(exchanges: readonly Exchange[]) {
  const complaints: string[] = [];
  let next = 0;
  if (!nock.isActive()) nock.activate();
  nock.disableNetConnect();
  const scope = nock(/^https?:\/\//).persist();
  for (const method of METHODS)
    scope.intercept(/.*/, method).reply(async (request): Promise<[number, string | Buffer, Record<string, string>]> => {
      const exchange = exchanges[next];
      next += 1;
      const { origin, pathname, search } = new URL(request.url);
      const asked = `${method} ${origin === BASE ? '' : origin}${pathname}${search}`;
      const wrong =
        exchange === undefined
          ? `one request more: ${asked}`
          : differenceOf(exchange, asked, request.headers, await request.text());
      if (wrong !== undefined) complaints.push(wrong);
      if (exchange === undefined || wrong !== undefined) return [400, 'The example has another request here.', {}];
      const { status = 200, response } = exchange;
      const text = typeof response === 'string' ? response : asText(response);
      const type = /^\s*[[{]/.test(text) ? { 'content-type': 'application/json' } : {};
      return [status, fileOf(response, exchange.headers) ?? text, { ...type, ...exchange.headers }];
    });
  return {
    complaints,
    left: () => exchanges.slice(next).map(({ request }) => `not requested: ${request}`),
    close: () => {
      nock.cleanAll();
      nock.restore();
      nock.enableNetConnect();
    },
  };
}

/** A file that an example describes by what it holds: a zip archive by its files, a workbook by the rows of its sheets. */
function fileOf(response: Json, headers: Exchange['headers'] = {}): Buffer | undefined {
  const type = new Headers(headers).get('content-type');
  if (type !== ZIP && type !== EXCEL) return undefined;
  const held = typeof response === 'string' ? parseJson(response) : response;
  if (type === ZIP) {
    const files = Object.entries(held as Readonly<Record<string, string>>);
    return zipOf(files.map(([name, content]) => ({ name, content })));
  }
  const sheets = Object.entries(held as Readonly<Record<string, Json[][]>>);
  return workbookOf(Object.fromEntries(sheets.map(([name, rows]) => [name, sheetDataOf(rows)])));
}

const ZIP = 'application/zip';
const EXCEL = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet';

/** In a page the brackets of a query are written as they are. */
const readable = (request: string): string => request.replace(/%5B/gi, '[').replace(/%5D/gi, ']');

function differenceOf(exchange: Exchange, asked: string, sent: Headers, body: string): string | undefined {
  if (readable(asked) !== readable(exchange.request)) return `asked ${readable(asked)}, expected ${exchange.request}`;
  for (const [name, value] of Object.entries(exchange.requestHeaders ?? {})) {
    const given = sent.get(name);
    if (!fits(value, given ?? ''))
      return `${asked}: header ${name} is ${JSON.stringify(given)}, expected ${JSON.stringify(value)}`;
  }
  const wanted = exchange.requestBody;
  if (wanted === undefined) return undefined;
  const expected = readBody(typeof wanted === 'string' ? wanted : asText(wanted));
  return readBody(body) === expected ? undefined : `${asked}: body is ${readBody(body)}, expected ${expected}`;
}

/** In a header `…` stands for anything, such as a nonce. */
const fits = (pattern: string, value: string): boolean =>
  new RegExp(
    `^${pattern
      .split('…')
      .map((part) => part.replace(/[^\w\s]/g, '\\$&'))
      .join('.*')}$`,
    's',
  ).test(value);

/** A body as a string that is equal when two bodies mean the same. */
function readBody(body: string): string {
  try {
    return stringifyJson(parseJson(body));
  } catch {
    return readable(body.trim());
  }
}

const cellsOf = (text: string): string[][] => parse(text.trim(), { relax_column_count: true });
const readTables = (tables: Readonly<Record<string, string>>): Record<string, string[][]> =>
  Object.fromEntries(Object.entries(tables).map(([name, text]) => [name, cellsOf(text)]));

/** The tables that were made, with the digests written as the example writes them. */
function sameTables(made: Readonly<Record<string, string>>, wanted: Readonly<Record<string, string>>) {
  const names = new Map<string, string>();
  return Object.fromEntries(
    Object.entries(readTables(made)).map(([table, rows]) => {
      const expected = wanted[table] === undefined ? [] : cellsOf(wanted[table]);
      const named = (cell: string, name: string): string =>
        cell.replace(/[0-9a-f]{32}/, (digest) => {
          const known = names.get(digest);
          if (known !== undefined) return known;
          const number = /<\d+>/.exec(name)?.[0];
          if (number === undefined || [...names.values()].includes(number)) return digest;
          names.set(digest, number);
          return number;
        });
      return [table, rows.map((cells, row) => cells.map((cell, at) => named(cell, expected[row]?.[at] ?? '')))];
    }),
  );
}
