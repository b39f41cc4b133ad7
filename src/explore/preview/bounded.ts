import { entriesOf, isList, isObject, objectFrom } from '../../core/json/keys';
import type { Json } from '../../core/model';
import type { Secrets } from '../../core/secrets/secrets';

const CUT = '…';
const MOST_CHARACTERS = 1_000;
const MOST_ELEMENTS = 20;
const MOST_KEYS = 500;
const DEEPEST = 16;
/** How many values an item is shown with. */
const MOST_VALUES = 2_000;

/**
 * A value of an API as it may be shown: without the secrets of the run, long strings and lists cut, `…` in the place of what is
 * left out.
 *
 * @example shownValue({ note: 'x'.repeat(5000) }, secrets) // { note: 'xxx…' }
 */
export function shownValue(value: Json, secrets: Secrets): Json {
  let left = MOST_VALUES;
  const shown = (inner: Json, depth: number): Json => {
    left -= 1;
    if (left < 0 || depth > DEEPEST) return CUT;
    if (typeof inner === 'string') return cutText(secrets.maskValues(inner), MOST_CHARACTERS);
    if (typeof inner === 'number' || typeof inner === 'bigint') {
      const text = String(inner);
      const masked = secrets.maskValues(text);
      return masked === text ? inner : masked;
    }
    if (isList(inner)) {
      const first = inner.slice(0, MOST_ELEMENTS).map((element) => shown(element, depth + 1));
      return inner.length > MOST_ELEMENTS ? [...first, CUT] : first;
    }
    if (!isObject(inner)) return inner;
    const entries = entriesOf(inner).slice(0, MOST_KEYS);
    return objectFrom(entries.map(([key, each]) => [secrets.maskValues(key), shown(each, depth + 1)] as const));
  };
  return shown(value, 0);
}

/** The beginning of a string, with `…` where more follows; no character is cut in halves. */
export const cutText = (text: string, most: number): string =>
  text.length <= most
    ? text
    : `${text
        .slice(0, most)
        .toWellFormed()
        .replace(/\uFFFD$/, '')}${CUT}`;
