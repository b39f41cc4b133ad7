/** Manifests of Airbyte in place of configurations: `airbyte:MANIFEST` (docs/airbyte.md). */
import {
  FatalError,
  airbyteStates,
  connectionSpecificationOf,
  fromAirbyte,
  isAirbyteState,
  readAirbyteManifest,
  readConfiguration,
  airbyteSecrets,
  stateFromAirbyte,
  stateToAirbyte,
  withoutSecrets,
} from '..';
import type { FromAirbyte, JsonObject, ReadConfiguration } from '..';
import type { StateFormat } from './run/flags';
import { readStateFile, readStateJson, saveHostState, sealOfEnvironment } from './state-file';

const SCHEME = 'airbyte:';

/** The flags for a manifest. */
export interface ManifestFlags {
  /** The file with the configuration of the source. */
  readonly config?: string;
  /** The names of its streams; all if absent. */
  readonly stream?: readonly string[];
  /** The file with the state of earlier runs. */
  readonly state?: string;
}

/** A configuration, and what there is to know of the manifest that it was made of. */
export interface ReadSource extends ReadConfiguration {
  readonly manifest?: Translation;
}

/** A manifest as a configuration, with the state of earlier runs. */
export interface Translation extends FromAirbyte {
  /** The state to go on from, if there is one in the format of Airbyte. */
  readonly state?: JsonObject;
  /** Returns what a run has left, in the format of Airbyte, with the states of streams that it did not read. */
  readonly left: (state: JsonObject) => readonly JsonObject[];
  /** The values of the configuration that its specification calls secret. */
  readonly secrets: readonly string[];
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
export async function readSource(path: string, options: SourceOptions = {}): Promise<ReadSource> {
  const { signal, tell = () => undefined } = options;
  if (!path.startsWith(SCHEME)) return readConfiguration(path, signal === undefined ? {} : { signal });
  const manifest = await translation(path, options);
  const { configuration, leftOut } = manifest;
  for (const { stream, message } of leftOut) tell(`The stream ${stream} is left out: ${message}`);
  return { configuration, name: path, files: [], placeOf: () => undefined, located: (error) => error, manifest };
}

/**
 * Translates a manifest.
 *
 * @param flags `isKept`: the configuration is kept, so that it has no secrets
 * @throws FatalError CONFIG_INVALID if none of its streams can be translated
 */
export async function translation(
  path: string,
  { config, stream, state: file, isKept = false }: ManifestFlags & { readonly isKept?: boolean },
): Promise<Translation> {
  const source = await readAirbyteManifest(path.replace(SCHEME, ''), { proxies: process.env });
  const { manifest, schemas } = source;
  const given = config === undefined ? {} : await readConfig(config);
  const written = file === undefined ? {} : await readStateJson(file, sealOfEnvironment());
  const states = isAirbyteState(written) ? airbyteStates(written) : undefined;
  const { config: marked, restored } = isKept
    ? withoutSecrets(connectionSpecificationOf(source), given)
    : { config: given, restored: (configuration: JsonObject) => configuration };
  const made = fromAirbyte(manifest, marked, {
    schemas,
    ...(stream === undefined ? {} : { streams: stream }),
    ...(states === undefined ? {} : { states }),
  });
  if (made.streams.length > 0)
    return {
      ...made,
      configuration: restored(made.configuration),
      ...(states === undefined ? {} : { state: stateFromAirbyte(states, made.cursors) }),
      secrets: airbyteSecrets(connectionSpecificationOf(source), given),
      left: (state) => stateToAirbyte(state, made, states),
    };
  const why = made.leftOut.map((each) => `${each.stream}: ${each.message}`).join('; ');
  throw new FatalError('CONFIG_INVALID', `No stream of ${path} can be translated. ${why}`);
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

/** Reads the configuration of a source. */
export const readConfig = async (file: string): Promise<JsonObject> =>
  (await readConfiguration(file)).configuration as JsonObject;
