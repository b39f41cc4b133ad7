import { checkDestinations, ConfigurationError, destinationOf, validate } from '../../index';
import type { ConfigurationTables, Json, ReadConfiguration } from '../../index';
import { loadComponents } from '../components';
import { withConfiguration } from '../each-configuration';
import { environmentOf } from '../environment';
import { destinationsIn } from './destinations';
import { flagsFor } from './for-configuration';
import type { RunFlags } from './flags';

/** One of several configurations, read and found to be valid. */
export interface RunTarget extends ConfigurationTables {
  readonly path: string;
  /** As this configuration has them. */
  readonly flags: RunFlags;
  readonly read: ReadConfiguration;
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
    const validating = { lenient: flags.lenient, components, ...environmentOf(flags) };
    const { outputs, warnings, mask } = validate(config, validating);
    const { nested } = flags;
    const rows = { components, ...(nested === undefined ? {} : { nested }) };
    const ignored = (): void => undefined;
    const made = destinationsOf(flags, config, validating).map((each) => destinationOf(each, rows)(outputs, ignored));
    const all = [...warnings, ...checkDestinations(made, outputs)];
    if (flags.strict && all.length > 0) throw new ConfigurationError(all);
    const sinks = made.map(({ name, place = name, makes, ...sink }) => ({
      ...{ name: mask(name), place },
      ...(makes === undefined ? {} : { makes }),
      ...(sink.maps === undefined ? {} : { maps: sink.maps }),
    }));
    return { path, flags, read, name: path, sinks, outputs };
  };
  return withConfiguration(path, checked, { signal });
}

/** The destinations of a run: those of the flags, or else those of the configuration. */
const destinationsOf = (flags: RunFlags, ...asked: Parameters<typeof destinationsIn>) =>
  flags.to ?? destinationsIn(...asked);
