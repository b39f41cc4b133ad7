/** A configuration, decoded and planned, or refused. */
import { decodeConfiguration } from './config/decode';
import type { WrittenDestination } from './config/destinations/written';
import type { Part } from './config/parts/parts';
import { partsWith } from './config/parts/parts-with';
import { secretValues } from './config/values/secret-values';
import { ConfigurationError } from './errors';
import type { Fault } from './errors';
import { maskedError } from './masking';
import { stringifyJson } from './json/stringify';
import type { Json } from './model';
import type { OutputPlan } from './plan/plan';
import { planConfiguration } from './plan/plan-run';
import type { Planned } from './plan/plan-run';
import type { TableNaming } from './plan/table-names';
import type { TransportChoice } from './run';
import { Secrets } from './secrets';
import { mappingFaults } from './tables/mapping/mapping';

/** How a configuration is read. */
export interface ValidateOptions {
  /** Keys that look like others are warnings; default: they are faults. */
  readonly lenient?: boolean;
  /** How tables are called that jobs give no `tableName` (docs/sinks.md#names); default: `sql`. */
  readonly tableNaming?: TableNaming;
  /** Parts of the language that the application adds (`headwater/components`). */
  readonly components?: readonly Part[];
}

/** What a configuration is found to mean. */
export interface Validation {
  /** How many jobs it has, children left out. */
  readonly jobs: number;
  /** Settings that have no effect, deprecated spellings. */
  readonly warnings: readonly Fault[];
  /** Where the tables of each run belong. */
  readonly outputs: readonly OutputPlan[];
  /** The destinations that the configuration names (`config.sinks`), as `destinationOf` takes them. */
  readonly sinks: readonly WrittenDestination[];
}

/** A configuration that is ready to run. */
export interface Prepared {
  readonly planned: Planned;
  readonly secrets: readonly string[];
}

/**
 * Checks a configuration without running it.
 *
 * @param options `lenient`: keys that look like others are warnings; `components`: parts of the application
 * @returns what it means, with warnings
 * @throws ConfigurationError with every fault at once
 * @example validate(config).warnings.forEach(({ path, message }) => console.warn(path, message));
 */
export function validate(config: unknown, options: ValidateOptions = {}): Validation {
  const { planned } = prepare(config, options);
  const jobs = planned.iterations.reduce((sum, each) => sum + each.jobs.length, 0);
  return { jobs, warnings: planned.warnings, ...destinationsOf(planned) };
}

/** Where the data of a configuration go. */
export const destinationsOf = ({ iterations }: Planned): Pick<Validation, 'outputs' | 'sinks'> => ({
  outputs: iterations.map(({ output }) => output),
  sinks: [...new Map(iterations.flatMap(({ sinks }) => sinks).map((sink) => [stringifyJson(sink), sink])).values()],
});

/**
 * Decodes and plans a configuration (docs/language/configuration.md): what is needed before a run.
 *
 * @throws ConfigurationError with every fault at once, secrets masked
 * @example prepare({ api, config }, {}).planned.runs.length
 */
export function prepare(
  config: unknown,
  { lenient = false, components = [], tableNaming = 'sql' }: ValidateOptions,
): Prepared {
  // The decoder decides whether it is a configuration; until then only its secrets are known.
  const secrets = secretValues(config as Json);
  const registry = new Secrets(secrets);
  const masked = (faults: readonly Fault[]): Fault[] =>
    faults.map((fault) => ({ ...fault, message: registry.mask(fault.message) }));
  const refuse = (faults: readonly Fault[]): never => {
    throw new ConfigurationError(masked(faults));
  };
  const parts = partsWith(components);
  if (parts._tag === 'Left') return refuse(parts.left);
  const planned = masking(registry, () => {
    const decoded = decodeConfiguration(config, { lenient, parts: parts.right });
    return decoded._tag === 'Left' ? decoded : planConfiguration(decoded.right, parts.right, tableNaming);
  });
  if (planned._tag === 'Left') return refuse(planned.left);
  const mappings = new Set(
    planned.right.iterations.flatMap(({ output: { mappings: each } }) => (each === undefined ? [] : [each])),
  );
  const faults = [...mappings].flatMap((each) => mappingFaults(each));
  if (faults.length > 0) return refuse(faults);
  return { planned: { ...planned.right, warnings: masked(planned.right.warnings) }, secrets };
}

/** What parts of the application throw may quote what they were given. */
export function masking<T>(secrets: Secrets, make: () => T): T {
  try {
    return make();
  } catch (error) {
    throw maskedError(error, secrets);
  }
}

/** @throws RangeError when an option is given and is not an integer from `least` */
export function checkInteger(option: string, least: number, value: number | undefined): void {
  if (value === undefined || (Number.isInteger(value) && value >= least)) return;
  throw new RangeError(`options.${option}: expected an integer from ${least}, found ${value}`);
}

/** Requests that are meant for a tunnel must not leave by another way. */
export function checkTransport({ sshProxy }: Planned, { dispatcher, fetch }: TransportChoice): void {
  if (sshProxy === undefined || (dispatcher === undefined && fetch === undefined)) return;
  const message = 'makes connections of its own: it cannot be used with the options dispatcher and fetch';
  throw new ConfigurationError([{ path: 'sshProxy', message }]);
}

/** Adds a warning where responses are to be kept, and nobody has said where. */
export function withCacheWarning(planned: Planned, folder: string | undefined): Planned {
  if (folder !== undefined || planned.iterations.every(({ http }) => http.cache === undefined)) return planned;
  const message = 'has no effect: no folder was given for it (option cacheFolder)';
  return { ...planned, warnings: [...planned.warnings, { path: 'cache', message }] };
}
