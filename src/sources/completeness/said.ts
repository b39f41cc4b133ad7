/** What a response says about its pages: in its headers, and in the members beside its items and above them. */
import { linkTo, speaksOf } from '../../core/headers';
import { entriesOf, isList, isObject, keysOf, ownValue } from '../../core/json/objects';
import { parseData } from '../../core/json/parse';
import { isBlank, isBlankData, isCount, isInteger, isScalar, textOf } from '../../core/json/scalars';
import { stringifyJson } from '../../core/json/stringify';
import type { Json, JsonObject, Reply } from '../../core/model';
import type { TotalPlace } from '../../language/configuration/pagination';
import { SIZE_NAMES } from '../../language/parts/pagination/place';
import { aroundItems, integerOf, totalPlaceText, totalValue } from '../response-values';
import * as words from './words';
import { hasId, isErrorList, plainKey } from './words';

/** A word of a response. */
export type Sign = {
  /** Where it stands, in words for the user. */
  readonly where: string;
  /** Its value as JSON: an address that is the same on each page names no other page. */
  readonly value: string;
};

/** The number of all items, as the API counts them. */
export interface Total {
  readonly value: number;
  readonly where: string;
  /** True if there may be more. */
  readonly isAtLeast?: boolean;
}

/** What a response says. */
export interface Said {
  readonly total?: Total;
  /** True if it went by a page size that is the number of its items. */
  readonly isOfSize: boolean;
  /** It says that there is another page: by a flag or numbers of pages, or by an address or a token. */
  readonly flag?: Sign;
  readonly address?: Sign;
  /** It says that this is the last page. */
  readonly last?: Sign;
  /** It has the place of the next address or token, and nothing there. */
  readonly noNext?: Sign;
  /** It says that there is a page before it. */
  readonly previous?: Sign;
  readonly error?: Sign;
  readonly texts: readonly Sign[];
}

export const NOTHING_SAID: Said = { isOfSize: false, texts: [] };

/** An object of a response that may describe its pages, and the keys that lead to it. */
interface Holder {
  readonly path: readonly string[];
  readonly object: JsonObject;
}

const DEEPEST = 4;
/** An object with more keys than this does not describe a page. */
const MOST_KEYS = 200;

/**
 * Reads what a response says about its pages.
 *
 * @param path the keys that lead to its items; items themselves are never read
 * @param count the number of its items
 * @param pages the number of pages of the call before it, by which an API that counts pages from 0 is recognized
 * @example saidBy(reply, ['items'], 100, 0).total // { value: 20030, where: '"meta.total"' }
 */
export function saidBy(reply: Reply, path: readonly string[], count: number, pages: number): Said {
  const said: Draft = { totals: [], texts: [], isOfSize: false };
  readHeaders(reply.response.headers, said);
  const data = aroundItems(reply);
  if (isWebPage(data)) said.error = { where: 'a page of HTML', value: 'HTML' };
  else if (isObject(data))
    for (const { path: place, object } of holdersIn({ path: [], object: data }, path))
      readObject(
        object,
        (key) => `${placeText([...place, key])} in the body`,
        { count, pages, own: path[place.length] },
        said,
      );
  for (const [name, object] of headerObjects(reply))
    readObject(object, () => `a header ${name}`, { count, pages, own: undefined }, said);
  const { totals, last, address, noNext, texts, ...rest } = said;
  const [total] = totals.sort((a, b) => a.rank - b.rank);
  // A response that says both says nothing of its end. Without items, an address that is always there says nothing beside a flag.
  const saysMore = said.flag !== undefined || (address !== undefined && (last === undefined || count > 0));
  const made: Said = {
    texts,
    ...rest,
    ...(total === undefined ? {} : { total: total.total }),
    ...(last === undefined || saysMore ? {} : { last }),
    ...(address === undefined || !saysMore ? {} : { address }),
    ...(noNext === undefined || saysMore ? {} : { noNext }),
  };
  return Object.keys(made).length > KEYS_OF_NOTHING || made.isOfSize || made.texts.length > 0 ? made : NOTHING_SAID;
}

const KEYS_OF_NOTHING = Object.keys(NOTHING_SAID).length;

