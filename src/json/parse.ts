import { visit } from 'jsonc-parser';
import type { Json } from '../model';
import { rememberKeyOrder } from './keys';

/** An integer of 16 digits or more may lie beyond 2^53. In a string it only costs the slower way. */
const LONG_INTEGER = /(?:^|[^\d."\w])\d{16,}/;
/** JavaScript puts keys that look like array indexes first. */
const INDEX_LIKE_KEY = /"(?:0|[1-9]\d{0,9})"\s*:/;
const INTEGER = /^-?\d+$/;

/**
 * Reads JSON text without loss (language 0.3): integers beyond 2^53 become `bigint`, and {@link keysOf} gives the keys
 * of an object in the order of the text even if they look like numbers.
 *
 * @throws SyntaxError when the text is not JSON
 * @example parseJson('{"id":9007199254740993}') // { id: 9007199254740993n }
 */
export function parseJson(text: string): Json {
  const plain = JSON.parse(text) as Json;
  return LONG_INTEGER.test(text) || INDEX_LIKE_KEY.test(text) ? readCarefully(text) : plain;
}

interface OpenContainer {
  readonly target: Json[] | Record<string, Json>;
  readonly keys: string[];
}

/** The text is known to be valid JSON: native JSON.parse has accepted it. */
function readCarefully(text: string): Json {
  const open: OpenContainer[] = [];
  let root: Json = null;
  let key = '';
  const put = (value: Json): void => {
    const parent = open.at(-1);
    if (parent === undefined) root = value;
    else if (Array.isArray(parent.target)) parent.target.push(value);
    // Not an assignment: a key such as __proto__ is data.
    else Object.defineProperty(parent.target, key, { value, writable: true, enumerable: true, configurable: true });
  };
  const begin = (target: Json[] | Record<string, Json>): void => {
    put(target);
    open.push({ target, keys: [] });
  };
  const end = (): void => {
    const { target, keys } = open.pop() as OpenContainer;
    if (!Array.isArray(target)) rememberKeyOrder(target, keys);
  };
  visit(text, {
    onObjectBegin: () => begin({}),
    onObjectProperty: (name) => {
      key = name;
      open.at(-1)?.keys.push(name);
    },
    onObjectEnd: end,
    onArrayBegin: () => begin([]),
    onArrayEnd: end,
    onLiteralValue: (value: Json, offset, length) => {
      const exact = typeof value === 'number' && !Number.isSafeInteger(value);
      const digits = exact ? text.slice(offset, offset + length) : '';
      put(INTEGER.test(digits) ? BigInt(digits) : value);
    },
  });
  return root;
}
