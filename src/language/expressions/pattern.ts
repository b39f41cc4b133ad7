/** Regular expressions of configurations: in time linear in the text, whatever the pattern. */
import type * as Library from 're2js';
import { ScriptError } from '../parts/errors';

/** Loaded when a pattern is first used: few configurations have any. */
const library = (): typeof Library => require('re2js') as typeof Library;

const MOST_CHARACTERS = 1000;
const MOST_KEPT = 100;

const kept = new Map<string, Library.RE2JS>();

/**
 * A pattern in the syntax of RE2, compiled; the same ones are kept.
 *
 * @throws ScriptError for what is no such pattern
 */
export function patternOf(pattern: string): Library.RE2JS {
  const known = kept.get(pattern);
  if (known !== undefined) return known;
  if (pattern.length > MOST_CHARACTERS)
    throw new ScriptError(`the pattern has ${pattern.length} characters, more than ${MOST_CHARACTERS}.`);
  const made = attempt(() => library().RE2JS.compile(pattern));
  // Patterns that are made of data could be any number.
  if (kept.size >= MOST_KEPT) kept.clear();
  kept.set(pattern, made);
  return made;
}

/** The first group of the first match, or all of it where the pattern has no groups; `null` where nothing matches. */
export function firstMatch(text: string, pattern: string): string | null {
  const matcher = patternOf(pattern).matcher(text);
  if (!matcher.find()) return null;
  return matcher.group(Math.min(1, matcher.groupCount()));
}

/** The text with every match replaced; `$1` in the replacement is the first group. */
export const replaced = (text: string, pattern: string, replacement: string): string => {
  const matcher = patternOf(pattern).matcher(text);
  return attempt(() => matcher.replaceAll(replacement, true));
};

/** What the library says holds the pattern, which may be made of anything: only the kind of the fault is told. */
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