type Draft = { -readonly [K in keyof Omit<Said, 'total' | 'texts'>]: Said[K] } & {
  totals: { readonly rank: number; readonly total: Total }[];
  texts: Sign[];
};

/** Returns a path as messages show it. */
export const placeText = (path: readonly string[]): string => JSON.stringify(path.join('.'));

/** Returns the root, what is on the way to the items, and what has a usual name there. An object with an id of its own is an item. */
function* holdersIn(holder: Holder, path: readonly string[]): Generator<Holder> {
  const { object } = holder;
  const [onTheWay] = path;
  if (onTheWay !== undefined && !words.LISTS.has(plainKey(onTheWay)) && hasId(object)) return;
  yield holder;
  if (holder.path.length >= DEEPEST) return;
  for (const [key, value] of entriesOf(object).slice(0, MOST_KEYS)) {
    if (!isObject(value) || !(key === onTheWay || words.HOLDERS.has(plainKey(key)))) continue;
    yield* holdersIn({ path: [...holder.path, key], object: value }, key === onTheWay ? path.slice(1) : []);
  }
}

/** The root of the XML is that of HTML: a firewall, a login or a maintenance page responds in place of the API. */
const isWebPage = (data: Json | undefined): boolean =>
  isObject(data) && keysOf(data).length > 0 && keysOf(data).every((key) => key.toLowerCase() === 'html');

function readHeaders(headers: Reply['response']['headers'], said: Draft): void {
  const valueOf = (name: string): string => [headers[name] ?? []].flat()[0] ?? '';
  const { link } = headers;
  if (link !== undefined) {
    const next = linkTo('next', link);
    if (next !== undefined) said.address = { where: 'a header Link with rel="next"', value: next };
    else if (speaksOf('next', link))
      said.address = {
        where: 'a header Link that speaks of "next", and has no link that can be read',
        value: String(link),
      };
    else if (['first', 'last', 'prev'].some((relation) => linkTo(relation, link) !== undefined))
      said.noNext = { where: 'a header Link without rel="next"', value: String(link) };
  }
  const next = words.NEXT_HEADERS.find((name) => headers[name] !== undefined);
  if (next !== undefined && valueOf(next) !== '') said.address ??= { where: `a header ${next}`, value: valueOf(next) };
  else if (next !== undefined) said.noNext ??= { where: `a header ${next}`, value: '' };
  for (const name of words.MORE_HEADERS) {
    const value = valueOf(name);
    if (/^(true|1)$/i.test(value)) said.flag ??= { where: `a header ${name}`, value };
    if (/^(false|0)$/i.test(value)) said.last ??= { where: `a header ${name}`, value };
  }
  words.TOTAL_HEADERS.forEach((name, at) => {
    const value = headers[name] === undefined ? undefined : countIn(/^(?:.*\/)?\s*(\d+)\s*$/.exec(valueOf(name))?.[1]);
    if (value !== undefined)
      said.totals.push({ rank: at - words.TOTAL_HEADERS.length, total: { value, where: `the header ${name}` } });
  });
}

/** Returns the objects in headers of a response, with the names of these. */
function* headerObjects({ response: { headers } }: Reply): Generator<readonly [string, JsonObject]> {
  for (const name of words.OBJECT_HEADERS) {
    const text = [headers[name] ?? []].flat()[0] ?? '';
    const data = text.startsWith('{') ? parsed(text) : undefined;
    if (isObject(data)) yield [name, data];
  }
}

function parsed(text: string): Json | undefined {
  try {
    return parseData(text);
  } catch {
    // A header that only looks like JSON describes nothing.
    return undefined;
  }
}

interface Around {
  readonly count: number;
  readonly pages: number;
  /** The key at which the items are. */
  readonly own: string | undefined;
}

