import { distance } from 'fastest-levenshtein';
import type { Fault, FaultCode } from '../../core/errors/errors';
import { nameOnly } from '../../core/headers';
import { isList, isObject, keysOf, ownValue } from '../../core/json/objects';
import { typeName } from '../../core/json/scalars';
import type { Json } from '../../core/model';

/** The keys and array indexes that lead to a place in the configuration. */
export type Path = readonly string[];

/** A fault or a warning while its place is still an array of keys. */
export interface Finding {
  readonly path: Path;
  readonly message: string;
  /** See {@link Fault.code}. */
  readonly code?: FaultCode;
  /** The neighbouring key that was probably meant. */
  readonly meant?: string;
  /** True for a key that is unknown here; it may be known at another place. */
  readonly isUnknown?: boolean;
}

const PLAIN_KEY = /^[^\s.[\]"]+$/;

/**
 * Returns a path as a person would write it; the document distinguishes array indexes from keys.
 *
 * @example pathText(['config', 'jobs', '0', 'params', 'page[size]'], document) // 'config.jobs[0].params["page[size]"]'
 */
export function pathText(path: Path, document: Json | undefined): string {
  let text = '';
  let place = document;
  for (const key of path) {
    if (isList(place)) text += `[${key}]`;
    else if (!PLAIN_KEY.test(key)) text += `[${JSON.stringify(nameOnly(key))}]`;
    else text += text === '' ? key : `.${key}`;
    place = child(place, key);
  }
  return text;
}

/** Removes duplicate findings and sorts them by their place in the document; absent keys come last. */
export function toFaults(findings: readonly Finding[], document: Json | undefined): readonly Fault[] {
  const ordered = [...findings].sort((a, b) => comparePlaces(a.path, b.path, document));
  const faults = ordered.map(({ path, message, code }) => ({
    path: pathText(path, document),
    message,
    ...(code === undefined ? {} : { code }),
  }));
  const seen = new Set<string>();
  return faults.filter(({ path, message }) => {
    const line = JSON.stringify([path, message]);
    if (seen.has(line)) return false;
    seen.add(line);
    return true;
  });
}

const child = (place: Json | undefined, key: string): Json | undefined => {
  if (isList(place)) return place[Number(key)];
  return isObject(place) ? ownValue(place, key) : undefined;
};

const positionOf = (place: Json | undefined, key: string): number => {
  if (isList(place)) return Number(key);
  const position = isObject(place) ? keysOf(place).indexOf(key) : -1;
  return position < 0 ? Number.MAX_SAFE_INTEGER : position;
};

function comparePlaces(a: Path, b: Path, document: Json | undefined): number {
  let place = document;
  for (const [at, key] of a.entries()) {
    const other = b[at];
    if (other === undefined) return 1;
    if (key !== other) return positionOf(place, key) - positionOf(place, other);
    place = child(place, key);
  }
  return a.length - b.length;
}

/** The most digits of a number that is shown: longer ones are probably keys rather than counts. */
const LONGEST_NUMBER = 15;

/**
 * Returns whether the place holds a value that must never be printed: a key that starts with `#`, or anything below
 * one.
 */
export const isSecretPlace = (path: Path): boolean => path.some((key) => key.startsWith('#'));

/**
 * Returns a found value for an error text. Only short numbers and booleans are printed: any string may be a secret,
 * because people misspell keys and confuse places. If a few words are expected, `oneOf` shows a similar one.
 *
 * @example shown('ofset', ['api', 'pagination']) // 'a string of 5 characters'
 */
export function shown(value: Json | undefined, path: Path): string {
  const type = typeName(value);
  if (type === 'nothing' || type === 'null') return type;
  if (typeof value === 'object') return type === 'array' ? 'an array' : 'an object';
  if (isSecretPlace(path)) return `a ${type} (secret, not shown)`;
  if (typeof value !== 'string') {
    const text = String(value);
    return text.length > LONGEST_NUMBER ? `a ${type} of ${text.length} characters` : text;
  }
  return value === ''
    ? 'an empty string'
    : `a string of ${value.length} ${value.length === 1 ? 'character' : 'characters'}`;
}

export const plain = (name: string): string => name.toLowerCase().replace(/[\s_.-]/g, '');

const sorted = (name: string): string => Array.from(name).sort().join('');

/** Counts wrong letters; swapped letters count as one slip. */
const slipsBetween = (a: string, b: string): number => {
  const slips = distance(a, b);
  return slips === 2 && sorted(a) === sorted(b) ? 1 : slips;
};

/**
 * Returns the number of slips that a name of this length may have: none in the shortest, one in short ones, two in
 * longer ones.
 */
const tolerance = ({ length }: string, most: number): number => {
  if (length < 3) return 0;
  return length < 6 ? Math.min(1, most) : most;
};

/**
 * Returns the candidate that was likely meant: equal except for case and separators, else the nearest one within a slip
 * or two.
 *
 * @param most slips that a long name may have
 * @example likelyMeant('limt', ['limit', 'method']) // 'limit'
 */
export function likelyMeant(written: string, candidates: readonly string[], most = 2): string | undefined {
  const sought = plain(written);
  const [nearest] = candidates
    .filter((candidate) => candidate !== written)
    .map((candidate) => ({ candidate, slips: slipsBetween(sought, plain(candidate)) }))
    .sort((a, b) => a.slips - b.slips);
  return nearest !== undefined && nearest.slips <= tolerance(nearest.candidate, most) ? nearest.candidate : undefined;
}

/** Returns the end of a message, `; did you mean "limit"?`, or nothing. */
export function didYouMean(written: string, candidates: readonly string[]): string {
  const meant = likelyMeant(written, candidates);
  return meant === undefined ? '' : `; did you mean "${meant}"?`;
}

const LISTED_NAMES = 15;

/** Returns names for a message: the first of them, and the number of the others. */
export function namesText(names: readonly string[]): string {
  const listed = names.slice(0, LISTED_NAMES).map((name) => `'${nameOnly(name)}'`);
  const more = names.length - listed.length;
  return listed.join(', ') + (more > 0 ? ` and ${more} more` : '');
}

/** Returns a sentence for the end of a message: the name that was likely meant, or else the existing names. */
export function meantOrKnown(written: string, known: readonly string[]): string {
  const meant = likelyMeant(written, known);
  if (meant !== undefined) return ` Did you mean '${meant}'?`;
  return known.length === 0 ? '' : ` Known: ${namesText(known)}.`;
}
