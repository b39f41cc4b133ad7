import type { CutLists } from '../../core/evidence';
import { entriesOf, isList, isObject } from '../../core/json/keys';
import type { Json, JsonObject, Reply } from '../../core/model';
import type { FoundItems } from '../items';
import { placeText, plainKey } from './metadata-objects';

/** Keys whose value `true` says that the list beside them has more elements, as APIs spell them. */
const SPELLINGS = ['has_more', 'hasMore', 'has_next', 'hasNext', 'has_next_page', 'hasNextPage'];
const MORE_KEYS: ReadonlySet<string> = new Set(SPELLINGS.map(plainKey));
/** Objects beside a list that describe it. */
const HOLDERS: ReadonlySet<string> = new Set(['pageinfo', 'paging', 'pagination', 'meta', 'page']);
/** Most items have none of it in their bytes, and need not be looked at. */
const MARKS = SPELLINGS.map((key) => `"${key}"`);
/** All of them begin so: most pages are read through once at most. */
const BEGINNING = '"has';

/**
 * Items that hold a list of which the API gave only the first page (docs/completeness.md): `has_more` beside it, or the
 * `pageInfo` of a connection, says so.
 *
 * @returns `undefined` when there is no such item
 * @example cutLists(found, reply) // { items: 2, where: '"lines.has_more"' }
 */
export function cutLists(found: Pick<FoundItems, 'items' | 'count'>, reply: Reply): CutLists | undefined {
  const { raw } = reply;
  if (found.count === 0 || raw?.has === false || !hasMark(raw?.bytes() ?? reply.response.body)) return undefined;
  // Reading the items parses the page, so it comes last.
  const places = found.items.flatMap((item) => cutIn(item, []) ?? []);
  const [where] = places;
  return where === undefined ? undefined : { items: places.length, where };
}

function hasMark(bytes: Uint8Array): boolean {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return text.includes(BEGINNING) && MARKS.some((mark) => text.includes(mark));
}

/** Where an item says so, in words; a list without elements says nothing by its place in another one. */
function cutIn(value: Json, path: readonly string[]): string | undefined {
  if (isList(value)) return firstOf(value, (element) => cutIn(element, path));
  if (!isObject(value)) return undefined;
  const members = entriesOf(value);
  if (members.some(([, member]) => isList(member))) {
    const flag = flagIn(value, path) ?? firstOf(members, ([key, inner]) => flagOfHolder(key, inner, path));
    if (flag !== undefined) return flag;
  }
  return firstOf(members, ([key, member]) => cutIn(member, [...path, key]));
}

const flagOfHolder = (key: string, value: Json, path: readonly string[]): string | undefined =>
  HOLDERS.has(plainKey(key)) && isObject(value) ? flagIn(value, [...path, key]) : undefined;

function flagIn(object: JsonObject, path: readonly string[]): string | undefined {
  const found = entriesOf(object).find(([key, value]) => value === true && MORE_KEYS.has(plainKey(key)));
  return found === undefined ? undefined : placeText([...path, found[0]]);
}

function firstOf<T>(values: readonly T[], find: (value: T) => string | undefined): string | undefined {
  for (const value of values) {
    const found = find(value);
    if (found !== undefined) return found;
  }
  return undefined;
}
