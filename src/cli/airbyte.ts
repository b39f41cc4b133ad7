/** Manifests of Airbyte in place of configurations: `airbyte:MANIFEST` (docs/airbyte.md). */
import { FatalError, readConfiguration } from '..';
import type { JsonObject, ReadConfiguration } from '..';
import type { StateFormat } from './run/flags';
import { readStateFile, saveHostState, sealOfEnvironment } from './state-file';
import type { ManifestFlags, Translation } from './translation';

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
