import { accessSync, constants, existsSync, statSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, resolve } from 'node:path';
import { FatalError } from '../../core/errors/errors';
import { optionalPackage, requirePackage } from '../../core/optional-package';
import { proxiesOf } from '../../http/transport/proxies';
import type { ProxyVariables } from '../../http/transport/proxies';
import type { Environment } from '../../language/environment';
import { requireSqlite } from '../../sinks/sqlite/driver';

/** One check. Secrets are `***` in it. */
export interface Diagnosis {
  /** The subject: `Node.js`, `host api.example` or `config.#token`. */
  readonly about: string;
  /** A `warning` may be intended; with a `fault` a run cannot succeed; what is `optional` is missing, and few need it. */
  readonly level: 'ok' | 'optional' | 'warning' | 'fault';
  /** The finding. */
  readonly message: string;
  /** What to do; absent if nothing is wrong. */
  readonly remedy?: string;
}

export const ok = (about: string, message: string): Diagnosis => ({ about, level: 'ok', message });
export const warning = (about: string, message: string, remedy: string): Diagnosis => ({
  ...{ about, level: 'warning', message, remedy },
});
export const fault = (about: string, message: string, remedy: string): Diagnosis => ({
  ...{ about, level: 'fault', message, remedy },
});

/** The minimum Node.js version, as `engines` in package.json. */
const LEAST = [20, 18, 1] as const;
const MEGABYTE = 1_000_000;
/** Less than this is little for a run and its tables. */
const FEW_MEGABYTES = 100;

/**
 * Checks what every run needs of the machine.
 *
 * @param proxies the variables of the proxies of runs
 */
export const machineDiagnoses = (
  env: Environment,
  nodeVersion: string,
  proxies: ProxyVariables = {},
): readonly Diagnosis[] => [
  nodeDiagnosis(nodeVersion),
  packageDiagnosis('DuckDB', 'duckdb:, parquet: and headwater query', () =>
    optionalPackage('duckdb:', '@duckdb/node-api'),
  ),
  packageDiagnosis('SQLite', 'sqlite:', requireSqlite),
  ...PARTS.map(partDiagnosis),
  ...writableDiagnosis('folder for temporary files', tmpdir()),
  ...proxyDiagnoses(proxies),
  ...certificateDiagnoses(env),
];

function nodeDiagnosis(version: string): Diagnosis {
  const numbers = version.split('.').map(Number);
  const at = LEAST.findIndex((least, index) => numbers[index] !== least);
  if (at < 0 || (numbers[at] ?? 0) > (LEAST[at] ?? 0)) return ok('Node.js', `version ${version}`);
  return fault('Node.js', `version ${version} is too old`, `Install ${LEAST.join('.')} or a later one.`);
}

/** Parts that few need, with their packages. */
const PARTS: readonly (readonly [about: string, user: string, ...packages: readonly string[]])[] = [
  ['PostgreSQL', 'postgres://', 'pg', 'pg-copy-streams'],
  ['Buckets', 's3://', '@aws-sdk/client-s3', '@aws-sdk/lib-storage'],
  ['NATS', 'nats://', '@nats-io/jetstream', '@nats-io/transport-node'],
  ['SSH', 'sshProxy', 'ssh2'],
  ['OpenTelemetry', 'headwater/otel', '@opentelemetry/api'],
  ['Temporal', 'headwater worker and submit', '@temporalio/client', '@temporalio/worker', '@temporalio/activity'],
];

/** A part that is missing is no fault: a run that needs it says so. */
function partDiagnosis([about, user, ...packages]: (typeof PARTS)[number]): Diagnosis {
  const isThere = (name: string): boolean => {
    try {
      requirePackage(user, name);
      return true;
    } catch {
      return false;
    }
  };
  const missing = packages.filter((name) => !isThere(name));
  if (missing.length === 0) return ok(about, `can be loaded, for ${user}`);
  const remedy = `npm install ${missing.join(' ')}`;
  return { about, level: 'optional', message: `is not installed; needed only for ${user}`, remedy };
}

