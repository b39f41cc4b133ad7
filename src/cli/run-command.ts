import { describe, statusOf } from './exit-status';
import { abortOnInterruption } from './exit-status';
import { openConsole } from './run/console';
import type { RunFlags } from './run/flags';
import { flagsFor } from './run/run-several';
import { runConfiguration } from './run/run-configuration';
import { runSeveral } from './run/run-several';

/**
 * `headwater run CONFIG…`: items on standard output or to destinations, the log on standard error. Resolves to the exit status, of
 * several configurations to the worst.
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

/** What is asked for wrongly is told as faults of the run are. */
async function attempted<T>(make: () => T, flags: RunFlags): Promise<T | number> {
  try {
    return make();
  } catch (error) {
    const { logger } = await openConsole({ ...flags, progress: 'none' });
    logger.error(describe(error));
    return statusOf(error);
  }
}
