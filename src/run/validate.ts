/** Reads, checks and plans a configuration without running it. */
import { ConfigurationError } from '../core/errors/errors';
import type { Fault } from '../core/errors/errors';
import { notJson, withoutUndefined } from '../core/json/not-json';
import { entriesOf, objectFrom } from '../core/json/objects';
import { stringifyJson } from '../core/json/stringify';
import type { Json, JsonObject } from '../core/model';
import { addressParts, maskedError } from '../core/secrets/masking';
import { Secrets } from '../core/secrets/secrets';
import type { Configuration } from '../language/configuration/configuration';
import { decodeConfiguration } from '../language/configuration/decode';
import type { WrittenDestination } from '../language/configuration/destination';
import { fingerprintOf } from '../language/configuration/fingerprint';
import type { EnvironmentOptions } from '../language/environment';
import type { Part, Parts } from '../language/parts/parts';
import {
  noticesOf,
  missingAt,
  missingIn,
  withoutStandIns,
  faultsWith,
  secretValues,
  secretsWrittenIn,
  warningsOf,
  withReferences,
} from '../language/references/read';
import type { UnsetOption } from '../language/references/read';
import type { FollowedReference } from '../language/references/reference';
import { planConfiguration } from '../plan/compile';
import type { Planned } from '../plan/compile';
import type { OutputPlan } from '../plan/plan';
import type { TableNaming } from '../plan/tables';
import { mappingFaults } from '../tables/mapping/mapping';
import { partsWithBuiltIn } from './built-in-parts';
import type { TransportChoice } from './sessions/sessions';

/** The result of checking a configuration. */
export interface Validation {
  /** The number of its jobs, children left out. */
  readonly jobs: number;
  /** Settings that have no effect, deprecated spellings. */
  readonly warnings: readonly Fault[];
  /** References to outside values that are not set, if that is no fault, with what replaces them. */
  readonly unset: readonly Fault[];
  /** The tables of each run. */
  readonly outputs: readonly OutputPlan[];
  /** The destinations that the configuration names (`config.sinks`), as `destinationOf` takes them. */
  readonly sinks: readonly WrittenDestination[];
  /** The files that `{"file": …}` names. */
  readonly secretFiles: readonly string[];
  /** Masks the secrets of the configuration in a string, for the output of the application. */
  readonly mask: (text: string) => string;
}

/**
 * Checks a configuration without running it.
 *
 * @param options `lenient`: misspelled keys are warnings; `components`: parts of the application; `unset: 'stand in'`: variables need not
 *   be set
 * @returns its jobs, tables and destinations, with warnings
 * @throws ConfigurationError with every fault at once
 * @example validate(config).warnings.forEach(({ path, message }) => console.warn(path, message));
 */
export function validate(config: unknown, options: ValidateOptions & UnsetOption = {}): Validation {
  return validationOf(prepare(config, options));
}

/** Returns the result for a configuration that was prepared. */
export function validationOf({ planned, secrets, unset, references }: Prepared): Validation {
  const registry = new Secrets(secrets);
  const jobs = planned.iterations.reduce((sum, each) => sum + each.jobs.length, 0);
  const secretFiles = references.flatMap(({ source, name }) => (source === 'file' ? [name] : []));
  return {
    ...{ jobs, warnings: planned.warnings, unset, ...destinationsOf(planned), secretFiles },
    mask: (text) => registry.mask(text),
  };
}

/**
 * Returns the secret values of a configuration, for the option `secrets` of others that run in the same program.
 *
 * @param options as for `validate`
 * @throws ConfigurationError with every fault at once
 * @example await deliver(one, [sink], { secrets: secretsOf(another) });
 */
export function secretsOf(config: unknown, options: ValidateOptions = {}): readonly string[] {
  const { planned, secrets } = prepare(config, options);
  return [...new Set([...secrets, ...planned.iterations.flatMap((iteration) => iteration.secrets)])];
}

/** Returns the destinations of the data of a configuration. */
export const destinationsOf = ({ iterations }: Planned): Pick<Validation, 'outputs' | 'sinks'> => ({
  outputs: iterations.map(({ output }) => output),
  sinks: [...new Map(iterations.flatMap(({ sinks }) => sinks).map((sink) => [stringifyJson(sink), sink])).values()],
});

