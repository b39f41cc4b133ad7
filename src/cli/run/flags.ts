import type { LogFormat, LogLevel } from '../..';

/** The flags of `headwater run`. */
export interface RunFlags {
  readonly tag: boolean;
  readonly tagExtra: boolean;
  readonly nested?: 'tables' | 'json' | 'struct';
  readonly resume: boolean;
  readonly runId?: string;
  readonly withRunColumns?: boolean;
  readonly acceptIncomplete: boolean;
  readonly allowEmpty: boolean;
  readonly takeOver: boolean;
  readonly lenient: boolean;
  readonly strict: boolean;
  readonly concurrency?: number;
  readonly prefetch?: number;
  readonly to?: readonly string[];
  readonly state?: string;
  readonly stateFormat?: StateFormat;
  /** With `airbyte:`: the file with the configuration of the source, and its streams. */
  readonly config?: string;
  readonly stream?: readonly string[];
  readonly components?: readonly string[];
  readonly envFile?: readonly string[];
  readonly cacheDir: string;
  readonly record?: string;
  readonly replay?: string;
  readonly logLevel?: LogLevel;
  readonly logFormat: LogFormat;
  readonly progress: AskedProgress;
}

/** The formats of state files. */
export const STATE_FORMATS = ['headwater', 'airbyte'] as const;
export type StateFormat = (typeof STATE_FORMATS)[number];

/** The ways to show progress. */
export const PROGRESS_MODES = ['auto', 'terminal', 'plain', 'json', 'none'] as const;
export type AskedProgress = (typeof PROGRESS_MODES)[number];
export type ProgressMode = Exclude<AskedProgress, 'auto'>;

export interface ProgressSurroundings {
  readonly logFormat: LogFormat;
  /** True if standard error is a terminal. */
  readonly isTerminal: boolean;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/**
 * Chooses how progress is shown. Redrawing lines needs a terminal that can do so; a log in JSON stays JSON.
 *
 * @example progressMode('auto', { logFormat: 'text', isTerminal: true, env: {} }) // 'terminal'
 */
export function progressMode(asked: AskedProgress, { logFormat, isTerminal, env }: ProgressSurroundings): ProgressMode {
  if (asked === 'none') return 'none';
  if (logFormat === 'json') return 'json';
  if (asked !== 'auto') return asked;
  const isDrawn = isTerminal && env['TERM'] !== 'dumb' && !isSet(env['CI']);
  return isDrawn ? 'terminal' : 'plain';
}

/**
 * Returns whether a variable such as NO_COLOR or CI is set: any text counts, except an empty one and `CI=false`, which some systems write.
 */
const isSet = (variable: string | undefined): boolean =>
  variable !== undefined && variable !== '' && variable !== 'false';
