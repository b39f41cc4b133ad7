import { closest, distance } from 'fastest-levenshtein';
import { nameOnly } from '../../core/headers';

const LISTED_NAMES = 15;

const quoted = (names: readonly string[]): string => names.map((name) => `'${nameOnly(name)}'`).join(', ');

/** Returns names for a message: the first of them, and the number of the others. */
export function namesText(names: readonly string[]): string {
  const more = names.length - LISTED_NAMES;
  return quoted(names.slice(0, LISTED_NAMES)) + (more > 0 ? ` and ${more} more` : '');
}

/** Returns the known name that was probably meant: at most a third of it differs, or its case. */
function nearestName(name: string, known: readonly string[]): string | undefined {
  if (known.length === 0) return undefined;
  const nearest = closest(name, known);
  const alike = distance(name, nearest) <= Math.max(1, Math.floor(nearest.length / 3));
  return alike ? nearest : known.find((other) => other.toLowerCase() === name.toLowerCase());
}

/** Returns a sentence for the end of a message: the name that was probably meant, or else the existing names. */
export function didYouMean(name: string, known: readonly string[]): string {
  const nearest = nearestName(name, known);
  if (nearest !== undefined) return ` Did you mean '${nearest}'?`;
  return known.length === 0 ? '' : ` Known: ${namesText(known)}.`;
}
