/**
 * Reads one or several configurations, for subcommands that process them in turn, or manifests of Airbyte in place of configurations:
 * `airbyte:MANIFEST` (docs/airbyte.md).
 */
import { basename, extname } from 'node:path';
import { FatalError, placeOf, readEnvFiles, readConfiguration } from '..';
import type { EnvironmentOptions, Json, Part, ProxyVariables, JsonObject, ReadConfiguration } from '..';
import { loadComponents } from './components';
import { EXIT, describe, statusOf } from './exit-status';
import { visible } from './output';
import type { ManifestFlags, Translation } from './translation';
import type { StateFormat } from './run/flags';
import { readStateFile, saveHostState, sealOfEnvironment } from './state-file';

const SCHEME = 'airbyte:';

/** A configuration, and what there is to know of the manifest that it was made of. */
export interface ReadSource extends ReadConfiguration {
  readonly manifest?: Translation;
}

/** How a configuration or a manifest is read. */
export interface SourceOptions extends ManifestFlags {
  readonly signal?: AbortSignal;
  /** Is called with a line for each stream of a manifest that is left out. */
  readonly print?: (line: string) => void;
}

/**
 * Reads a configuration, or translates a manifest of Airbyte to one.
 *
 * @throws FatalError CONFIG_UNREADABLE, CONFIG_INVALID
 */
export async function readSource(path: string, options: SourceOptions = {}): Promise<ReadSource> {
  const { signal, print = () => undefined } = options;
  if (!path.startsWith(SCHEME)) return readConfiguration(path, signal === undefined ? {} : { signal });
  const { translation } = await import('./translation.js');
  const manifest = await translation(path, options);
  const { configuration, leftOut } = manifest;
  for (const { stream, message } of leftOut) print(`The stream ${stream} is left out: ${message}`);
  return { configuration, name: path, files: [], placeOf: () => undefined, located: (error) => error, manifest };
}

/**
 * Reads the state after the last run, for a configuration or a manifest.
 *
 * @throws FatalError CONFIG_UNREADABLE
 */
export async function stateFor({ manifest }: ReadSource, file: string): Promise<JsonObject> {
  return manifest?.state ?? readStateFile(file, sealOfEnvironment());
}

/**
 * Returns what saves the state of a manifest in the format of Airbyte; `undefined` where the state is one of Headwater. A file keeps the
 * format that it has.
 *
 * @throws FatalError CONFIG_INVALID if there is no manifest
 */
export function airbyteStateSaver(
  { manifest }: ReadSource,
  file: string,
  format: StateFormat | undefined,
): ((state: JsonObject) => Promise<void>) | undefined {
  if (manifest === undefined && format === 'airbyte')
    throw new FatalError('CONFIG_INVALID', '--state-format airbyte is for airbyte:MANIFEST: leave it out.');
  if (manifest === undefined || format === 'headwater') return undefined;
  if (format === undefined && manifest.state === undefined) return undefined;
  return (state) => saveHostState(file, manifest.left(state));
}

/**
 * Reads a configuration and passes it to a function.
 *
 * @throws the errors of `use`, with places in the file
 */
export async function withConfiguration<T>(
  path: string,
  use: (read: ReadSource) => T | Promise<T>,
  options: SourceOptions = {},
): Promise<T> {
  const read = await readSource(path, options);
  try {
    return await use(read);
  } catch (error) {
    throw read.located(error);
  }
}

/** One of the configurations. */
export interface OneConfiguration {
  readonly path: string;
  readonly read: ReadSource;
  readonly components: readonly Part[];
  /** The prefix of its output on standard error; empty if it is the only one. */
  readonly label: string;
  /** Absent: it is the only one. */
  readonly name?: string;
}

/** The options for several configurations. */
export interface EachOptions {
  readonly signal?: AbortSignal;
  /** Modules with parts of the application. */
  readonly components?: readonly string[] | undefined;
  /** The flags for manifests of Airbyte. */
  readonly manifest?: ManifestFlags;
  /** Values of options that differ between configurations, with `{config}` in them. */
  readonly own?: Readonly<Record<string, string | undefined>>;
}

/**
 * Processes each configuration in turn. A fault in one does not stop the others. Resolves to the worst exit status.
 *
 * @param look resolves to the exit status
 */
