import { basename } from 'node:path';
import { groupBy, lastValueFrom, mergeMap, tap, throttleTime } from 'rxjs';
import { FatalError, createLogger, readConfiguration } from '..';
import type { Json, Log, LogFormat, LogLevel, ReadConfiguration } from '..';
import { counted, grouped } from '../core/text';
import { cluster } from '../temporal';
import type { ClusterProgress, RunSchedule } from '../temporal';
import { placeIn } from './cluster-place';
import type { PlaceFlags } from './cluster-place';
import { loadComponents } from './components';
import { environmentOf } from './configurations';
import { abortOnInterruption, EXIT, FINISHED, statusOf, logFailure } from './exit-status';

export interface SubmitFlags extends PlaceFlags {
  readonly to: string;
  readonly runId?: string;
  readonly wait: boolean;
  readonly every?: string;
  readonly cron?: string;
  readonly parts?: number;
  readonly heartbeat?: number;
  readonly priority?: number;
  readonly acceptIncomplete: boolean;
  readonly allowEmpty: boolean;
  readonly takeOver: boolean;
  readonly withRunColumns?: boolean;
  readonly lenient: boolean;
  readonly strict: boolean;
  readonly components?: readonly string[];
  readonly envFile?: readonly string[];
  readonly logLevel?: LogLevel;
  readonly logFormat: LogFormat;
}

/** `headwater submit CONFIG`: has a cluster run a configuration, now or at times. Resolves to the exit status. */
export async function submitCommand(path: string, flags: SubmitFlags): Promise<number> {
  const logger = createLogger({ level: flags.logLevel ?? 'info', format: flags.logFormat });
  const { signal, forget } = abortOnInterruption();
  let read: ReadConfiguration | undefined;
  try {
    const { env } = environmentOf(flags);
    const components = await loadComponents(flags.components);
    read = await readConfiguration(path, { signal });
    const runs = await cluster(placeIn(flags));
    try {
      const schedule = scheduleIn(flags);
      const { to, runId, parts, heartbeat, priority, lenient, strict, acceptIncomplete, allowEmpty, takeOver } = flags;
      const id = await runs.submit(
        read.configuration as Json,
        {
          ...{ to, components, lenient, strict, acceptIncomplete, allowEmpty, takeOver, secretFiles: true },
          ...(env === undefined ? {} : { env }),
          ...(runId === undefined ? {} : { runId }),
          ...(parts === undefined ? {} : { parts }),
          ...(priority === undefined ? {} : { priority }),
          ...(heartbeat === undefined ? {} : { heartbeatSeconds: heartbeat }),
          ...(flags.withRunColumns === true ? { runColumns: true } : {}),
          configurationName: path === '-' ? 'configuration' : basename(path),
        },
        schedule,
      );
      // For scripts, which take it as the argument of the other subcommands.
      process.stdout.write(`${id}\n`);
      if (!flags.wait || schedule !== undefined) return EXIT.success;
      const every = throttleTime<ClusterProgress>(SHOWN_EVERY_MS);
      await lastValueFrom(
        runs.follow$(id).pipe(
          groupBy(({ type }) => type),
          mergeMap((values$) => (values$.key === 'delivering' ? values$.pipe(every) : values$)),
          tap((value) => showProgress(value, logger)),
        ),
      );
      return EXIT.success;
    } finally {
      await runs.close();
    }
  } catch (failure) {
    const error: unknown = signal.aborted ? signal.reason : (read?.located(failure) ?? failure);
    logFailure(logger, error);
    return statusOf(error);
  } finally {
    forget();
  }
}

/** @throws FatalError CONFIG_INVALID for a time that cannot be read */
function scheduleIn({ every, cron }: SubmitFlags): RunSchedule | undefined {
  if (cron !== undefined) return { cron };
  if (every === undefined) return undefined;
  const [, number, unit = 's'] = /^(\d+)([smhd])?$/.exec(every) ?? [];
  const everySeconds = Number(number) * (SECONDS[unit] ?? NaN);
  if (everySeconds >= 1) return { everySeconds };
  throw new FatalError(
    'CONFIG_INVALID',
    `--every: expected a time such as 30s, 15m, 6h or 1d, found ${JSON.stringify(every)}.`,
  );
}

const SHOWN_EVERY_MS = 10_000;
const SECONDS: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600, d: 86_400 };

/** Writes progress to the log, and the result as `run` does. */
function showProgress(value: ClusterProgress, logger: Log): void {
  if (value.type === 'delivering') {
    const { state, pages, items, requests, done, running, waiting } = value.progress;
    const parts = `${grouped(done)} parts done, ${running} running, ${grouped(waiting)} waiting`;
    logger.log(
      'info',
      `${state}: ${counted(pages, 'page')}, ${counted(items, 'item')}, ${counted(requests, 'request')}; ${parts}`,
    );
    return;
  }
  if (value.type === 'warning') {
    logger.log('warn', value.message);
    return;
  }
  const { result } = value;
  for (const warning of result.warnings) logger.log('warn', warning);
  for (const { sink, tables } of result.stored)
    for (const { name, rows, total } of tables)
      logger.log(
        'info',
        `${sink} ${name}: ${counted(rows ?? 0, 'row')} of this run${total === undefined ? '' : `, ${grouped(total)} in all`}`,
      );
  const word = result.alreadyCommitted ? 'The run was stored before: nothing was requested.' : FINISHED;
  logger.log('info', result.outcome === 'complete' ? word : `${word} The run is ${result.outcome}.`);
}
