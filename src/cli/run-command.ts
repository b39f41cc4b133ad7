import { createLogger, csvFolder, extract, FatalError, load, ndjson } from '../index';
import type { ExtractOptions, Json, LogFormat, LogLevel } from '../index';
import { asksForDebug } from './debug';
import { describe, EXIT, statusOf } from './exit-status';
import { abortOnInterruption } from './interruption';
import { readConfig } from './read-config';

export interface RunFlags {
  readonly tag: boolean;
  readonly concurrency: number;
  readonly to?: string;
  readonly logLevel?: LogLevel;
  readonly logFormat: LogFormat;
}

/** `headwater run CONFIG`: items on standard output or to a destination, the log on standard error. Resolves to the exit status. */
export async function runCommand(path: string, flags: RunFlags): Promise<number> {
  const logger = createLogger({ level: flags.logLevel ?? 'info', format: flags.logFormat });
  const { signal, forget } = abortOnInterruption();
  try {
    const config = await readConfig(path);
    if (flags.logLevel === undefined && asksForDebug(config)) logger.level = 'debug';
    await send(config, flags, { concurrency: flags.concurrency, logger, signal, ownConnections: true });
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

async function send(config: Json, { tag, to }: RunFlags, options: ExtractOptions): Promise<void> {
  if (to === undefined || to === 'ndjson:-') {
    const sink = ndjson(process.stdout, { tag });
    for await (const page of extract(config, options).pages()) await sink.write(page);
    return sink.close();
  }
  const [, folder] = /^csv:(.+)$/s.exec(to) ?? [];
  if (folder === undefined) throw unknownDestination(to);
  await load(config, csvFolder(folder, { suffix: '.csv', bucketPrefix: 'if-several', manifests: false }), options);
}

const unknownDestination = (to: string): FatalError =>
  new FatalError('CONFIG_INVALID', `--to: expected ndjson:- or csv:FOLDER, found ${JSON.stringify(to)}`);
