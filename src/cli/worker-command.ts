import { FatalError, createLogger } from '..';
import type { LogFormat, LogLevel } from '..';
import { runWorker } from '../temporal';
import { placeIn } from './cluster-place';
import type { PlaceFlags } from './cluster-place';
import { loadComponents } from './components';
import { abortOnInterruption, EXIT, statusOf, logFailure } from './exit-status';

export interface WorkerFlags extends PlaceFlags {
  readonly slots: number;
  readonly deploymentName?: string;
  readonly buildId?: string;
  readonly components?: readonly string[];
  readonly logLevel?: LogLevel;
  readonly logFormat: LogFormat;
}

/** `headwater worker`: makes parts of runs until it is interrupted. Resolves to the exit status. */
export async function workerCommand(flags: WorkerFlags): Promise<number> {
  const { slots, temporal, taskQueue, deploymentName, buildId } = flags;
  const logger = createLogger({ level: flags.logLevel ?? 'info', format: flags.logFormat });
  const { signal, forget } = abortOnInterruption();
  try {
    if ((deploymentName === undefined) !== (buildId === undefined))
      throw new FatalError('CONFIG_INVALID', HALF_A_VERSION);
    const deployment =
      deploymentName === undefined || buildId === undefined ? {} : { deployment: { deploymentName, buildId } };
    const components = await loadComponents(flags.components);
    const onReady = (): void => {
      logger.info(`This worker makes up to ${slots} parts at once, of the queue ${taskQueue} at ${temporal}.`);
    };
    const onWarning = (message: string): void => void logger.warn(message);
    await runWorker({ ...placeIn(flags), ...deployment, slots, components, signal, onReady, onWarning });
    logger.info('The worker has ended; other workers go on with its parts.');
    return EXIT.success;
  } catch (error) {
    logFailure(logger, error);
    return statusOf(error);
  } finally {
    forget();
  }
}

const HALF_A_VERSION = 'A version of a worker is a --deployment-name and a --build-id: give both, or neither.';
