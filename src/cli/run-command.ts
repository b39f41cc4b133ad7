import { statusOf, abortOnInterruption, logFailure } from './exit-status';
import { openConsole } from './run/console';
import type { RunFlags } from './run/flags';
import { flagsFor, runSeveral } from './run/run-several';
import { runConfiguration } from './run/run-configuration';

/**
 * `headwater run CONFIG…`: writes items to standard output or to destinations, and the log to standard error. Resolves to the exit status,
 * the worst one of several configurations.
 */
export async function runCommand(paths: readonly string[], flags: RunFlags): Promise<number> {
  const { signal, forget } = abortOnInterruption();
  try {
    const [path = '-', ...others] = paths;
    if (others.length > 0) return await runSeveral(paths, flags, signal);
    const own = await attempted(() => flagsFor(path, flags), flags);
    if (typeof own === 'number') return own;
    return (await runConfiguration(path, own, await openConsole(own), signal)).status;
  } finally {
    forget();
  }
}

/** Reports a wrong option like a fault of the run. */
async function attempted<T>(make: () => T, flags: RunFlags): Promise<T | number> {
  try {
    return make();
  } catch (error) {
    const { logger } = await openConsole({ ...flags, progress: 'none' });
    logFailure(logger, error);
    return statusOf(error);
  }
}
