/** The entries of a HAR that have JSON, as recorded responses. */
import { findData } from '../../detect/data-place';
import type { RecordedAnswer } from '../../detect/recorded';
import { isList, isObject, ownValue } from '../../../core/json/keys';
import { parseData } from '../../../core/json/parse';
import type { HttpMethod, Json, JsonObject } from '../../../core/model';

/** A response of a list, with what its request carried. */
export interface ListEntry {
  readonly answer: RecordedAnswer;
  /** Of the request, by lower-case name; with its secrets. */
  readonly headers: Readonly<Record<string, string>>;
  /** How many items it has. */
  readonly count: number;
}

/** Of the transfer: a body that was recorded is decoded and whole. */
const TRANSFER = /^(?:content-encoding|content-length|transfer-encoding|connection|keep-alive|set-cookie|:.*)$/;
const METHODS: ReadonlySet<unknown> = new Set(['GET', 'POST']);

/** @returns `undefined` where an entry is no success, has no JSON, or no list of objects in it */
export function listEntryOf(entry: Json): ListEntry | undefined {
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
  try {
    return { text, data: parseData(text) };
  } catch {
    return undefined;
  }
}

/** Values of one name are joined, as the transport joins them. */
function headersAt(message: JsonObject, isWanted: (name: string) => boolean): Readonly<Record<string, string>> {
  const list = ownValue(message, 'headers');
  const headers = new Map<string, string>();
  for (const each of isList(list) ? list : []) {
    const [name, value] = isObject(each) ? [ownValue(each, 'name'), ownValue(each, 'value')] : [];
    if (typeof name !== 'string' || typeof value !== 'string' || !isWanted(name.toLowerCase())) continue;
    const before = headers.get(name.toLowerCase());
    headers.set(name.toLowerCase(), before === undefined ? value : `${before}, ${value}`);
  }
  return Object.fromEntries(headers);
}

function objectAt(value: Json | undefined, key: string): JsonObject {
  const inner = isObject(value) ? ownValue(value, key) : undefined;
  return isObject(inner) ? inner : {};
}
