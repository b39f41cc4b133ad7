import { withMember } from '../../core/json/literals';
import { entriesOf, isObject, objectFrom } from '../../core/json/objects';
import { jsonIn } from '../../core/json/parse';
import { stringifyJson } from '../../core/json/stringify';
import type { HttpMethod } from '../../core/model';

/**
 * Returns a `fetch` that responds from recorded responses, and sends nothing. Other requests get the status 404.
 *
 * A parameter that no recorded request has, such as a page size, is ignored; so is the number of the first page, if that was requested
 * without it.
 *
 * @example await discover(request, { fetch: recordedFetch(recorded) })
 */
export function recordedFetch(recorded: readonly RecordedAnswer[]): typeof globalThis.fetch {
  const known = new Set(recorded.flatMap(({ url }) => [...new URL(url).searchParams.keys()]));
  const byKey = new Map([...recorded].reverse().map((each) => [keyOf(each.method, each.url, each.requestBody), each]));
  return async (input, init) => {
    const request = new Request(input, init);
    const body = request.body === null ? undefined : await request.text();
    const found =
      byKey.get(keyOf(request.method, request.url, body)) ??
      byKey.get(keyOf(request.method, request.url, body, (name) => known.has(name))) ??
      byKey.get(keyOf(request.method, request.url, body, (name, value) => known.has(name) && !FIRST.test(value)));
    if (found === undefined)
      return new Response('{}', { status: 404, headers: { 'content-type': 'application/json' } });
    return new Response(found.body, { status: found.status, headers: found.headers });
  };
}

/** Matches the possible numbers of the first page. */
const FIRST = /^[01]?$/;

function keyOf(
  method: string,
  url: string,
  body: string | undefined,
  isKept: (name: string, value: string) => boolean = () => true,
): string {
  const { origin, pathname, searchParams } = new URL(url);
  const params = [...searchParams].filter(([name, value]) => isKept(name, value)).map((pair) => pair.join('='));
  return JSON.stringify([method, origin, pathname, params.sort(), bodyKey(body)]);
}

/** Returns the key of a body: for JSON its value, without variables that are `null`, which are as good as absent. */
function bodyKey(body = ''): string {
  const parsed = jsonIn(body);
  if (parsed === undefined) return body;
  if (!isObject(parsed) || !isObject(parsed['variables'])) return sorted(parsed);
  const variables = entriesOf(parsed['variables']).filter(([, value]) => value !== null);
  return sorted(withMember(parsed, 'variables', objectFrom(variables)));
}

const sorted = (value: Parameters<typeof stringifyJson>[0]): string =>
  isObject(value)
    ? `{${Object.entries(value)
        .sort(([a], [b]) => (a < b ? -1 : 1))
        .map(([key, inner]) => `${JSON.stringify(key)}:${sorted(inner)}`)
        .join(',')}}`
    : stringifyJson(value);

/** A recorded request and its response. */
export interface RecordedAnswer {
  readonly method: HttpMethod;
  /** Absolute. */
  readonly url: string;
  readonly requestBody?: string;
  readonly status: number;
  /** The headers by lower-case name, without those of the transfer. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}
