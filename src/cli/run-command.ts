import { createLogger, extract, ndjson } from '../index';
import type { Json, LogFormat, LogLevel } from '../index';
import { describe, EXIT, Interruption, statusOf } from './exit-status';
import { readConfig } from './read-config';

export interface RunFlags {
  readonly tag: boolean;
  readonly concurrency: number;
  readonly logLevel?: LogLevel;
  readonly logFormat: LogFormat;
}

/** `headwater run CONFIG`: items as NDJSON on standard output, the log on standard error. Resolves to the exit status. */
export async function runCommand(path: string, flags: RunFlags): Promise<number> {
  const logger = createLogger({ level: flags.logLevel ?? 'info', format: flags.logFormat });
  const abort = new AbortController();
  const forget = abortOnInterruption(abort);
  try {
    const config = await readConfig(path);
    if (flags.logLevel === undefined && asksForDebug(config)) logger.level = 'debug';
    const extraction = extract(config, {
      concurrency: flags.concurrency,
      logger,
      signal: abort.signal,
      ownConnections: true,
    });
    const sink = ndjson(process.stdout, { tag: flags.tag });
    for await (const page of extraction.pages()) await sink.write(page);
    await sink.close();
    return EXIT.success;
  } catch (failure) {
    // An interruption makes other things fail, such as the write that was under way.
    const error: unknown = abort.signal.aborted ? abort.signal.reason : failure;
    const status = statusOf(error);
    logger.log(status === EXIT.brokenPipe ? 'info' : 'error', describe(error));
    return status;
  } finally {
    forget();
  }
}

/** `debug: true` of the configuration means level debug, unless a level was asked for. */
function asksForDebug(config: Json): boolean {
  const root = config as { parameters?: { config?: { debug?: unknown } }; config?: { debug?: unknown } } | null;
  const debug = root?.parameters?.config?.debug ?? root?.config?.debug;
  return debug !== undefined && debug !== null && ![false, 0, '', '0'].includes(debug as never);
}

/** Ctrl-C, a request to end, or a reader that goes away end the run in order; a second signal ends it at once. */
function abortOnInterruption(abort: AbortController): () => void {
  const end = (reason: Interruption): void => {
    if (abort.signal.aborted) process.exit(reason.status);
    abort.abort(reason);
  };
  const interrupted = (): void => end(new Interruption('Interrupted.', EXIT.interrupted));
  const terminated = (): void => end(new Interruption('Terminated.', EXIT.terminated));
  const broken = (): void => end(new Interruption('The reader of the output went away.', EXIT.brokenPipe));
  process.on('SIGINT', interrupted).on('SIGTERM', terminated);
  process.stdout.on('error', broken);
  return () => {
    process.off('SIGINT', interrupted).off('SIGTERM', terminated);
    process.stdout.off('error', broken);
  };
}
