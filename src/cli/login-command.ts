import { createLogger, logIn, readConfiguration, validate } from '..';
import type { Json, LogFormat, LogLevel, ReadConfiguration } from '..';
import { loadComponents } from './components';
import { sealOfEnvironment, readStateFile, saveStateFile } from './state-file';
import { environmentOf } from './configurations';
import { EXIT, statusOf, abortOnInterruption, logFailure } from './exit-status';
import { refuseOverwriting, filesRead } from './files';

export interface LoginFlags {
  readonly state: string;
  readonly port: number;
  readonly timeout: number;
  readonly lenient: boolean;
  readonly components?: readonly string[];
  readonly envFile?: readonly string[];
  readonly logLevel?: LogLevel;
  readonly logFormat: LogFormat;
}

/**
 * `headwater login CONFIG`: prints on standard error what the user has to do, and keeps the values of the login. Resolves to the exit
 * status.
 */
export async function loginCommand(path: string, flags: LoginFlags): Promise<number> {
  const { lenient, port, timeout: timeoutSeconds, state: file } = flags;
  const logger = createLogger({ level: flags.logLevel ?? 'info', format: flags.logFormat });
  const { signal, forget } = abortOnInterruption();
  let read: ReadConfiguration | undefined;
  try {
    const components = await loadComponents(flags.components);
    read = await readConfiguration(path, { signal });
    const reading = { lenient, components, ...environmentOf(flags) };
    const written = [{ what: '--state', path: file }];
    refuseOverwriting(written, filesRead(flags, read, validate(read.configuration, reading)));
    const seal = sealOfEnvironment();
    const state = await readStateFile(file, seal);
    const print = (text: string): void => void process.stderr.write(`${text}\n`);
    const onCredentials = (next: typeof state): Promise<void> => saveStateFile(file, next, seal);
    const surroundings = { ...reading, logger, signal, ownConnections: true };
    await logIn(read.configuration as Json, { ...surroundings, print, onCredentials, state, port, timeoutSeconds });
    print(`The login is kept. Run the configuration with --state ${file}`);
    return EXIT.success;
  } catch (failure) {
    const error: unknown = signal.aborted ? signal.reason : (read?.located(failure) ?? failure);
    logFailure(logger, error);
    return statusOf(error);
  } finally {
    forget();
  }
}
