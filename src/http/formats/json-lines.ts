import { noteLiterals } from '../../json/literals';
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
  listOf(text.split('\n').flatMap((line, at) => (line.trim() === '' ? [] : [{ line, number: at + 1 }])));

/** Numbers that are lines of their own keep their digits, too. */
function listOf(lines: readonly { readonly line: string; readonly number: number }[]): readonly Json[] {
  const spelled = new Map<string, string>();
  const values = lines.map(({ line, number }, at) => {
    const value = readLine(line, number);
    if (typeof value === 'number' || typeof value === 'bigint') spelled.set(String(at), line.trim());
    return value;
  });
  if (spelled.size > 0) noteLiterals(values, spelled);
  return values;
}

function readLine(line: string, number: number): Json {
  try {
    return readJson(line);
  } catch (error) {
    if (error instanceof Unreadable) throw new Unreadable(`line ${number}: ${error.message}`);
    throw error;
  }
}
