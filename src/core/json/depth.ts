import type { Json } from '../model';
import { isList, isObject } from './keys';

/** Maximum levels of JSON: most code that handles it recurses level by level, and this many fit on the stack easily. */
export const DEEPEST = 500;

/** What is wrong with a value that is nested deeper. */
export const TOO_DEEP = `nested deeper than ${DEEPEST} levels`;

/** Whether arrays and objects nest deeper than {@link DEEPEST} levels; one that holds itself does. */
export const nestsTooDeep = (value: Json | undefined): boolean => isDeeper(value, DEEPEST);

/** Plain loops without copies: this runs over every page. */
function isDeeper(value: Json | undefined, levels: number): boolean {
  if (isList(value)) {
    if (levels === 0) return true;
    for (const element of value) if (typeof element === 'object' && isDeeper(element, levels - 1)) return true;
  } else if (isObject(value)) {
    if (levels === 0) return true;
    for (const key in value) {
      const member = value[key];
      if (typeof member === 'object' && isDeeper(member, levels - 1)) return true;
    }
  }
  return false;
}

/**
 * The keys and indexes that lead to where a value nests deeper than {@link DEEPEST} levels, the first one of several.
 *
 * @returns `undefined` where it does not
 */
export function tooDeepPlace(value: Json | undefined, levels = DEEPEST): readonly string[] | undefined {
  if (!isList(value) && !isObject(value)) return undefined;
  if (levels === 0) return [];
  for (const [key, member] of Object.entries(value)) {
    const rest = tooDeepPlace(member, levels - 1);
    if (rest !== undefined) return [key, ...rest];
  }
  return undefined;
}
