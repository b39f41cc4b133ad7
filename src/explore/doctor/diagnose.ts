/** Checks whether everything that a run needs is available. */
import { statSync } from 'node:fs';
import { dirname } from 'node:path';
import { checkDestinations } from '../../run/deliver/check-destinations';
import type { FollowedReference } from '../../language/references/reference';
import { destinationOf } from '../../run/deliver/destinations';
import type { EnvironmentOptions } from '../../language/environment';
import { ConfigurationError, HeadwaterError } from '../../core/errors/errors';
import { proxiesOf } from '../../http/transport/proxies';
import type { ProxyVariables } from '../../http/transport/proxies';
import { prepare, referencesOf, destinationsOf } from '../../run/validate';
import type { Prepared, ValidateOptions } from '../../run/validate';
import { Secrets } from '../../core/secrets/secrets';
import { hostDiagnoses } from './host';
import { placeDiagnoses } from './place';
import { machineDiagnoses, writableDiagnosis, fault, ok, warning } from './machine';
import type { Diagnosis } from './machine';

export interface DiagnoseOptions extends ValidateOptions {
  /** The file of `--state`. */
  readonly stateFile?: string;
  /** The proxies for requests to hosts, as in `extract`. */
  readonly proxies?: ProxyVariables;
}

/**
 * Checks the machine and, with a configuration, everything that its run would need: outside values, hosts, destinations and the state. Each
 * host of a base URL gets one HEAD request without credentials, and each server of a destination one connection or request with the
 * credentials of its address; nothing is written.
 *
 * @param config the configuration, parsed; `undefined`: only the machine is checked
 * @returns the findings: a run can succeed if none is a `fault`
 * @example
 * const found = await diagnose(config);
 * for (const { about, level, message, remedy } of found) console.log(level, about, message, remedy ?? '');
 */
export async function diagnose(config?: unknown, options: DiagnoseOptions = {}): Promise<readonly Diagnosis[]> {
  const { stateFile, proxies: variables = {}, ...validating } = options;
  const proxies = proxiesOf(variables);
  const env = environmentOf(options);
  const machine = [
    ...machineDiagnoses(env, process.versions.node, variables),
    ...(stateFile === undefined ? [] : stateDiagnoses(stateFile)),
  ];
  if (config === undefined) return machine;
  const references = referencesOf(config, validating).map(referenceDiagnosis);
  const prepared = prepareOr(config, validating);
  if ('faults' in prepared) {
    const known = new Set(references.map(({ about }) => about));
    return [...machine, ...references, ...prepared.faults.filter(({ about }) => !known.has(about))];
  }
  const { planned, secrets: known } = prepared;
  const secrets = new Secrets([
    ...(proxies?.secrets ?? []),
    ...known,
    ...planned.iterations.flatMap((iteration) => iteration.secrets),
  ]);
  const hosts = new Map(planned.iterations.map(({ http }) => [new URL(http.baseUrl).origin, http]));
  const reached =
    planned.sshProxy !== undefined
      ? [ok('hosts', 'are reached by SSH, and were not asked')]
      : (
          await Promise.all(
            Array.from(hosts, ([origin, http]) =>
              hostDiagnoses(origin, { caCertificate: http.caCertificate, proxies }),
            ),
          )
        ).flat();
  const all = [
    ...machine,
    ...references,
    ok('configuration', 'is valid'),
    ...reached,
    ...(await destinationDiagnoses(prepared, validating)),
  ];
  return all.map((each) => ({
    ...each,
    message: secrets.mask(each.message),
    ...(each.remedy === undefined ? {} : { remedy: secrets.mask(each.remedy) }),
  }));
}

const environmentOf = ({ env = process.env }: EnvironmentOptions) => (env === false ? {} : env);

function prepareOr(config: unknown, options: ValidateOptions): Prepared | { readonly faults: readonly Diagnosis[] } {
  try {
    return prepare(config, options);
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    return {
      faults: error.faults.map(({ path, message }) =>
        fault(path, message, 'Correct it; "headwater validate" says where.'),
      ),
    };
  }
}

function referenceDiagnosis({ source, name, path, found }: FollowedReference): Diagnosis {
  if ('fault' in found) {
    const remedy =
      source === 'env' ? 'Set it, or name a file with --env-file.' : 'Correct the path, or the rights of the file.';
    return fault(path, found.fault, remedy);
  }
  if (source === 'env') return ok(path, `the environment variable ${name} is set`);
  const isOpen = process.platform !== 'win32' && (statSync(name).mode & 0o077) !== 0;
  return isOpen
    ? warning(
        path,
        `the file ${name} can be read by others of this machine`,
        `Let its owner alone read it: chmod 600 ${name}`,
      )
    : ok(path, `the file ${name} can be read, by its owner alone`);
}

function stateDiagnoses(file: string): readonly Diagnosis[] {
  const found = statSync(file, { throwIfNoEntry: false });
  const isOpen = process.platform !== 'win32' && found !== undefined && (found.mode & 0o077) !== 0;
  return [
    ...writableDiagnosis('state', dirname(file)),
    ...(isOpen ? [warning('state', `${file} can be read by others of this machine`, `chmod 600 ${file}`)] : []),
  ];
}

async function destinationDiagnoses(
  { planned }: Prepared,
  { components = [] }: ValidateOptions,
): Promise<readonly Diagnosis[]> {
  const { sinks, outputs } = destinationsOf(planned);
  try {
    const made = sinks.map((each) => destinationOf(each, { components })(outputs));
    const warnings = checkDestinations(made, outputs);
    const schemes = new Set(components.flatMap((part) => (part.kind === 'sink' ? part.schemes : [])));
    const places = sinks.flatMap((each, at) => {
      const url = typeof each === 'string' ? each : each.to;
      // The place of a sink of the application is unknown here.
      return schemes.has(url.split(':')[0] ?? '') ? [] : [placeDiagnoses(url, made[at]?.name ?? '')];
    });
    return [
      ...warnings.map(({ path, message }) => warning(path, message, 'See docs/sinks.md.')),
      ...(await Promise.all(places)).flat(),
    ];
  } catch (error) {
    if (error instanceof ConfigurationError)
      return error.faults.map(({ path, message }) => fault(path, message, 'Correct it; a run would be refused.'));
    if (error instanceof HeadwaterError)
      return [fault('config.sinks', error.message, 'Correct it; a run would be refused.')];
    throw error;
  }
}
