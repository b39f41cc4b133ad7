import type { Json } from '../model';

/** Most of what handles JSON descends level by level: this many levels fit on the stack with room to spare. */
export const DEEPEST = 500;

/** What is wrong with a value that is nested deeper. */
export const TOO_DEEP = `nested deeper than ${DEEPEST} levels`;

/** Whether lists and objects nest deeper than {@link DEEPEST} levels; one that holds itself does. */
export const nestsTooDeep = (value: Json | undefined): boolean => isDeeper(value, DEEPEST);

function isDeeper(value: Json | undefined, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (levels === 0) return true;
  const members = value as Readonly<Record<string, Json>>;
  // Not Object.values: this runs over every page, and copies cost more than the walk.
  for (const key in members) if (typeof members[key] === 'object' && isDeeper(members[key], levels - 1)) return true;
  return false;
}
