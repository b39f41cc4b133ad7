/** Manifests of Airbyte in place of configurations: `airbyte:MANIFEST` (docs/airbyte.md). */
import { FatalError, fromAirbyte, readAirbyteManifest, readConfiguration } from '..';
import type { FromAirbyte, JsonObject, ReadConfiguration } from '..';

const SCHEME = 'airbyte:';

/** The flags for a manifest. */
export interface ManifestFlags {
  /** The file with the configuration of the source. */
  readonly config?: string;
  /** The names of its streams; all if absent. */
  readonly stream?: readonly string[];
}

/** How a configuration or a manifest is read. */
export interface SourceOptions extends ManifestFlags {
  readonly signal?: AbortSignal;
  /** Is called with a line for each stream of a manifest that is left out. */
  readonly tell?: (line: string) => void;
}

/**
 * Reads a configuration, or translates a manifest of Airbyte to one.
 *
 * @throws FatalError CONFIG_UNREADABLE, CONFIG_INVALID
 */
export async function readSource(path: string, options: SourceOptions = {}): Promise<ReadConfiguration> {
  const { signal, tell = () => undefined } = options;
  if (!path.startsWith(SCHEME)) return readConfiguration(path, signal === undefined ? {} : { signal });
  const { configuration, leftOut } = await translation(path, options);
  for (const { stream, message } of leftOut) tell(`The stream ${stream} is left out: ${message}`);
  return { configuration, name: path, files: [], placeOf: () => undefined, located: (error) => error };
}

/**
 * Translates a manifest.
 *
 * @throws FatalError CONFIG_INVALID if none of its streams can be translated
 */
export async function translation(path: string, { config, stream }: ManifestFlags): Promise<FromAirbyte> {
  const { manifest, schemas } = await readAirbyteManifest(path.replace(SCHEME, ''));
  const source = config === undefined ? undefined : await readConfiguration(config);
  const given = (source?.configuration ?? {}) as JsonObject;
  const made = fromAirbyte(manifest, given, { schemas, ...(stream === undefined ? {} : { streams: stream }) });
  if (made.streams.length > 0) return made;
  const why = made.leftOut.map((each) => `${each.stream}: ${each.message}`).join('; ');
  throw new FatalError('CONFIG_INVALID', `No stream of ${path} can be translated. ${why}`);
}
