/** Checks that a command does not overwrite a file that it reads. */
import { statSync } from 'node:fs';
import { FatalError, placeOf } from '..';
import type { ReadConfiguration, Validation } from '..';
import type { RunFlags } from './run/flags';

/** A file, and its description. */
export interface NamedFile {
  /** The option, or the purpose of the file: `--state`, `the configuration`. */
  readonly what: string;
  readonly path: string;
}

/**
 * Refuses outputs that are also inputs, by any path or link, and two outputs that are the same file.
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

/** Returns the files of destinations. */
export function filesOfDestinations(destinations: readonly (string | { readonly to: string })[]): readonly NamedFile[] {
  return destinations.flatMap((each) => {
    const [, path] = /^(?:duckdb|sqlite):([^?]+)/.exec(typeof each === 'string' ? each : each.to) ?? [];
    return path === undefined ? [] : [{ what: 'the destination', path }];
  });
}

const isSame = (one: string, other: string): boolean =>
  placeOf(`file:${one}`) === placeOf(`file:${other}`) || isLinked(one, other);

/** Returns whether two names lead to the same file. */
function isLinked(one: string, other: string): boolean {
  const [a, b] = [one, other].map((path) => statSync(path, { bigint: true, throwIfNoEntry: false }));
  return a !== undefined && b !== undefined && a.isFile() && a.ino !== 0n && a.ino === b.ino && a.dev === b.dev;
}

/** A destination in the command line or the configuration. */
export type Written = Validation['sinks'][number];

/** The default destination: standard output. */
export const PRINTED = 'ndjson:-';
const AT_A_TERMINAL = 'duckdb:headwater.duckdb';

/** Returns whether all items are printed, and nothing is stored. */
export const isPrinted = (written: Written): boolean =>
  (typeof written === 'string' ? written : written.to).split('?')[0] === PRINTED;

/** Returns the destinations of a configuration; without any, a database file if standard output is a terminal, else standard output. */
export function destinationsIn({ sinks }: Pick<Validation, 'sinks'>): readonly Written[] {
  if (sinks.length > 0) return sinks;
  return [process.stdout.isTTY ? AT_A_TERMINAL : PRINTED];
}

/** Returns the files that a run reads, and must not write. */
export const filesRead = (
  { envFile = [], components = [], replay }: Pick<RunFlags, 'envFile' | 'components' | 'replay'>,
  { files }: Pick<ReadConfiguration, 'files'>,
  { secretFiles }: Pick<Validation, 'secretFiles'>,
): readonly NamedFile[] => [
  ...files.map((path, at) => ({ what: at === files.length - 1 ? 'the configuration' : 'a part of it', path })),
  ...envFile.map((path) => ({ what: 'the file of --env-file', path })),
  ...components.map((path) => ({ what: 'the module of --components', path })),
  ...secretFiles.map((path) => ({ what: 'a file that the configuration refers to', path })),
  ...(replay === undefined ? [] : [{ what: 'the recording of --replay', path: replay }]),
];

/** Returns the files that a run writes. */
export const filesWritten = (
  { state, record }: Pick<RunFlags, 'state' | 'record'>,
  destinations: readonly Written[],
): readonly NamedFile[] => [
  ...(state === undefined ? [] : [{ what: '--state', path: state }]),
  ...(record === undefined ? [] : [{ what: '--record', path: record }]),
  ...filesOfDestinations(destinations),
];
