import { realpathSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { FatalError } from '../../core/errors/errors';

/**
 * Returns the folder or file behind a name, whatever the format: files of one folder share the work before a commit. Standard output is no
 * place.
 *
 * @example placeOf('csv:out') === placeOf('ndjson:./out')
 */
export function placeOf(name: string): string | undefined {
  const [, scheme = '', rest = ''] = /^([a-z]+):(.*)$/s.exec(name) ?? [];
  if (scheme === '' || rest === '-') return undefined;
  if (rest.startsWith('//')) return name;
  const path = resolve(rest);
  try {
    return realpathSync(path);
  } catch {
    return whereThereIs(path);
  }
}

/** Returns the real path, even of a path that does not exist yet: its folder may be reached by another path. */
function whereThereIs(path: string): string {
  try {
    return join(realpathSync(dirname(path)), basename(path));
  } catch {
    return path;
  }
}

/**
 * The reserved places of this process, in a global symbol: an application may load two copies of this package, as ES module and as
 * CommonJS.
 */
const SHARED = Symbol.for('headwater.reserved');
const ofProcess: { [SHARED]?: Set<string> } = globalThis as object;
const reserved = (): Set<string> => {
  const { [SHARED]: places = new Set<string>() } = ofProcess;
  ofProcess[SHARED] = places;
  return places;
};

/**
 * Prevents two sinks of this process from using one place, which the locks between processes do not detect.
 *
 * @param names the places that the sinks use alone: `duckdb:FILE`, `csv:FOLDER`, or the URL of a server
 * @returns a function that releases the places
 * @throws FatalError DESTINATION_LOCKED
 * @example const release = reserve(['duckdb:items.duckdb']);
 */
export function reserve(names: readonly string[]): () => void {
  const [, printedAgain] = names.filter(isPrinted);
  if (printedAgain !== undefined) {
    const message = `Two destinations are standard output, which would have each item twice: ${printedAgain}. Name it once.`;
    throw new FatalError('DESTINATION_LOCKED', message, { destination: printedAgain });
  }
  const places: string[] = [];
  const release = (): void => places.forEach((place) => reserved().delete(place));
  for (const name of names) {
    const place = placeOf(name);
    if (place === undefined) continue;
    if (reserved().has(place)) {
      release();
      const message = `Two destinations are the same place, or another run of this process writes there: ${name}. Name each place once.`;
      throw new FatalError('DESTINATION_LOCKED', message, { destination: name });
    }
    reserved().add(place);
    places.push(place);
  }
  return release;
}

/** Several runs of one process may print to standard output; several destinations of one run may not. */
const isPrinted = (name: string): boolean => /^[a-z]+:-(?:\?|$)/.test(name);
