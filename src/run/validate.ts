/** What a configuration means, without running it. */
import type { WrittenDestination } from '../language/configuration/destinations/written';
import type { Fault } from '../core/errors/errors';
import { stringifyJson } from '../core/json/stringify';
import type { OutputPlan } from '../plan/plan';
import type { Planned } from '../plan/plan-run';
import { prepare, referencesOf } from './prepare';
import type { ValidateOptions } from './prepare';
import { Secrets } from '../core/secrets/secrets';
import type { UnsetOption } from '../language/references/missing-secrets';

/** What a configuration is found to mean. */
export interface Validation {
  /** How many jobs it has, children left out. */
  readonly jobs: number;
  /** Settings that have no effect, deprecated spellings. */
  readonly warnings: readonly Fault[];
  /** Values from outside that are not there, where that is no fault: what stands for them. */
  readonly unset: readonly Fault[];
  /** Where the tables of each run belong. */
  readonly outputs: readonly OutputPlan[];
  /** The destinations that the configuration names (`config.sinks`), as `destinationOf` takes them. */
  readonly sinks: readonly WrittenDestination[];
  /** The files that `{"file": …}` names. */
  readonly secretFiles: readonly string[];
  /** Masks what is secret in the configuration, wherever it stands in a string, for what a program prints itself. */
  readonly mask: (text: string) => string;
}

/**
 * Checks a configuration without running it.
 *
 * @param options `lenient`: keys that look like others are warnings; `components`: parts of the application; `unset: 'stand in'`: variables
 * need not be set
 * @returns what it means, with warnings
 * @throws ConfigurationError with every fault at once
 * @example validate(config).warnings.forEach(({ path, message }) => console.warn(path, message));
 */
export function validate(config: unknown, options: ValidateOptions & UnsetOption = {}): Validation {
  const { planned, secrets, unset } = prepare(config, options);
  const registry = new Secrets(secrets);
  const jobs = planned.iterations.reduce((sum, each) => sum + each.jobs.length, 0);
  const secretFiles = referencesOf(config, options).flatMap(({ source, name }) => (source === 'file' ? [name] : []));
  return {
    ...{ jobs, warnings: planned.warnings, unset, ...destinationsOf(planned), secretFiles },
    mask: (text) => registry.mask(text),
  };
}

/**
 * The values of a configuration that must not be printed, for the option `secrets` of others that run in the same program.
 *
 * @param options as those of `validate`
 * @throws ConfigurationError with every fault at once
 * @example await deliver(one, [sink], { secrets: secretsOf(another) });
 */
export function secretsOf(config: unknown, options: ValidateOptions = {}): readonly string[] {
  const { planned, secrets } = prepare(config, options);
  return [...new Set([...secrets, ...planned.iterations.flatMap((iteration) => iteration.secrets)])];
}

/** Where the data of a configuration go. */
export const destinationsOf = ({ iterations }: Planned): Pick<Validation, 'outputs' | 'sinks'> => ({
  outputs: iterations.map(({ output }) => output),
  sinks: [...new Map(iterations.flatMap(({ sinks }) => sinks).map((sink) => [stringifyJson(sink), sink])).values()],
});
