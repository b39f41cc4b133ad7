// @ts-check
/** What the environment says. Each setting has one name, one unit and one default; nothing else reads the environment. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * @param {NodeJS.ProcessEnv} env
 * @throws {Error} for a number that is none: a service that is set up wrongly does not start
 */
export function settingsFrom(env) {
  /** @type {(name: string, otherwise: number) => number} */
  const number = (name, otherwise) => {
    const value = env[name] === undefined ? otherwise : Number(env[name]);
    if (!(value >= 0 && value <= 1e6)) throw new Error(`${name} has to be a number from 0 to 1000000.`);
    return value;
  };
  const namespace = env.NAMESPACE ?? 'extraction';
  return {
    /** A URL, perhaps with user and password; all replicas of the service share its streams. */
    nats: new URL(env.NATS_URL ?? 'nats://127.0.0.1:4222'),
    streams: { requests: `${namespace}-requests`, items: `${namespace}-items`, dead: `${namespace}-dead` },
    subjects: { requests: `${namespace}.requests`, items: `${namespace}.items`, dead: `${namespace}.dead` },
    host: env.HOST ?? '0.0.0.0',
    port: number('PORT', 8080),
    logLevel: env.LOG_LEVEL ?? 'info',
    /** `console`, or else OTLP over HTTP where the standard variables name a collector. */
    traces: env.TRACES ?? (env.OTEL_EXPORTER_OTLP_ENDPOINT === undefined ? 'none' : 'otlp'),
    configFolder: env.CONFIG_FOLDER ?? 'config',
    apiUrl: env.API_URL,
    /** A file a tenant, as a mounted secret has them. */
    credentialsFolder: env.CREDENTIALS_FOLDER ?? 'credentials',
    workFolder: env.WORK_FOLDER ?? 'work',
    atOnce: Math.max(1, number('CONCURRENCY', 16)),
    atOncePerTenant: Math.max(1, number('CONCURRENCY_PER_TENANT', 2)),
    /** Requests a second of one tenant; 0: no limit of ours. */
    ratePerTenant: number('RATE_PER_TENANT', 0),
    /** A message comes again when nobody has told for so long that it is worked on. */
    ackWaitMs: 1000 * Math.max(1, number('ACK_WAIT_SECONDS', 30)),
    retryMs: 1000 * number('RETRY_SECONDS', 1),
    maxRetryMs: 1000 * number('MAX_RETRY_SECONDS', 300),
    maxDeliveries: number('MAX_DELIVERIES', 20),
    graceMs: 1000 * number('GRACE_SECONDS', 20),
    idleMs: 1000 * number('IDLE_SECONDS', 600),
    /** For messages in streams; work folders are kept twice as long. */
    keepMs: 24 * 3600 * 1000 * Math.max(1, number('KEEP_DAYS', 3)),
  };
}

/** @typedef {ReturnType<typeof settingsFrom>} Settings */

/**
 * @param {string[]} path
 * @returns {any} the value of a file of JSON, which its reader checks
 */
export const readJson = (...path) => JSON.parse(readFileSync(join(...path), 'utf8'));
