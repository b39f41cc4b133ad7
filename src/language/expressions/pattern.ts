/** Regular expressions of configurations, matched in time linear in the text for any pattern. */
import type * as Library from 're2js';
import { ScriptError } from '../parts/errors';

/** Loads the library when a pattern is first used: few configurations have any. */
const library = (): typeof Library => require('re2js') as typeof Library;

const MOST_CHARACTERS = 1000;
const MOST_KEPT = 100;

const kept = new Map<string, Library.RE2JS>();

/**
 * Compiles a pattern in the syntax of RE2; compiled patterns are cached.
 *
 * @throws ScriptError for an invalid pattern
 */
export function patternOf(pattern: string): Library.RE2JS {
  const known = kept.get(pattern);
  if (known !== undefined) return known;
  if (pattern.length > MOST_CHARACTERS)
    throw new ScriptError(`the pattern has ${pattern.length} characters, more than ${MOST_CHARACTERS}.`);
  const made = attempt(() => library().RE2JS.compile(pattern));
  // The cache is limited, because patterns may be computed from data.
  if (kept.size >= MOST_KEPT) kept.clear();
  kept.set(pattern, made);
  return made;
}

/**
 * Returns the first group of the first match, or the whole match if the pattern has no groups; `null` without a match.
 */
export function firstMatch(text: string, pattern: string): string | null {
  const matcher = patternOf(pattern).matcher(text);
  if (!matcher.find()) return null;
  return matcher.group(Math.min(1, matcher.groupCount()));
}

/** Returns the text with every match replaced; `$1` in the replacement is the first group. */
export const replaced = (text: string, pattern: string, replacement: string): string => {
  const matcher = patternOf(pattern).matcher(text);
  return attempt(() => matcher.replaceAll(replacement, true));
};

/**
 * Runs the library and replaces its error messages: they quote the pattern, which may contain anything, so only the
 * kind of the fault is shown.
 */
function attempt<T>(work: () => T): T {
  try {
    return work();
  } catch (cause) {
    const { RE2JSSyntaxException } = library();
    const why = cause instanceof RE2JSSyntaxException ? ` (${cause.getDescription()})` : '';
    throw new ScriptError(
      `the pattern or its replacement cannot be used${why}. Look-ahead, look-behind and back-references do not exist.`,
    );
  }
}
