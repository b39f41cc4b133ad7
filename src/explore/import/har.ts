/** Reads the recording of a browser as requests for lists. */
import { FatalError } from '../../core/errors/errors';
import { isList, isObject, listAt, objectAt, ownValue, stringAt, valueBelow } from '../../core/json/objects';
import { jsonIn, parseJson } from '../../core/json/parse';
import type { HttpMethod, Json, JsonObject } from '../../core/model';
import { nameOfJob } from '../detect/configuration';
import { findData } from '../detect/data-place';
import { isPagingParam } from '../detect/paging/names';
import type { RecordedAnswer } from '../detect/recorded-fetch';
import type { Beginning, Imported } from './imported';

/** The maximum length of a HAR, which contains all bodies. */
const LONGEST = 400_000_000;

/**
 * Reads a HAR, as the tools of browsers save it: the requests that returned lists as JSON, with all their pages. Of several hosts, only the
 * one with the most items is used. Their credentials are in the requests: `discoverImported` makes variables of them.
 *
 * @param text JSON
 * @throws FatalError CONFIG_INVALID if it is no HAR, or if no response in it has a list
 * @example importHar(await readFile('shop.har', 'utf8')).beginnings.map(({ id }) => id) // ['/api/orders']
 */
export function importHar(text: string): Imported {
  const entries = entriesOfHar(text).flatMap((entry) => listEntryOf(entry) ?? []);
  const origin = busiest(entries);
  if (origin === undefined) throw refused('no response in it has a list of objects as JSON');
  const groups = groupsOf(entries.filter((each) => originOf(each) === origin));
  const others = new Set(entries.map(originOf).filter((each) => each !== origin));
  return {
    kind: 'har',
    title: new URL(origin).host,
    beginnings: named(groups.map(beginningOf)),
    warnings: others.size === 0 ? [] : [`Lists of other hosts are left out: ${[...others].slice(0, 5).join(', ')}.`],
  };
}

function entriesOfHar(text: string): readonly Json[] {
  if (text.length > LONGEST) throw refused(`it has more than ${LONGEST} characters`);
  let har: Json;
  try {
    har = parseJson(text.replace(/^\ufeff/, ''));
  } catch (cause) {
    throw refused('it is no JSON', cause);
  }
  const entries = valueBelow(har, 'log', 'entries');
  if (!isList(entries)) throw refused('it has no log.entries');
  return entries;
}

const originOf = ({ answer }: ListEntry): string => new URL(answer.url).origin;

function busiest(entries: readonly ListEntry[]): string | undefined {
  const counts = new Map<string, number>();
  for (const each of entries) counts.set(originOf(each), (counts.get(originOf(each)) ?? 0) + each.count);
  return [...counts].sort(([, a], [, b]) => b - a)[0]?.[0];
}

function beginningOf(group: Group): Beginning {
  const [{ answer, headers }] = group;
  const { method, url, requestBody } = answer;
  return {
    id: new URL(url).pathname,
    name: nameOfJob(url),
    summary: group.length === 1 ? '1 response' : `${group.length} responses`,
    request: { method, url, headers, ...(requestBody === undefined ? {} : { body: requestBody }) },
    missing: [],
    recorded: group.map((each) => each.answer),
  };
}

/** Returns lists with unique ids and names, even if they differ only in their parameters. */
function named(beginnings: readonly Beginning[]): readonly Beginning[] {
  const seen = new Map<string, number>();
  return beginnings.map((each) => {
    const number = (seen.get(each.id) ?? 0) + 1;
    seen.set(each.id, number);
    return number === 1 ? each : { ...each, id: `${each.id}#${number}`, name: `${each.name}_${number}` };
  });
}

const refused = (why: string, cause?: unknown): FatalError =>
  new FatalError('CONFIG_INVALID', `This HAR cannot be used: ${why}.`, { cause });

/** A recorded response with a list, and its request. */
export interface ListEntry {
  readonly answer: RecordedAnswer;
  /** The headers of the request by lower-case name, with its secrets. */
  readonly headers: Readonly<Record<string, string>>;
  /** How many items it has. */
  readonly count: number;
}

/** Headers of the transfer: a recorded body is decoded and complete. */
const TRANSFER = /^(?:content-encoding|content-length|transfer-encoding|connection|keep-alive|set-cookie|:.*)$/;
const METHODS: ReadonlySet<unknown> = new Set(['GET', 'POST']);

