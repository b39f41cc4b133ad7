import type { LogFormat, LogLevel } from '../..';
import type { AskedProgress } from '../progress/mode';

/** What `headwater run` was asked for. */
export interface RunFlags {
  readonly tag: boolean;
  readonly tagExtra: boolean;
  readonly nested?: 'tables' | 'json' | 'struct';
  readonly resume: boolean;
  readonly runId?: string;
  readonly withRunColumns?: boolean;
  readonly acceptIncomplete: boolean;
  readonly allowEmpty: boolean;
  readonly lenient: boolean;
  readonly strict: boolean;
  readonly concurrency?: number;
  readonly prefetch?: number;
  readonly to?: readonly string[];
  readonly state?: string;
  readonly components?: readonly string[];
  readonly envFile?: readonly string[];
  readonly cacheDir: string;
  readonly record?: string;
  readonly replay?: string;
  readonly logLevel?: LogLevel;
  readonly logFormat: LogFormat;
  readonly progress: AskedProgress;
}
