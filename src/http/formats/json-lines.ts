import type { Json } from '../../model';
import { readJson } from './json';
import { Unreadable } from './unreadable';

/**
 * One value a line; lines of nothing but white space are skipped.
 *
 * @throws Unreadable with the number of the line that is not JSON
 * @example readJsonLines('{"id":1}\n{"id":2}\n') // [{ id: 1 }, { id: 2 }]
 */
export const readJsonLines = (text: string): readonly Json[] =>
  text.split('\n').flatMap((line, at) => (line.trim() === '' ? [] : [readLine(line, at + 1)]));

function readLine(line: string, number: number): Json {
  try {
    return readJson(line);
  } catch (error) {
    if (error instanceof Unreadable) throw new Unreadable(`line ${number}: ${error.message}`);
    throw error;
  }
}