/** @returns `undefined` if an entry is no success, has no JSON, or no list of objects */
function listEntryOf(entry: Json): ListEntry | undefined {
  const [request, response] = [objectAt(entry, 'request'), objectAt(entry, 'response')];
  const [method, url] = [ownValue(request, 'method'), ownValue(request, 'url')];
  const status = ownValue(response, 'status');
  const body = bodyOf(objectAt(response, 'content'));
  if (typeof url !== 'string' || !isAddress(url) || !METHODS.has(method)) return undefined;
  if (typeof status !== 'number' || status < 200 || status > 299 || body === undefined) return undefined;
  const found = findData(body.data, url);
  if (found.value.kind === 'object' || !found.value.items.every(isObject)) return undefined;
  const posted = ownValue(objectAt(request, 'postData'), 'text');
  const answer = {
    ...{ method: method as HttpMethod, url, status, body: body.text },
    headers: headersAt(response, (name) => !TRANSFER.test(name)),
    ...(typeof posted === 'string' ? { requestBody: posted } : {}),
  };
  return { answer, headers: headersAt(request, (name) => !name.startsWith(':')), count: found.value.items.length };
}

const isAddress = (url: string): boolean => /^https?:\/\//i.test(url) && URL.canParse(url);

function bodyOf(content: JsonObject): { readonly text: string; readonly data: Json } | undefined {
  const written = ownValue(content, 'text');
  if (typeof written !== 'string' || written === '') return undefined;
  const text = ownValue(content, 'encoding') === 'base64' ? Buffer.from(written, 'base64').toString('utf8') : written;
  const data = jsonIn(text);
  return data === undefined ? undefined : { text, data };
}

/** Returns headers; values of one name are joined, as the transport joins them. */
function headersAt(message: JsonObject, isWanted: (name: string) => boolean): Readonly<Record<string, string>> {
  const headers = new Map<string, string>();
  for (const each of listAt(message, 'headers')) {
    const [name = '', value] = [stringAt(each, 'name')?.toLowerCase(), stringAt(each, 'value')];
    if (name === '' || value === undefined || !isWanted(name)) continue;
    const before = headers.get(name);
    headers.set(name, before === undefined ? value : `${before}, ${value}`);
  }
  return Object.fromEntries(headers);
}

/** Pages of one list, the first page first. */
export type Group = readonly [ListEntry, ...ListEntry[]];

/**
 * Groups requests that differ only in parameters of paging, by method, address and GraphQL document. Others stay apart, since another
 * filter asks for another list.
 */
function groupsOf(entries: readonly ListEntry[]): readonly Group[] {
  const groups = new Map<string, ListEntry[]>();
  for (const entry of entries) {
    const key = keyOf(entry);
    groups.set(key, [...(groups.get(key) ?? []), entry]);
  }
  return [...groups.values()].map((group) => {
    const [first, ...others] = [...group].sort((a, b) => place(a) - place(b));
    return [first, ...others] as unknown as Group;
  });
}

function keyOf({ answer: { method, url, requestBody } }: ListEntry): string {
  const { origin, pathname, searchParams } = new URL(url);
  const rest = [...searchParams].filter(([name]) => !isPagingParam(name)).sort(([a], [b]) => (a < b ? -1 : 1));
  return JSON.stringify([method, origin, pathname, rest, queryOf(requestBody)]);
}

/** Returns the document of a GraphQL body; of any other body, all of it. */
const queryOf = (body = ''): string => stringAt(jsonIn(body), 'query') ?? body;

/**
 * Returns the distance of a request from the first page: without position parameters it is the first, numbers are ordered, and a token
 * comes after all numbers.
 */
function place({ answer: { url, requestBody } }: ListEntry): number {
  const paging = [...new URL(url).searchParams].filter(([name, value]) => isPagingParam(name) && value !== '');
  const numbers = paging.map(([, value]) => (/^\d{1,15}$/.test(value) ? Number(value) : Number.MAX_SAFE_INTEGER));
  const inBody = requestBody !== undefined && /"(?:after|cursor)"\s*:\s*"/.test(requestBody) ? 1 : 0;
  return numbers.reduce((sum, each) => sum + each, inBody);
}
