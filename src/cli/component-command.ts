import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ConfigurationError, createLogger, deliver, parseJson, sinks } from '..';
import type { Json, JsonObject, Log, LogFormat, LogLevel } from '..';
import { abortOnInterruption, ApplicationError, EXIT, FINISHED, statusOf, logFailure } from './exit-status';
import { asksForDebug } from './configurations';
import { encryptionKey, saveHostState } from './state-file';

export interface ComponentFlags {
  readonly dataDir?: string;
  readonly logLevel?: LogLevel;
  readonly logFormat: LogFormat;
}

/**
 * Settings for what other commands check more strictly than the language (docs/language/configuration.md#as-a-component): here unknown keys
 * are ignored, and completeness is not judged.
 */
const AS_THE_LANGUAGE = {
  lenient: true,
  tableNaming: 'dataType',
  completeness: 'off',
  renewEarly: false,
  plainRetries: true,
  env: false,
} as const;

/** The layout of files for storage (docs/language/tables.md#files-and-buckets). */
const LAYOUT = { suffix: '', bucketPrefix: 'always', manifests: true } as const;

/**
 * `headwater component`: reads `config.json` and `in/state.json` of the data folder and writes `out/tables/` and `out/state.json`
 * (docs/language/configuration.md#as-a-component). Nothing is written unless every job has succeeded, except the kept credentials, which
 * are in `out/state.json` at once. Resolves to the exit status.
 */
export async function componentCommand(flags: ComponentFlags): Promise<number> {
  const folder = (flags.dataDir ?? process.env['KBC_DATADIR'] ?? '/data').replace(/(?<=.)\/+$/, '');
  const logger = createLogger({ level: flags.logLevel ?? 'info', format: flags.logFormat });
  const { signal, forget } = abortOnInterruption();
  try {
    const config = await readConfiguration(join(folder, 'config.json'));
    refuseParts(config);
    if (flags.logLevel === undefined && asksForDebug(config)) logger.level = 'debug';
    const state = await readState(join(folder, 'in', 'state.json'), logger);
    const destination = sinks.csv(join(folder, 'out', 'tables'), {
      layout: LAYOUT,
      keepsNothing: true,
      spoolFolder: folder,
    });
    const saveState = (next: JsonObject): Promise<void> => saveHostState(join(folder, 'out', 'state.json'), next);
    const key = encryptionKey();
    const encryption = key === undefined ? {} : { encryptionKey: key };
    const options = {
      cacheFolder: join(folder, 'cache'),
      ...encryption,
      ...AS_THE_LANGUAGE,
      logger,
      signal,
      state,
      onCredentials: saveState,
      ownConnections: true,
      proxies: process.env,
    };
    const { state: next } = await deliver(config, [destination], options);
    await saveState(next);
    logger.info(FINISHED);
    return EXIT.success;
  } catch (failure) {
    const error: unknown = signal.aborted ? signal.reason : failure;
    logFailure(logger, error);
    return statusOf(error);
  } finally {
    forget();
  }
}

async function readConfiguration(path: string): Promise<Json> {
  const content = await readFile(path, 'utf8').catch(() => {
    throw new ApplicationError(`Configuration file '${path}' not found.`);
  });
  try {
    return parseJson(content);
  } catch {
    throw new ApplicationError(`Configuration file is not a valid JSON: ${path}`);
  }
}

/**
 * Refuses configurations with parts in other files: the author of `config.json` may not read the files of the host, nor run programs there.
 * If the key was ignored as others are, half of a configuration would run without a warning.
 *
 * @throws ConfigurationError
 */
function refuseParts(config: Json): void {
  const written = (value: unknown): boolean =>
    isNamed(value, 'extends') && [value.extends].flat().some((file) => typeof file === 'string');
  const path = written(config) ? 'extends' : isNamed(config, 'parameters') && written(config.parameters) ? INSIDE : '';
  if (path !== '')
    throw new ConfigurationError([
      { path, message: 'the component follows no other files: write all into config.json' },
    ]);
}

const INSIDE = 'parameters.extends';

const isNamed = <K extends string>(value: unknown, key: K): value is Readonly<Record<K, unknown>> =>
  typeof value === 'object' && value !== null && Object.hasOwn(value, key);

/** Returns the state; a missing or unreadable one counts as none (docs/language/configuration.md#as-a-component). */
async function readState(path: string, log: Log): Promise<JsonObject> {
  try {
    const state = parseJson(await readFile(path, 'utf8'));
    if (typeof state === 'object' && state !== null && !Array.isArray(state)) return state as JsonObject;
    throw new TypeError('it is no JSON object');
  } catch (error) {
    const reason = (error as NodeJS.ErrnoException).code === 'ENOENT' ? 'there is none' : 'it cannot be read';
    log.log('warn', `No state of an earlier run is used: ${path}: ${reason}.`);
    return {};
  }
}
