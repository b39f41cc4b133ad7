import { realpathSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { FatalError } from '../../core/errors/errors';

/**
 * The folder or file behind a name, whatever the format: files of one folder share what goes before a commit. Standard output is no
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

/** The real path, also of what does not exist yet: its folder may be reached by another path. */
function whereThereIs(path: string): string {
  try {
    return join(realpathSync(dirname(path)), basename(path));
  } catch {
    return path;
  }
}

/**
 * The places of this process: an application may hold two copies of this package, that of ES modules and that of CommonJS.
 */
const SHARED = Symbol.for('headwater.reserved');
const ofProcess: { [SHARED]?: Set<string> } = globalThis as object;
const reserved = (): Set<string> => {
  const { [SHARED]: places = new Set<string>() } = ofProcess;
  ofProcess[SHARED] = places;
  return places;
};

/**
 * Keeps two sinks of this process from one place: what locks out other processes does not see it.
 *
 * @param names what the sinks have for themselves: `duckdb:FILE`, `csv:FOLDER`, or the URL of a server
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

/** Runs of one process may all print; the destinations of one run may not. */
const isPrinted = (name: string): boolean => /^[a-z]+:-(?:\?|$)/.test(name);
