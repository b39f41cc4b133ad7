/** Files that a command reads must not be those that it writes. */
import { statSync } from 'node:fs';
import { FatalError, placeOf } from '..';

/** A file, and what names it. */
export interface NamedFile {
  /** The option, or what the file is: `--state`, `the configuration`. */
  readonly what: string;
  readonly path: string;
}

/**
 * Refuses outputs that are files which are read, by whatever path or link, and two outputs that are the same file.
 *
 * @throws FatalError CONFIG_INVALID
 * @example refuseOverwriting([{ what: '--state', path: 'a.json' }], [{ what: 'the configuration', path: './a.json' }])
 */
export function refuseOverwriting(outputs: readonly NamedFile[], inputs: readonly NamedFile[]): void {
  for (const [at, output] of outputs.entries()) {
    const other = [...inputs, ...outputs.slice(0, at)].find((each) => isSame(output.path, each.path));
    if (other === undefined) continue;
    throw new FatalError(
      'CONFIG_INVALID',
      `${output.what}: ${output.path} is ${other.what}${other.path === output.path ? '' : ` (${other.path})`}, and would be overwritten. Name another file.`,
    );
  }
}

/** The file of a destination that is one. */
export function filesOfDestinations(destinations: readonly (string | { readonly to: string })[]): readonly NamedFile[] {
  return destinations.flatMap((each) => {
    const [, path] = /^(?:duckdb|sqlite):([^?]+)/.exec(typeof each === 'string' ? each : each.to) ?? [];
    return path === undefined ? [] : [{ what: 'the destination', path }];
  });
}

const isSame = (one: string, other: string): boolean =>
  placeOf(`file:${one}`) === placeOf(`file:${other}`) || isLinked(one, other);

/** A file may have several names. */
function isLinked(one: string, other: string): boolean {
  const [a, b] = [one, other].map((path) => statSync(path, { bigint: true, throwIfNoEntry: false }));
  return a !== undefined && b !== undefined && a.isFile() && a.ino !== 0n && a.ino === b.ino && a.dev === b.dev;
}