function packageDiagnosis(about: string, user: string, load: () => unknown): Diagnosis {
  try {
    load();
    return ok(about, 'can be loaded');
  } catch (error) {
    const isMissing = error instanceof FatalError && error.code === 'PACKAGE_MISSING';
    const why = isMissing ? 'is not installed' : `cannot be loaded: ${firstLine(error)}`;
    return warning(
      about,
      `${why}; ${user} cannot be used`,
      isMissing ? error.message : 'Install it again on this machine.',
    );
  }
}

const firstLine = (error: unknown): string => String(error).split('\n')[0] ?? '';

/** Returns whether a file can be made in a folder, or in its nearest existing parent. */
export function writableDiagnosis(about: string, folder: string): readonly Diagnosis[] {
  let nearest = resolve(folder);
  while (!existsSync(nearest) && dirname(nearest) !== nearest) nearest = dirname(nearest);
  try {
    if (!statSync(nearest).isDirectory())
      return [fault(about, `${nearest} is a file, where a folder is needed`, 'Name another place, or move the file.')];
    accessSync(nearest, constants.W_OK);
    return [roomDiagnosis(about, nearest)];
  } catch {
    return [
      fault(
        about,
        `${nearest} cannot be written`,
        'Give the user of the run the right to write there, or name another place.',
      ),
    ];
  }
}

/** Checks the free space. A run keeps its pages until they are stored; their size is not known before. */
function roomDiagnosis(about: string, folder: string): Diagnosis {
  const { bavail, bsize } = statfsSync(folder);
  const megabytes = Math.floor((bavail * bsize) / MEGABYTE);
  if (bavail === 0) return fault(about, `the disk of ${folder} is full`, 'Make room there, or name another place.');
  if (megabytes < FEW_MEGABYTES)
    return warning(
      about,
      `the disk of ${folder} has room for ${megabytes} MB`,
      'Make room there, or name another place.',
    );
  return ok(about, `${folder} can be written`);
}

/** Checks the proxies of both protocols, with hosts that no exception names. */
function proxyDiagnoses(variables: ProxyVariables): readonly Diagnosis[] {
  const found = new Map<string, Diagnosis>();
  const proxies = proxiesOf({ ...variables, no_proxy: '' });
  for (const origin of ['http://host.invalid', 'https://host.invalid']) {
    try {
      const proxy = proxies?.of(origin);
      if (proxy === undefined) continue;
      const { variable, origin: address } = proxy;
      found.set(variable, ok(variable, `is set: requests go through ${address}, but for the hosts of NO_PROXY`));
    } catch (error) {
      if (!(error instanceof FatalError)) throw error;
      const [variable = ''] = error.message.split(' ');
      found.set(variable, warning(variable, 'names no proxy for HTTP', 'Correct it, or unset it.'));
    }
  }
  return [...found.values()];
}

function certificateDiagnoses(env: Environment): readonly Diagnosis[] {
  const path = env['NODE_EXTRA_CA_CERTS'] ?? '';
  const trusting = env['NODE_TLS_REJECT_UNAUTHORIZED'] === '0';
  return [
    ...(path === '' ? [] : [readable('NODE_EXTRA_CA_CERTS', path)]),
    ...(trusting
      ? [
          warning(
            'NODE_TLS_REJECT_UNAUTHORIZED',
            'is 0: anybody on the way can read and change what is sent',
            'Unset it, and give the issuer in api.caCertificate or NODE_EXTRA_CA_CERTS.',
          ),
        ]
      : []),
  ];
}

function readable(about: string, path: string): Diagnosis {
  try {
    accessSync(path, constants.R_OK);
    return ok(about, `${path} can be read`);
  } catch {
    return fault(
      about,
      `${path} cannot be read, and Node.js goes on without it`,
      'Correct the path, or the rights of the file.',
    );
  }
}
