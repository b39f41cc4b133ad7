import { parseData } from '../../json/parse';
import type { Json } from '../../model';
import { Unreadable } from './unreadable';

/**
 * The value of a JSON text; its numbers keep how they are spelled.
 *
 * @throws Unreadable when the text is not JSON
 */
export function readJson(text: string): Json {
  try {
    return parseData(text, 'spelling');
  } catch (error) {
    throw new Unreadable(reasonOf(error));
  }
}

/** The engine quotes the text around the error, unmasked; its own words come before that. */
const reasonOf = (error: unknown): string =>
  error instanceof SyntaxError ? error.message.replace(/, (?:\.\.\.)?"[\s\S]*$/, '') : 'it cannot be read';
