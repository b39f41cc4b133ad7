import { FatalError } from '../core/errors/errors';
import { isBlankData, isScalar } from '../core/json/scalars';
import { isList, isObject, ownValue } from '../core/json/objects';
import { keepLiterals, memberAt, withMember } from '../core/json/literals';
import type { Holder } from '../core/json/literals';
import { stringifyAt, stringifyJson } from '../core/json/stringify';
import type { Item, Json } from '../core/model';
import type { ResponseFilter } from '../plan/plan';

const ALL = '[]';

interface Step {
  readonly key: string;
  /** True for `key[]`: every element of the array at the key. */
  readonly each: boolean;
}

/**
 * Returns a function that replaces the values at the paths of a `responseFilter` by their JSON
 * (docs/language/responses.md#keeping-parts-as-json), before children run and tables are built. Items are not changed in place.
 *
 * @returns a function of one item, or `undefined` when there is nothing to filter
 * @throws FatalError API_SHAPE, from the function, where `key[]` meets a value that is no array
 * @example
 * const filter = responseFilter({ paths: ['meta'], delimiter: '.', keepScalars: false });
 * filter?.({ id: 4, meta: { a: 1 } }) // { id: 4, meta: '{"a":1}' }
 */
export function responseFilter(plan: ResponseFilter): ((item: Item) => Item) | undefined {
  if (plan.paths.length === 0) return undefined;
  const encode = plan.keepScalars ? encodeNested : stringifyAt;
  const paths = plan.paths.map((path) => path.split(plan.delimiter).map(stepOf));
  return (item) => paths.reduce((value, steps) => replaceAt([value], 0, steps, 0, encode), item);
}

const stepOf = (text: string): Step =>
  text.endsWith(ALL) ? { key: text.slice(0, -ALL.length), each: true } : { key: text, each: false };

/**
 * Encodes objects and arrays only: compatibility level 2 and below keeps scalars and blank values unchanged
 * (docs/language/responses.md#keeping-parts-as-json).
 */
const encodeNested: Encode = (holder, key) => {
  const value = memberAt(holder, key) as Json;
  return isScalar(value) || isBlankData(value) ? value : stringifyJson(value);
};

/** Returns the value that replaces a member. */
type Encode = (holder: Holder, key: string | number) => Json;

function replaceAt(holder: Holder, key: string | number, steps: readonly Step[], at: number, encode: Encode): Json {
  const step = steps[at];
  if (step === undefined) return encode(holder, key);
  const value = memberAt(holder, key) as Json;
  if (!isObject(value)) return value;
  const inner = ownValue(value, step.key);
  if (inner === undefined) return value;
  if (!step.each) return withMember(value, step.key, replaceAt(value, step.key, steps, at + 1, encode));
  if (!isList(inner))
    throw new FatalError('API_SHAPE', `Error filtering response. '${step.key}' is not an array. Check responseFilter.`);
  const elements = inner.map((_, index) => replaceAt(inner, index, steps, at + 1, encode));
  return withMember(value, step.key, keepLiterals(inner, elements));
}
