/** One configuration or several, read for subcommands that look at them in turn. */
import { FatalError, placeOf, readConfiguration } from '..';
import type { Part, ReadConfiguration } from '..';
import { loadComponents } from './components';
import { describe, EXIT, statusOf } from './exit-status';
import { nameIn } from './name-in';
import { refuseSameFiles } from './same-files';
import { visible } from './terminal';

/**
 * Reads a configuration for something that is done with it.
 *
 * @throws what `use` throws, with places in the file
 */
export async function withConfiguration<T>(
  path: string,
  use: (read: ReadConfiguration) => T | Promise<T>,
  options: Parameters<typeof readConfiguration>[1] = {},
): Promise<T> {
  const read = await readConfiguration(path, options);
  try {
    return await use(read);
  } catch (error) {
    throw read.located(error);
  }
}

/** One of the configurations that are looked at. */
export interface Looked {
  readonly path: string;
  readonly read: ReadConfiguration;
  readonly components: readonly Part[];
  /** Stands before what is told of it on standard error; empty where it is the only one. */
  readonly label: string;
  /** Absent: it is the only one. */
  readonly name?: string;
}

/** What looking at several configurations needs besides them. */
export interface Looking {
  readonly signal?: AbortSignal;
  /** Modules with parts of the application. */
  readonly components?: readonly string[] | undefined;
  /** Values of options that each configuration has for itself, with `{config}` in them. */
  readonly own?: Readonly<Record<string, string | undefined>>;
}

/**
 * Looks at each configuration in turn. One that is at fault does not keep the others from being looked at. Resolves to the worst exit
 * status.
 *
 * @param look resolves to the exit status
 */
export async function lookAtEach(
  paths: readonly string[],
  { signal, components: modules, own = {} }: Looking,
  look: (looked: Looked) => number | Promise<number>,
): Promise<number> {
  const told = async (label: string, use: () => number | Promise<number>): Promise<number> => {
    try {
      return await use();
    } catch (failure) {
      const error: unknown = signal?.aborted === true ? signal.reason : failure;
      process.stderr.write(`${label}${describe(error)}\n`);
      return statusOf(error);
    }
  };
  let components: readonly Part[] = [];
  const refused = await told('', async () => {
    components = await loadComponents(modules);
    refuseSameFiles(paths);
    for (const [flag, value] of Object.entries(own)) refuseShared(flag, paths, value);
    return EXIT.success;
  });
  if (refused !== EXIT.success) return refused;
  const isAlone = paths.length === 1;
  let worst: number = EXIT.success;
  for (const path of paths) {
    if (worst !== EXIT.success && signal?.aborted === true) break;
    const label = isAlone ? '' : `${visible(path)}: `;
    const reading = signal === undefined ? {} : { signal };
    const use = (read: ReadConfiguration): number | Promise<number> =>
      look({ path, read, components, label, ...(isAlone ? {} : { name: visible(path) }) });
    worst = Math.max(worst, await told(label, () => withConfiguration(path, use, reading)));
  }
  return worst;
}

/**
 * Refuses a file that several configurations would share.
 *
 * @throws FatalError CONFIG_INVALID
 */
function refuseShared(flag: string, paths: readonly string[], value: string | undefined): void {
  if (value === undefined) return;
  const places = paths.map((path) => placeOf(`file:${nameIn(value, path)}`));
  for (const [at, place] of places.entries()) {
    const other = places.indexOf(place);
    if (other < at) throw sharedBy(flag, paths[other] ?? '', paths[at] ?? '', "'{config}.json'");
  }
}

/** What is said of an option whose value each configuration has for itself. */
export const sharedBy = (flag: string, one: string, other: string, example: string): FatalError =>
  new FatalError(
    'CONFIG_INVALID',
    `${flag} is the same for ${one} and ${other}. Write {config} in it, which stands for the name of each: ${flag} ${example}`,
  );
