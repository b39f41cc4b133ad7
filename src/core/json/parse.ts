import { visit } from 'jsonc-parser';
import type { Json } from '../model';
import { nestsTooDeep, TOO_DEEP, isList, rememberKeyOrder, setOwn } from './objects';
import { isExact, losesAny, numberOf } from './decimal';
import { noteLiterals } from './literals';

/**
 * Matches numbers that a JavaScript number may not hold: those with 16 digits, or with an exponent of three. A match
 * inside a string only costs a closer look.
 */
const DOUBTFUL = /(?:^|[\s,:[])(-?(?!0\d)(?=[\d.]{16}|\d+(?:\.\d+)?[eE][+-]?\d{3})\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)/g;
/** Matches numbers that JSON.stringify may spell in another way. */
const SPELLED_OTHERWISE = /(?:^|[\s,:[])(?:-0(?![.\d])|-?(?:0\.0{6}|[\d.]{16}|\d+\.\d*0(?!\d)|\d+(?:\.\d+)?[eE]))/;
/** JavaScript puts keys that look like array indexes first; a digit may be written as an escape. */
const INDEX_LIKE_KEY = /"(?:\d|\\u003\d)+"\s*:/;

/** The numbers whose spelling is recorded (json/literals.ts): those that lose digits, or all whose spelling changes. */
type Notes = 'lost-digits' | 'spelling';

/**
 * Reads JSON text without loss (docs/language/README.md#json-without-loss): integers beyond 2^53 become `bigint`, and
 * `keysOf` gives the keys of an object in the order of the text even if they look like numbers. `stringifyJson` writes
 * all of its digits.
 *
 * @throws SyntaxError if the text is not JSON; with the `code` `JSON_TOO_DEEP` or `JSON_OUT_OF_RANGE` if it is JSON
 *   that nests too deep, or that has a number beyond the range of JavaScript
 * @example parseJson('{"id":9007199254740993}') // { id: 9007199254740993n }
 */
export const parseJson = (text: string): Json => read(text, 'lost-digits', inRange);

/**
 * Does the same as {@link parseJson} for data of an API: a number beyond the range of JavaScript is `Infinity`, and
 * keeps its digits.
 *
 * @param notes `spelling` if all numbers keep their spelling, for text that is written again
 */
export const parseData = (text: string, notes: Notes = 'lost-digits'): Json => read(text, notes, () => undefined);

/** Does the same as {@link parseData}, and returns `undefined` for a string that is not JSON. */
export function jsonIn(text: string): Json | undefined {
  try {
    return parseData(text);
  } catch {
    return undefined;
  }
}

/** Reads an array of JSON texts; numbers keep their digits. */
export function parseList(texts: readonly string[], notes?: Notes): readonly Json[] {
  const list = parseData(`[${texts.join(',')}]`, notes);
  return isList(list) ? list : [];
}

function inRange(value: number | bigint, literal: string): void {
  if (typeof value === 'number' && !Number.isFinite(value))
    throw new UnfitJson('JSON_OUT_OF_RANGE', `the number ${literal} is out of range`);
}

/** The error for JSON that Headwater does not read. */
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

/** Reads text that `JSON.parse` reads without loss, as {@link parseData} does. */
export const parsePlain = (text: string): Json => JSON.parse(text) as Json;

/** Returns whether JSON.parse changes the value of a number in the text. */
const hasUnheldNumber = (text: string): boolean =>
  losesAny(Array.from(text.matchAll(DOUBTFUL), ([, literal = '']) => literal).join(','));

/** An array or an object that is still being read. */
type Open =
  | { readonly kind: 'list'; readonly elements: Json[]; readonly literals: Map<string, string> }
  | {
      readonly kind: 'object';
      readonly object: Record<string, Json>;
      readonly keys: string[];
      readonly literals: Map<string, string>;
    };

/** Parses without loss. The text is known to be valid JSON: native JSON.parse has accepted it. */
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
    // If keys are equal, the last one counts.
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
