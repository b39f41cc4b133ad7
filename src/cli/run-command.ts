import { createLogger, csvFolder, extract, FatalError, load, ndjson, nextState } from '../index';
import type { ExtractOptions, Json, JsonObject, LogFormat, LogLevel, Sink } from '../index';
import { asksForDebug } from './debug';
import { describe, EXIT, FINISHED, statusOf } from './exit-status';
import { abortOnInterruption } from './interruption';
import { readConfig } from './read-config';
import { PRIVATE, readStateFile, saveStateFile } from './state-file';

export interface RunFlags {
  readonly tag: boolean;
  readonly concurrency?: number;
  readonly prefetch?: number;
  readonly to?: string;
  readonly state?: string;
  readonly cacheDir: string;
  readonly logLevel?: LogLevel;
  readonly logFormat: LogFormat;
}

/** `headwater run CONFIG`: items on standard output or to a destination, the log on standard error. Resolves to the exit status. */
export async function runCommand(path: string, flags: RunFlags): Promise<number> {
  const logger = createLogger({ level: flags.logLevel ?? 'info', format: flags.logFormat });
  const { signal, forget } = abortOnInterruption();
  try {
    const config = await readConfig(path, signal);
    if (flags.logLevel === undefined && asksForDebug(config)) logger.level = 'debug';
    const { concurrency, prefetch, cacheDir: cacheFolder } = flags;
    const flow = {
      ...(concurrency === undefined ? {} : { concurrency }),
      ...(prefetch === undefined ? {} : { prefetch }),
    };
    const options = { ...flow, cacheFolder, logger, signal, ownConnections: true };
    if (flags.state === undefined)
      await send(config, flags, { ...options, onCredentials: () => void logger.warn(LOST) });
    else await runWithState(config, flags, options, flags.state);
    logger.info(FINISHED);
    return EXIT.success;
  } catch (failure) {
    // An interruption makes other things fail, such as the write that was under way.
    const error: unknown = signal.aborted ? signal.reason : failure;
    const status = statusOf(error);
    logger.log(status === EXIT.brokenPipe ? 'info' : 'error', describe(error));
    return status;
  } finally {
    forget();
  }
}

/** What logins give to be kept is written at once, all else after success. */
async function runWithState(config: Json, flags: RunFlags, options: ExtractOptions, path: string): Promise<void> {
  const state = await readStateFile(path);
  const save = (next: JsonObject): Promise<void> => saveStateFile(path, next, PRIVATE);
  await save(await send(config, flags, { ...options, state, onCredentials: save }));
}

/** Resolves to the state for the next run. */
async function send(config: Json, { tag, to }: RunFlags, options: ExtractOptions): Promise<JsonObject> {
  if (to === undefined || to === 'ndjson:-') {
    const sink = ndjson(process.stdout, { tag });
    return loadItems(config, sink, options);
  }
  const [, folder] = /^csv:(.+)$/s.exec(to) ?? [];
  if (folder === undefined) throw unknownDestination(to);
  const sink = csvFolder(folder, { suffix: '.csv', bucketPrefix: 'if-several', manifests: false });
  // Rows wait where they will stay: finished files need not be copied.
  await sink.prepare();
  return load(config, sink, { ...options, spoolFolder: folder });
}

async function loadItems(config: Json, sink: Sink, options: ExtractOptions): Promise<JsonObject> {
  let { state = {} } = options;
  let startedAt = 0;
  const extraction = extract(config, {
    ...options,
    onCredentials: (next) => {
      state = next;
      return options.onCredentials?.(next);
    },
    onEvent: (event) => {
      if (event.type === 'run.started') startedAt = event.startedAt;
    },
  });
  for await (const page of extraction.pages()) await sink.write(page);
  await sink.close();
  return nextState(state, startedAt);
}

const LOST =
  'A login gave values for the next run (api.authentication.persist), which are lost: name a file for them with --state.';

const unknownDestination = (to: string): FatalError =>
  new FatalError('CONFIG_INVALID', `--to: expected ndjson:- or csv:FOLDER, found ${JSON.stringify(to)}`);
