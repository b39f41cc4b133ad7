import { abortOnInterruption } from './interruption';
import { openConsole } from './run/console';
import type { RunFlags } from './run/flags';
import { runConfiguration } from './run/run-configuration';

/** `headwater run CONFIG`: items on standard output or to a destination, the log on standard error. Resolves to the exit status. */
export async function runCommand(path: string, flags: RunFlags): Promise<number> {
  const shown = await openConsole(flags);
  const { signal, forget } = abortOnInterruption();
  try {
    return await runConfiguration(path, flags, shown, signal);
  } finally {
    forget();
  }
}
