import type { Json } from '../model';
import { isList, isObject } from './keys';

/** Most of what handles JSON descends level by level: this many levels fit on the stack with room to spare. */
export const DEEPEST = 500;

/** What is wrong with a value that is nested deeper. */
export const TOO_DEEP = `nested deeper than ${DEEPEST} levels`;

/** Whether lists and objects nest deeper than {@link DEEPEST} levels; one that holds itself does. */
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
