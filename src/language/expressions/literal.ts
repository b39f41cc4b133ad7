/** Objects that look like expressions, and are to be taken as they stand. */
import { isObject, keysOf, ownValue } from '../../core/json/keys';
import type { Json } from '../../core/model';
import { CONTEXTS } from './place';

const LITERAL = 'literal';
const NAMES: ReadonlySet<string> = new Set(CONTEXTS);

/**
 * Tells whether an object would be read as an expression wherever its context is known, or is one of these taken as it stands.
 *
 * @example isLikeExpression({ time: 'today' }) // true
 */
export function isLikeExpression(value: Json): boolean {
  if (!isObject(value)) return false;
  const [key = '', ...others] = keysOf(value);
  return Object.hasOwn(value, 'function') || (others.length === 0 && NAMES.has(key)) || literalIn(value) !== undefined;
}

/**
 * The object in `{"literal": {"function": …}}`, of which nothing is evaluated; `undefined` for any other value.
 *
 * @example literalIn({ literal: { time: 'today' } }) // { time: 'today' }
 */
export function literalIn(value: Json): Json | undefined {
  if (!isObject(value) || keysOf(value).length !== 1) return undefined;
  const inner = ownValue(value, LITERAL);
  return inner !== undefined && isLikeExpression(inner) ? inner : undefined;
}