/** The options for reading a configuration. */
export interface ValidateOptions extends EnvironmentOptions {
  /** If `true`, misspelled keys are warnings; default: they are faults. */
  readonly lenient?: boolean;
  /** The naming of tables for jobs without `tableName` (docs/sinks.md#names); default: `sql`. */
  readonly tableNaming?: TableNaming;
  /** Parts that the application adds to the language (`headwater/components`). */
  readonly components?: readonly Part[];
}

/** A configuration that is ready to run. */
export interface Prepared {
  readonly planned: Planned;
  readonly secrets: readonly string[];
  /** The configuration as it was written: with references, without the secrets behind them. */
  readonly document: Json;
  /** Its references to outside values. */
  readonly references: readonly FollowedReference[];
  /** As `unset` of a validation. */
  readonly unset: readonly Fault[];
  /** Identifies the data that the configuration asks for. */
  readonly fingerprint: () => string;
}

/** A decoded configuration that is planned with its attributes later. */
export interface Decoded {
  readonly configuration: Configuration;
  readonly parts: Parts;
  readonly tableNaming: TableNaming;
  /** The configuration as it was written: with references, without the secrets behind them. */
  readonly document: Json;
  /** The secrets that are written in it. */
  readonly secrets: readonly string[];
  /** The secrets that it refers to. */
  readonly referred: readonly string[];
  readonly references: readonly FollowedReference[];
  /** The references whose value is replaced by a stand-in. */
  readonly missing: readonly FollowedReference[];
  /** As `unset` of a validation. */
  readonly unset: readonly Fault[];
}

/**
 * Decodes and plans a configuration (docs/language/configuration.md), which a run needs first.
 *
 * @throws ConfigurationError with every fault at once, secrets masked
 * @example prepare({ api, config }, {}).planned.runs.length
 */
export const prepare = (config: unknown, options: ValidateOptions & UnsetOption): Prepared =>
  planDecoded(decode(config, options));

/**
 * Decodes a configuration.
 *
 * @throws ConfigurationError with every fault at once, secrets masked
 */
export function decode(
  config: unknown,
  { lenient = false, components = [], tableNaming = 'sql', ...outside }: ValidateOptions & UnsetOption,
): Decoded {
  const strange = config === undefined ? [] : notJson(config);
  if (strange.length > 0)
    throw new ConfigurationError(strange.map(({ path, message }) => ({ path: placeOf(path), message })));
  const json = withoutUndefined(config);
  // Only the decoder decides whether it is a configuration; before that only its secrets are known.
  const secrets = [...secretsWrittenIn(json as Json, outside), ...(outside.secrets ?? [])];
  const registry = new Secrets(withParts(secrets));
  const parts = partsWithBuiltIn(components);
  if (parts._tag === 'Left') return refuse(parts.left, registry);
  const isLeftOut = (path: string): boolean => leftOut.has(path);
  let leftOut: ReadonlySet<string> = new Set();
  const read = () => {
    const { document, written, referred, ...found } = withReferences(json as Json, parts.right, outside, isLeftOut);
    registry.add(...withParts(referred));
    const decoded = masking(registry, () => decodeConfiguration(document, { lenient, parts: parts.right, written }));
    const faults = faultsWith(found, decoded._tag === 'Left' ? decoded.left : [], { lenient });
    return { ...{ decoded, faults, found, written, referred }, missing: missingIn(found.references) };
  };
  let { decoded, faults, found, written, referred, missing } = read();
  // A number or the address of a destination cannot be replaced by a stand-in.
  leftOut = new Set(faults.flatMap(({ path }) => missingAt(missing, path)?.path ?? []));
  if (leftOut.size > 0) ({ decoded, faults, found, written, referred, missing } = read());
  if (decoded._tag === 'Left' || faults.length > 0) return refuse(withoutStandIns(faults, missing), registry);
  const warnings = [...decoded.right.warnings, ...warningsOf(found, { lenient })];
  const configuration = { ...decoded.right, warnings };
  const unset = noticesOf(found.references, isLeftOut);
  const { references } = found;
  return {
    ...{ configuration, parts: parts.right, tableNaming, document: written, secrets },
    ...{ referred, references, missing, unset },
  };
}

