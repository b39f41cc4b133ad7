/** What a browser has recorded, as requests for lists. */
import { nameOfJob } from '../detect/configuration';
import { FatalError } from '../../core/errors/errors';
import { isList, isObject, ownValue } from '../../core/json/keys';
import { parseJson } from '../../core/json/parse';
import type { Json } from '../../core/model';
import { listEntryOf, type ListEntry } from './har/entries';
import { groupsOf, type Group } from './har/groups';
import type { Beginning, Imported } from './imported';

/** A HAR of a browser has all bodies in it. */
const LONGEST = 400_000_000;

/**
 * Reads a HAR, as the tools of browsers save it: the requests that gave lists as JSON, with all their pages. Of several hosts, those of
 * the one that gave the most items are taken. Their credentials stand in the requests: `discoverImported` makes variables of them.
 *
 * @param text JSON
 * @throws FatalError CONFIG_INVALID where it is no HAR, or where no response in it has a list
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
  const log = isObject(har) ? ownValue(har, 'log') : undefined;
  const entries = isObject(log) ? ownValue(log, 'entries') : undefined;
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

/** Lists of one path that differ in their parameters have ids and names that differ. */
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
