import { createLogger } from '../..';

import { progressMode } from '../progress/mode';
import { showProgress } from '../progress/view';
import type { ProgressView } from '../progress/view';
import type { RunFlags } from './flags';

/** What a person sees of a run on standard error: the log, and how far the run is. */
export interface RunConsole {
  readonly logger: ReturnType<typeof createLogger>;
  readonly progress: ProgressView;
  /** This is true where a person reads the log at a terminal, as text, while it is written. */
  readonly isLogRead: boolean;
  /** What tells the configuration from others that run; absent: it is the only one. */
  readonly name?: string;
}

/**
 * Opens the log and the view of the progress that were asked for.
 *
 * @param name what tells the configuration from others that run; absent: it is the only one
 */
export async function openConsole(
  { logLevel = 'info', logFormat, progress }: Pick<RunFlags, 'logLevel' | 'logFormat' | 'progress'>,
  name?: string,
): Promise<RunConsole> {
  const isTerminal = process.stderr.isTTY;
  const mode = progressMode(progress, { logFormat, isTerminal, env: process.env });
  const screen =
    mode === 'terminal' ? await (await import('../progress/screen.js')).openScreen(process.stderr, name) : undefined;
  const logger = createLogger({
    ...{ level: logLevel, format: logFormat },
    ...(screen === undefined ? {} : { stream: screen.log }),
    ...(name === undefined ? {} : { configuration: name }),
  });
  const called = name === undefined ? {} : { name };
  return {
    logger,
    progress: showProgress(mode, logger, screen),
    isLogRead: isTerminal && logFormat === 'text',
    ...called,
  };
}