/** Returns the references of a configuration, whatever its other faults; none if a part of the application is at fault. */
export function referencesOf(
  config: unknown,
  { components = [], ...outside }: ValidateOptions & UnsetOption,
): readonly FollowedReference[] {
  const parts = partsWithBuiltIn(components);
  if (parts._tag === 'Left' || notJson(config).length > 0) return [];
  return withReferences(withoutUndefined(config) as Json, parts.right, outside).references;
}

/**
 * Plans a configuration that was decoded.
 *
 * @param attributes replace those of `config`, in each iteration
 * @throws ConfigurationError with every fault at once, secrets masked
 */
export function planDecoded(
  { configuration, parts, tableNaming, document, secrets: known, referred, references, missing, unset }: Decoded,
  attributes: JsonObject = {},
): Prepared {
  const secrets = withParts([...known, ...referred, ...secretValues(attributes)]);
  const registry = new Secrets(secrets);
  const planned = masking(registry, () =>
    planConfiguration(withAttributes(configuration, attributes), {
      parts,
      tableNaming,
      secretTexts: new Set(referred),
    }),
  );
  if (planned._tag === 'Left') return refuse(withoutStandIns(planned.left, missing), registry);
  const mappings = new Set(
    planned.right.iterations.flatMap(({ output: { mappings: each } }) => (each === undefined ? [] : [each])),
  );
  const faults = [...mappings].flatMap((each) => mappingFaults(each));
  if (faults.length > 0) return refuse(faults, registry);
  const warnings = planned.right.warnings.filter(({ path }) => missingAt(missing, path) === undefined);
  return {
    planned: { ...planned.right, warnings: masked(warnings, registry) },
    ...{ secrets, references, unset, document },
    fingerprint: () => [document, attributes].map(fingerprintOf).join(' '),
  };
}

/** Adds the parts of secret addresses as secrets, since servers repeat them. */
const withParts = (secrets: readonly string[]): readonly string[] => [...secrets, ...secrets.flatMap(addressParts)];

const withAttributes = (configuration: Configuration, attributes: JsonObject): Configuration =>
  entriesOf(attributes).length === 0
    ? configuration
    : {
        ...configuration,
        iterations: configuration.iterations.map((each) => ({
          ...each,
          attributes: objectFrom([...entriesOf(each.attributes), ...entriesOf(attributes)]),
        })),
      };

const masked = (faults: readonly Fault[], secrets: Secrets): Fault[] =>
  faults.map((fault) => ({ ...fault, path: secrets.mask(fault.path), message: secrets.mask(fault.message) }));

function refuse(faults: readonly Fault[], secrets: Secrets): never {
  throw new ConfigurationError(masked(faults, secrets));
}

/** Returns a place as faults name it, such as `config.jobs[0].params`. */
const placeOf = (path: readonly (string | number)[]): string =>
  (path[0] === 'parameters' ? path.slice(1) : path)
    .map((step, at) => (typeof step === 'number' ? `[${step}]` : at === 0 ? step : `.${step}`))
    .join('');

/** Calls a part of the application, and masks its errors, which may quote their input. */
export function masking<T>(secrets: Secrets, make: () => T): T {
  try {
    return make();
  } catch (error) {
    throw maskedError(error, secrets);
  }
}

/** Refuses a transport that would send the requests for a tunnel by another way. */
export function checkTransport({ sshProxy }: Planned, { dispatcher, fetch }: TransportChoice): void {
  if (sshProxy === undefined || (dispatcher === undefined && fetch === undefined)) return;
  const message = 'makes connections of its own: it cannot be used with the options dispatcher and fetch';
  throw new ConfigurationError([{ path: 'sshProxy', message }]);
}

/** Adds a warning if responses are to be kept without a folder for them. */
export function withCacheWarning(planned: Planned, folder: string | undefined): Planned {
  if (folder !== undefined || planned.iterations.every(({ http }) => http.cache === undefined)) return planned;
  const message = 'has no effect: no folder was given for it (option cacheFolder)';
  return { ...planned, warnings: [...planned.warnings, { path: 'cache', message }] };
}
