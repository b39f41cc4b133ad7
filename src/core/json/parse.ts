import { visit } from 'jsonc-parser';
import type { Json } from '../model';
import { nestsTooDeep, TOO_DEEP } from './objects';
import { isExact, numberOf } from './decimal';
import { isList, rememberKeyOrder, setOwn } from './objects';
import { noteLiterals } from './literals';

/**
 * Numbers that a number of JavaScript may not hold: with 16 digits, or with an exponent of three. Inside a string they only
 * cost a look.
 */
const DOUBTFUL = /(?:^|[\s,:[])(-?(?=[\d.]{16}|\d+(?:\.\d+)?[eE][+-]?\d{3})\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)/g;
/** Numbers that JSON.stringify may spell otherwise. */
const SPELLED_OTHERWISE = /(?:^|[\s,:[])(?:-0(?![.\d])|-?(?:[\d.]{16}|\d+\.\d*0(?!\d)|\d+(?:\.\d+)?[eE]))/;
/** JavaScript puts keys that look like array indexes first; a digit may be written as an escape. */
const INDEX_LIKE_KEY = /"(?:\d|\\u003\d)+"\s*:/;

/**
 * Which numbers are noted as they are spelled (json/literals.ts): those that lose digits, or all that are written
 * otherwise.
 */
type Notes = 'lost-digits' | 'spelling';

/**
 * Reads JSON text without loss (docs/language/README.md#json-without-loss): integers beyond 2^53 become `bigint`, and
 * `keysOf` gives the keys of an object in the order of the text even if they look like numbers. `stringifyJson`
 * writes all digits of what it gives.
 *
 * @throws SyntaxError when the text is not JSON; with the `code` `JSON_TOO_DEEP` or `JSON_OUT_OF_RANGE` when it is JSON that
 * nests too deep, or that has a number which no number of JavaScript comes near
 * @example parseJson('{"id":9007199254740993}') // { id: 9007199254740993n }
 */
export const parseJson = (text: string): Json => read(text, 'lost-digits', inRange);

/**
 * As {@link parseJson}, for what an API gives: a number beyond all numbers of JavaScript is `Infinity`, and keeps its digits.
 *
 * @param notes `spelling`: numbers keep how they are spelled, for text that is written anew
 */
export const parseData = (text: string, notes: Notes = 'lost-digits'): Json => read(text, notes, () => undefined);

/** Reads an array of JSON texts: numbers among them keep their digits, too. */
export function parseList(texts: readonly string[], notes?: Notes): readonly Json[] {
  const list = parseData(`[${texts.join(',')}]`, notes);
  return isList(list) ? list : [];
}

function inRange(value: number | bigint, literal: string): void {
  if (typeof value === 'number' && !Number.isFinite(value))
    throw new UnfitJson('JSON_OUT_OF_RANGE', `the number ${literal} is out of range`);
}

/** JSON that Headwater does not read. */
class UnfitJson extends SyntaxError {
  constructor(
    readonly code: 'JSON_TOO_DEEP' | 'JSON_OUT_OF_RANGE',
    message: string,
  ) {
    super(message);
  }
}

type Check = (value: number | bigint, literal: string) => void;

function read(text: string, notes: Notes, check: Check): Json {
  const plain = JSON.parse(text) as Json;
  if (nestsTooDeep(plain)) throw new UnfitJson('JSON_TOO_DEEP', TOO_DEEP);
  const needsCare = notes === 'spelling' ? SPELLED_OTHERWISE.test(text) : hasUnheldNumber(text);
  return needsCare || INDEX_LIKE_KEY.test(text) ? readCarefully(text, notes, check) : plain;
}

/** Whether JSON.parse gives another value than that of the text for one of its numbers. */
function hasUnheldNumber(text: string): boolean {
  for (const [, literal = ''] of text.matchAll(DOUBTFUL))
    if (typeof numberOf(literal) === 'bigint' || !isExact(literal)) return true;
  return false;
}

/** An array or an object whose end has not been read yet. */
type Open =
  | { readonly kind: 'list'; readonly elements: Json[]; readonly literals: Map<string, string> }
  | {
      readonly kind: 'object';
      readonly object: Record<string, Json>;
      readonly keys: string[];
      readonly literals: Map<string, string>;
    };

/** The text is known to be valid JSON: native JSON.parse has accepted it. */
function readCarefully(text: string, notes: Notes, check: Check): Json {
  const outer: Open[] = [];
  let open: Open = { kind: 'list', elements: [], literals: new Map() };
  const root = open.elements;
  let key = '';
  const put = (value: Json): void => {
    if (open.kind === 'list') open.elements.push(value);
    else setOwn(open.object, key, value);
  };
  const putNumber = (literal: string): void => {
    const value = numberOf(literal);
    check(value, literal);
    put(value);
    const place = open.kind === 'list' ? String(open.elements.length - 1) : key;
    if (notes === 'spelling' ? stringifies(value) !== literal : !isExact(literal)) open.literals.set(place, literal);
    // Of equal keys the last one counts.
    else open.literals.delete(place);
  };
  const begin = (inner: Open): void => {
    put(inner.kind === 'list' ? inner.elements : inner.object);
    outer.push(open);
    open = inner;
  };
  const end = (): void => {
    if (open.kind === 'object') rememberKeyOrder(open.object, open.keys);
    if (open.literals.size > 0) noteLiterals(open.kind === 'list' ? open.elements : open.object, open.literals);
    open = outer.pop() ?? open;
  };
  visit(text, {
    onObjectBegin: () => begin({ kind: 'object', object: {}, keys: [], literals: new Map() }),
    onObjectProperty: (name) => {
      key = name;
      if (open.kind === 'object') open.keys.push(name);
    },
    onObjectEnd: end,
    onArrayBegin: () => begin({ kind: 'list', elements: [], literals: new Map() }),
    onArrayEnd: end,
    onLiteralValue: (value: Json, offset, length) =>
      typeof value === 'number' ? putNumber(text.slice(offset, offset + length)) : put(value),
  });
  return root[0] as Json;
}

const stringifies = (value: number | bigint): string =>
  typeof value === 'bigint' ? String(value) : JSON.stringify(value);
