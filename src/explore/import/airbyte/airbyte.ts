/** Manifests of Airbyte as configurations (docs/airbyte.md). */
import { FatalError } from '../../../core/errors/errors';
import { isObject } from '../../../core/json/objects';
import type { Json, JsonObject } from '../../../core/model';
import { nameOf, streamsOf } from './manifest';
import type { StreamCursor } from './state';
import { configurationOf } from './assembly';
import { translated } from './translate';
import type { Translated } from './translate';
import { Untranslatable, Values } from './values';

/** A stream that cannot be said in a configuration, and why. */
export interface LeftOut {
  readonly stream: string;
  /** The construct of the manifest, in a few words. */
  readonly construct: string;
  readonly message: string;
}

/** A configuration for the streams of a manifest, and those that are left out of it. */
export interface FromAirbyte {
  readonly configuration: JsonObject;
  /** The streams in it. */
  readonly streams: readonly string[];
  readonly leftOut: readonly LeftOut[];
  /** The cursors of the streams, for `stateFromAirbyte` and `stateToAirbyte`. */
  readonly cursors: readonly StreamCursor[];
}

/** Options of {@link fromAirbyte}. */
export interface AirbyteOptions {
  /** The names of the streams; default: all. */
  readonly streams?: readonly string[];
  /** The time in milliseconds, which windows end at; default: now. */
  readonly now?: number;
  /** The states of streams that earlier runs have left, by their names: see `airbyteStates`. */
  readonly states?: ReadonlyMap<string, JsonObject>;
  /** Schemas of files beside the manifest, by the end of their paths, such as `schemas/orders.json`. */
  readonly schemas?: ReadonlyMap<string, Json>;
}

/**
 * Translates streams of a manifest of Airbyte, as it is, to a configuration.
 *
 * @param manifest the content of `manifest.yaml`
 * @param config the configuration that Airbyte would have, with its secrets
 * @throws FatalError CONFIG_INVALID for a manifest that is none, and for an unknown stream
 * @example
 * const { configuration, leftOut } = fromAirbyte(manifest, { api_key: 'k' }, { streams: ['orders'] });
 * extract(configuration).items$.subscribe(console.log);
 */
export function fromAirbyte(manifest: unknown, config: JsonObject, options: AirbyteOptions = {}): FromAirbyte {
  const { streams: wanted, now = Date.now(), states = new Map<string, JsonObject>(), schemas = new Map() } = options;
  if (!isObject(manifest as Json)) throw new FatalError('CONFIG_INVALID', 'The manifest is no object.');
  const all = streamsOf(manifest as JsonObject);
  const unknown = wanted?.find((name) => !all.some((stream) => nameOf(stream) === name));
  if (unknown !== undefined)
    throw new FatalError(
      'CONFIG_INVALID',
      `The manifest has no stream ${JSON.stringify(unknown)}. It has: ${all.map(nameOf).join(', ')}.`,
    );
  const chosen = wanted === undefined ? all : all.filter((stream) => wanted.includes(nameOf(stream)));
  const leftOut: LeftOut[] = [];
  const values = new Values(config, now, {}, schemas);
  const done: Translated[] = [];
  const streams: string[] = [];
  for (const stream of chosen)
    try {
      const made = translated(stream, values, states.get(nameOf(stream)));
      const before = done.find(({ login }) => JSON.stringify(login) !== JSON.stringify(made.login));
      if (before !== undefined) throw new Untranslatable('a login of its own', 'run this stream alone');
      done.push(made);
      streams.push(nameOf(stream));
    } catch (error) {
      if (!(error instanceof Untranslatable)) throw error;
      leftOut.push({ stream: nameOf(stream), construct: error.construct, message: error.message });
    }
  return { configuration: configurationOf(done), streams, leftOut, cursors: done.flatMap((each) => each.cursors) };
}