function readObject(
  object: JsonObject,
  placeOf: (key: string) => string,
  { count, pages, own }: Around,
  said: Draft,
): void {
  const entries = entriesOf(object).slice(0, MOST_KEYS);
  for (const [key, value] of entries) {
    if (key === own) continue;
    const word = plainKey(key);
    const sign = (): Sign => ({ where: placeOf(key), value: stringifyJson(value) });
    if (words.MORE.has(word) && isTrue(value)) said.flag ??= sign();
    else if (words.LAST.has(word) && isNot(value)) said.flag ??= sign();
    else if (word === 'remainingitemcount' && numberIn(value) > 0) said.flag ??= sign();
    else if (words.NEXT.has(word) && leads(word, value)) said.address ??= sign();
    else if ((word === 'links' || word === 'link') && linksOf(value).some(isNextLink)) said.address ??= sign();
    else if ((words.MORE.has(word) && isFalse(value)) || (words.LAST.has(word) && isSo(value))) said.last ??= sign();
    else if (words.NEXT.has(word) && isNowhere(value)) said.noNext ??= sign();
    else if (words.ERRORS.has(word) && !saysNothing(value)) readError(value, sign, count, said);
    else if (words.SUCCESS.has(word) && (value === false || value === 'false')) said.error ??= sign();
    else if (words.TEXTS.has(word))
      said.texts.push(...sentencesIn(value).map((text) => ({ where: placeOf(key), value: text })));
    if ((words.BEFORE.has(word) && isSo(value)) || (words.FIRST.has(word) && isNot(value))) said.previous ??= sign();
    if (words.PAGES.has(word)) readPages(numberIn(value), object, pages, sign, said);
    if (SIZE_NAMES.has(word) && numberIn(value) === count) said.isOfSize = true;
    const rank = words.TOTALS.indexOf(word);
    const total = rank < 0 ? undefined : totalIn(value);
    if (total !== undefined && !(words.MAY_BE_OF_PAGE.has(word) && total.value <= count))
      said.totals.push({ rank, total: { where: placeOf(key).replace(/ in the body$/, ''), ...total } });
  }
}

/** Sentences under `errors` beside an empty list are quoted; anything else there is an error. */
function readError(value: Json, sign: () => Sign, count: number, said: Draft): void {
  if (isList(value) && count === 0 && value.every((each) => typeof each === 'string'))
    said.texts.push(...sentencesIn(value).map((text) => ({ where: sign().where, value: text })));
  else said.error ??= sign();
}

/** The numbers of this page and of all pages speak together. Pages are counted from 1, unless those before show otherwise. */
function readPages(all: number, object: JsonObject, before: number, sign: () => Sign, said: Draft): void {
  const [, number] = entriesOf(object).find(([key]) => words.PAGE.has(plainKey(key))) ?? [];
  const page = numberIn(number);
  const read = page === before ? page + 1 : page;
  if (read < all) said.flag ??= sign();
  else if (read >= all) said.last ??= sign();
}

const isTrue = (value: Json): boolean => value === true || value === 'true' || value === 1;
/** A number there counts pages. */
const isSo = (value: Json): boolean => value === true || value === 'true';
const isNot = (value: Json): boolean => value === false || value === 'false';
const isFalse = (value: Json): boolean => value === false || value === 'false' || value === 0;

const numberIn = (value: Json | undefined): number =>
  typeof value === 'number' || (typeof value === 'string' && isCount(value)) ? Number(value) : NaN;

const TOKEN_KEYS = ['#text', '$', '_', 'content', 'token', 'value'];
const DATE = /^\d{4}-\d{2}-\d{2}/;

/** Returns whether a value is an address or a token, or an object or an array that holds one (HAL, JSON:API, DynamoDB, XML). */
function leads(word: string, value: Json): boolean {
  if (word === 'resumptiontoken' && isObject(value)) return TOKEN_KEYS.some((key) => isAddress(ownValue(value, key)));
  if (isList(value)) return value.some((each) => isObject(each) && leads(word, each));
  if (isObject(value)) return Object.values(value).some((inner) => isAddress(inner) || isObject(inner));
  return isAddress(value);
}

const isAddress = (value: Json | undefined): boolean =>
  !isBlankData(value) &&
  (typeof value === 'string' ? value.trim() !== '' && !DATE.test(value) : typeof value === 'number');

/** Returns whether a value is there and leads nowhere. */
const isNowhere = (value: Json): boolean =>
  value === null || value === false || (typeof value === 'string' && value.trim() === '');

const linksOf = (value: Json): readonly Json[] => (isList(value) ? value : [value]);

