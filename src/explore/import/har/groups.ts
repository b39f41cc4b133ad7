/** Requests that ask for pages of one list. */
import { isPagingParam } from '../../detect/paging/names';
import { isObject } from '../../../core/json/keys';
import { parseData } from '../../../core/json/parse';
import type { ListEntry } from './entries';

/** Pages of one list, the first page first. */
export type Group = readonly [ListEntry, ...ListEntry[]];

/**
 * Puts together what differs in parameters of paging alone: by method, address and document of GraphQL. The others keep apart, since a
 * filter that differs asks for another list.
 */
export function groupsOf(entries: readonly ListEntry[]): readonly Group[] {
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

/** Of a body of GraphQL its document; of others all. */
function queryOf(body: string | undefined): string {
  if (body === undefined) return '';
  try {
    const parsed = parseData(body);
    const query = isObject(parsed) ? parsed['query'] : undefined;
    return typeof query === 'string' ? query : body;
  } catch {
    return body;
  }
}

/** How far behind the first page a request is: none of its parameters say so, or their numbers. A token is behind all numbers. */
function place({ answer: { url, requestBody } }: ListEntry): number {
  const paging = [...new URL(url).searchParams].filter(([name, value]) => isPagingParam(name) && value !== '');
  const numbers = paging.map(([, value]) => (/^\d{1,15}$/.test(value) ? Number(value) : Number.MAX_SAFE_INTEGER));
  const inBody = requestBody !== undefined && /"(?:after|cursor)"\s*:\s*"/.test(requestBody) ? 1 : 0;
  return numbers.reduce((sum, each) => sum + each, inBody);
}
