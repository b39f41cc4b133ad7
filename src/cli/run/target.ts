import { checkDestinations, ConfigurationError, destinationOf, secretsOf, validate } from '../..';
import type { ConfigurationTables, Json, ReadConfiguration } from '../..';
import { loadComponents } from '../components';
import { withConfiguration } from '../each-configuration';
import { environmentOf } from '../environment';
import { unsetIn } from '../recording-file';
import type { NamedFile } from '../own-files';
import { destinationsIn } from './destinations';
import { flagsFor } from './for-configuration';
import type { RunFlags } from './flags';
import { filesRead, filesWritten } from './run-files';

/** One of several configurations, read and found to be valid. */
export interface RunTarget extends ConfigurationTables {
  readonly path: string;
  /** As this configuration has them. */
  readonly flags: RunFlags;
  readonly read: ReadConfiguration;
  /** The values of it that must not be printed. */
  readonly secrets: readonly string[];
  readonly filesRead: readonly NamedFile[];
  readonly filesWritten: readonly NamedFile[];
}

/**
 * Reads a configuration and checks it as its run will, before any of several runs.
 *
 * @throws ConfigurationError with places in the file; with `strict` for warnings, too
 */
export async function readTarget(path: string, given: RunFlags, signal: AbortSignal): Promise<RunTarget> {
  const flags = flagsFor(path, given);
  const components = await loadComponents(flags.components);
  const checked = (read: ReadConfiguration): RunTarget => {
    const config = read.configuration as Json;
    const validating = { lenient: flags.lenient, components, ...environmentOf(flags), ...unsetIn(flags) };
    const validation = validate(config, validating);
    const { outputs, warnings, mask } = validation;
    const { nested } = flags;
    const rows = { components, ...(nested === undefined ? {} : { nested }) };
    const ignored = (): void => undefined;
    const destinations = destinationsOf(flags, config, validating);
    const made = destinations.map((each) => destinationOf(each, rows)(outputs, ignored));
    const all = [...warnings, ...checkDestinations(made, outputs)];
    if (flags.strict && all.length > 0) throw new ConfigurationError(all);
    const sinks = made.map(({ name, place = name, makes, ...sink }) => ({
      ...{ name: mask(name), place },
      ...(makes === undefined ? {} : { makes }),
      ...(sink.maps === undefined ? {} : { maps: sink.maps }),
    }));
    return {
      ...{ path, flags, read, name: path, sinks, outputs, secrets: secretsOf(config, validating) },
      filesRead: filesRead(flags, read, validation),
      filesWritten: filesWritten(flags, destinations),
    };
  };
  return withConfiguration(path, checked, { signal });
}

/** The destinations of a run: those of the flags, or else those of the configuration. */
const destinationsOf = (flags: RunFlags, ...asked: Parameters<typeof destinationsIn>) =>
  flags.to ?? destinationsIn(...asked);
