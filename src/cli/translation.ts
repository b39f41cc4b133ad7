/** Translates manifests of Airbyte; loaded only where there is one. */
import {
  FatalError,
  airbyteMissing,
  airbyteSecrets,
  airbyteStates,
  connectionSpecificationOf,
  fromAirbyte,
  isAirbyteState,
  readAirbyteManifest,
  readConfiguration,
  stateFromAirbyte,
  stateToAirbyte,
  withAttributes,
} from '..';
import type { FromAirbyte, JsonObject } from '..';
import { readStateJson, sealOfEnvironment } from './state-file';

/** The flags for a manifest. */
export interface ManifestFlags {
  /** The file with the configuration of the source. */
  readonly config?: string;
  /** The names of its streams; all if absent. */
  readonly stream?: readonly string[];
  /** The file with the state of earlier runs. */
  readonly state?: string;
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
  const source = await readAirbyteManifest(path.replace(/^airbyte:/, ''), { proxies: process.env });
  const { manifest, schemas } = source;
  const given = config === undefined ? {} : await readConfig(config);
  const written = file === undefined ? {} : await readStateJson(file, sealOfEnvironment());
  const states = isAirbyteState(written) ? airbyteStates(written) : undefined;
  const now = Date.now();
  const translate = (own: JsonObject): FromAirbyte =>
    fromAirbyte(manifest, own, {
      ...{ schemas, now },
      ...(stream === undefined ? {} : { streams: stream }),
      ...(states === undefined ? {} : { states }),
    });
  const made = isKept ? withAttributes(connectionSpecificationOf(source), given, translate) : translate(given);
  if (made.streams.length > 0)
    return {
      ...made,
      ...(states === undefined ? {} : { state: stateFromAirbyte(states, made.cursors) }),
      secrets: airbyteSecrets(connectionSpecificationOf(source), given),
      left: (state) => stateToAirbyte(state, made, states),
    };
  const missing = airbyteMissing(connectionSpecificationOf(source), given);
  if (missing.length > 0)
    throw new FatalError(
      'CONFIG_INVALID',
      `${path} needs ${missing.join(', ')} in its configuration: name the file by --config. ` +
        `"headwater airbyte spec --manifest ${path.replace(/^airbyte:/, '')}" describes it.`,
    );
  const why = made.leftOut.map((each) => `${each.stream}: ${each.message}`).join('; ');
  throw new FatalError('CONFIG_INVALID', `No stream of ${path} can be translated. ${why}`);
}

/** Reads the configuration of a source. */
export const readConfig = async (file: string): Promise<JsonObject> =>
  (await readConfiguration(file)).configuration as JsonObject;