export async function lookAtEach(
  paths: readonly string[],
  { signal, components: modules, own = {}, manifest = {} }: EachOptions,
  look: (configuration: OneConfiguration) => number | Promise<number>,
): Promise<number> {
  const reported = async (label: string, use: () => number | Promise<number>): Promise<number> => {
    try {
      return await use();
    } catch (failure) {
      const error: unknown = signal?.aborted === true ? signal.reason : failure;
      process.stderr.write(`${label}${describe(error)}\n`);
      return statusOf(error);
    }
  };
  let components: readonly Part[] = [];
  const refused = await reported('', async () => {
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
    const print = (line: string): void => void process.stderr.write(`${label}${line}\n`);
    const reading = { ...manifest, print, ...(signal === undefined ? {} : { signal }) };
    const use = (read: ReadSource): number | Promise<number> =>
      look({ path, read, components, label, ...(isAlone ? {} : { name: visible(path) }) });
    worst = Math.max(worst, await reported(label, () => withConfiguration(path, use, reading)));
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

/** Returns the message about an option whose value must differ between configurations. */
export const sharedBy = (flag: string, one: string, other: string, example: string): FatalError =>
  new FatalError(
    'CONFIG_INVALID',
    `${flag} is the same for ${one} and ${other}. Write {config} in it, which stands for the name of each: ${flag} ${example}`,
  );

/**
 * Refuses a configuration that is named twice, by any path.
 *
 * @throws FatalError CONFIG_INVALID
 * @example refuseSameFiles(['a.yaml', './a.yaml'])
 */
export function refuseSameFiles(paths: readonly string[]): void {
  const known = new Map<string, string>();
  for (const path of paths) {
    const place = path === '-' ? '-' : (placeOf(`file:${path}`) ?? path);
    const other = known.get(place);
    if (other !== undefined) throw new FatalError('CONFIG_INVALID', twice(path, other));
    known.set(place, path);
  }
}

const twice = (path: string, other: string): string => {
  if (path === '-') return 'Standard input (-) is named twice, and can be read once.';
  return path === other
    ? `${path} is named twice. Name each configuration once.`
    : `${path} is the same file as ${other}. Name each configuration once.`;
};

/** The placeholder for the name of the configuration in values of options. */
const NAME = '{config}';

/** Matches invalid file names, and names of other folders. Windows has devices under some names. */
const NO_NAME = /^\.*$|[. ]$|[\\/<>:"|?*]|\p{Cc}|^(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)/iu;

/** Returns the name of a configuration: the name of its file without the extension. */
function nameOf(path: string): string {
  const name = path === '-' ? 'stdin' : basename(path, extname(path));
  if (!NO_NAME.test(name)) return name;
  throw new FatalError(
    'CONFIG_INVALID',
    `{config} stands for the name of the file ${path} without its extension: ${JSON.stringify(name)} cannot be the name of a file or a folder everywhere. Give the file another name.`,
  );
}

/**
 * Returns the value of an option for one configuration: `{config}` is replaced by its name.
 *
 * @throws FatalError CONFIG_INVALID if the name is invalid there
 * @example nameIn('{config}.state', 'rivers/alder.yaml') // 'alder.state'
 */
export const nameIn = (value: string, path: string): string => value.replaceAll(NAME, () => nameOf(path));

/** The values that a command takes from its environment. */
export interface Surroundings extends EnvironmentOptions {
  readonly proxies: ProxyVariables;
}

/**
 * Returns the source of `{"env": …}` and `{"file": …}` of a configuration: the environment, and the files of `--env-file`. No `.env` is
 * read unless requested. The proxies come from the same variables.
 *
 * @throws FatalError CONFIG_UNREADABLE for a file that cannot be read
 */
export const environmentOf = ({ envFile = [] }: { readonly envFile?: readonly string[] }): Surroundings => {
  const env = readEnvFiles(envFile);
  return { env, proxies: env, secretFiles: true };
};

const BLANK: readonly unknown[] = [undefined, null, false, 0, '', '0'];

/** Returns whether the configuration asks for level debug (docs/language/configuration.md#config), before it has been decoded. */
export function asksForDebug(config: Json): boolean {
  const settings = at(at(config, 'parameters') ?? config, 'config');
  return !BLANK.includes(at(settings, 'debug'));
}

const at = (value: unknown, key: string): unknown =>
  typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[key] : undefined;
