import { visit } from 'jsonc-parser';
import type { Json } from '../model';
import { nestsTooDeep, TOO_DEEP } from './depth';
import { rememberKeyOrder, setOwn } from './keys';

/**
 * A number that begins with 16 digits may lie beyond 2^53, and a shorter one out of range with an exponent of three
 * digits. Inside a string it only costs the slower way.
 */
const LARGE_NUMBER = /(?:^|[\s,:[])-?(?:\d{16}|\d+(?:\.\d+)?[eE]\+?\d{3})/;
/** JavaScript puts keys that look like array indexes first; a digit may be written as an escape. */
const INDEX_LIKE_KEY = /"(?:\d|\\u003\d)+"\s*:/;
const INTEGER = /^(-?\d+)(?:\.0+)?$/;

/**
 * Reads JSON text without loss (language 0.3): integers beyond 2^53 become `bigint`, and {@link keysOf} gives the keys
 * of an object in the order of the text even if they look like numbers.
 *
 * @throws SyntaxError when the text is not JSON, nests too deep, or has a number that no number of JavaScript comes near
 * @example parseJson('{"id":9007199254740993}') // { id: 9007199254740993n }
 */
export function parseJson(text: string): Json {
  const plain = JSON.parse(text) as Json;
  if (nestsTooDeep(plain)) throw new SyntaxError(TOO_DEEP);
  return LARGE_NUMBER.test(text) || INDEX_LIKE_KEY.test(text) ? readCarefully(text) : plain;
}

/** A list or an object whose end has not been read yet. */
type Open =
  | { readonly kind: 'list'; readonly elements: Json[] }
  | { readonly kind: 'object'; readonly object: Record<string, Json>; readonly keys: string[] };

/** The text is known to be valid JSON: native JSON.parse has accepted it. */
function readCarefully(text: string): Json {
  const outer: Open[] = [];
  let open: Open = { kind: 'list', elements: [] };
  const root = open.elements;
  let key = '';
  const put = (value: Json): void => {
    if (open.kind === 'list') open.elements.push(value);
    else setOwn(open.object, key, value);
  };
  const begin = (inner: Open): void => {
    put(inner.kind === 'list' ? inner.elements : inner.object);
    outer.push(open);
    open = inner;
  };
  const end = (): void => {
    if (open.kind === 'object') rememberKeyOrder(open.object, open.keys);
    open = outer.pop() ?? open;
  };
  visit(text, {
    onObjectBegin: () => begin({ kind: 'object', object: {}, keys: [] }),
    onObjectProperty: (name) => {
      key = name;
      if (open.kind === 'object') open.keys.push(name);
    },
    onObjectEnd: end,
    onArrayBegin: () => begin({ kind: 'list', elements: [] }),
    onArrayEnd: end,
    onLiteralValue: (value: Json, offset, length) => put(exact(value, text, offset, length)),
  });
  return root[0] as Json;
}

/** The value, or all of its digits where a number does not hold them. */
function exact(value: Json, text: string, offset: number, length: number): Json {
  if (typeof value !== 'number' || Number.isSafeInteger(value)) return value;
  const written = text.slice(offset, offset + length);
  const [, digits] = INTEGER.exec(written) ?? [];
  if (digits !== undefined) return BigInt(digits);
  if (!Number.isFinite(value)) throw new SyntaxError(`the number ${written} is out of range`);
  return value;
}