/** A link in an array, `{"rel": "next", "href": …}`, or one of Atom, which has these as attributes. */
const isNextLink = (value: Json): boolean =>
  isObject(value) &&
  ['rel', 'relation', '@rel'].some((key) => /^"next"$/i.test(stringifyJson(ownValue(value, key) ?? null))) &&
  ['href', 'url', 'uri', '@href'].some((key) => isAddress(ownValue(value, key)));

const NO_FAILURE =
  /^(?:ok(?:ay)?|success(?:ful(?:ly)?)?|succeeded|none|no|null|nil|false|0+|n\/a|no[ _-]?errors?)[.!]?$/i;

/** Returns whether a value is blank, a word for that, a code of success, or an object of such values. */
const saysNothing = (value: Json): boolean =>
  isBlankData(value) ||
  (isScalar(value) && /^2\d\d$/.test(textOf(value))) ||
  (typeof value === 'string' && NO_FAILURE.test(value)) ||
  (isObject(value) && entriesOf(value).every(([, inner]) => saysNothing(inner)));

const sentencesIn = (value: Json): readonly string[] =>
  (isList(value) ? value : [value])
    .filter((each) => typeof each === 'string' && /\p{L}/u.test(each) && !NO_FAILURE.test(each))
    .map(String);

/** Returns whether an object has nothing but what APIs say of pages, and blank values: a list that is empty may be left out of it. */
export const isAboutPages = (object: JsonObject): boolean =>
  entriesOf(object).every(([key, value]) => isBlank(value) || ABOUT_PAGES.some((all) => all.has(plainKey(key))));

const ABOUT_PAGES = [
  ...[words.HOLDERS, words.NEXT, words.MORE, words.LAST, words.PAGES, words.PAGE, new Set(words.TOTALS), SIZE_NAMES],
  ...[words.ERRORS, words.SUCCESS, words.TEXTS, words.BESIDE_TEXTS, new Set(['kind', 'size', 'offset', 'start'])],
];

/** Elasticsearch writes `{"value": 10, "relation": "eq"}`; with `gte` there may be more, with any other relation it is no total. */
function totalIn(written: Json): Omit<Total, 'where'> | undefined {
  if (!isObject(written)) return valued(countIn(written));
  const relation = ownValue(written, 'relation');
  if (relation !== undefined && relation !== 'eq' && relation !== 'gte') return undefined;
  const total = valued(countIn(ownValue(written, 'value')));
  return total === undefined || relation !== 'gte' ? total : { ...total, isAtLeast: true };
}

const valued = (value: number | undefined): Omit<Total, 'where'> | undefined =>
  value === undefined ? undefined : { value };

/** Returns a number of items: an integer from 0. A sum of money is no such number. */
function countIn(value: Json | undefined): number | undefined {
  if (typeof value === 'number' ? !Number.isInteger(value) : typeof value === 'string' && !isInteger(value))
    return undefined;
  const count = Number(integerOf(value) ?? -1);
  return count >= 0 && Number.isSafeInteger(count) ? count : undefined;
}

/** Returns the total at the place that the configuration names; `undefined` if there is no number. */
export function declaredTotal(reply: Reply, place: TotalPlace): Total | undefined {
  const value = countIn(totalValue(reply, place));
  return value === undefined ? undefined : { value, where: totalPlaceText(place) };
}

const MOST_LISTS = 5;

/**
 * Returns where a response has lists of objects, other than errors, for a user who expected them elsewhere.
 *
 * @example listsIn({ data: { rows: [{ id: 1 }] }, errors: [] }) // ['data.rows']
 */
export function listsIn(data: Json | undefined): readonly string[] {
  const found: string[] = [];
  const look = (value: Json | undefined, path: readonly string[]): void => {
    if (found.length >= MOST_LISTS) return;
    if (isList(value)) {
      if (value.some(isObject)) found.push(path.length === 0 ? '.' : path.join('.'));
    } else if (isObject(value) && path.length < DEEPEST)
      for (const [key, inner] of entriesOf(value).slice(0, MOST_KEYS))
        if (!isErrorList(value, key)) look(inner, [...path, key]);
  };
  look(data, []);
  return found;
}
