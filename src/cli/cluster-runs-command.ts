import { FatalError, createLogger } from '..';
import { grouped } from '../core/text';
import { cluster } from '../temporal';
import type { Cluster, ClusterRun } from '../temporal';
import { placeIn } from './cluster-place';
import type { PlaceFlags } from './cluster-place';
import { EXIT, statusOf, logFailure } from './exit-status';

export interface RunsFlags extends PlaceFlags {
  readonly format: 'text' | 'json';
}

/** `headwater status RUN`: prints what a run of a cluster does. */
export function statusCommand(runId: string, flags: RunsFlags): Promise<number> {
  return withCluster(flags, async (runs) => {
    const run = await runs.status(runId);
    print(flags, run, () => {
      const { progress } = run;
      const lines = [`${run.status}  ${run.runId}`, `${run.configuration} → ${run.destination}`, times(run)];
      if (progress !== undefined) {
        const { state, pages, items, requests, retries, done, running, waiting } = progress;
        lines.push(
          `${state}: ${grouped(pages)} pages, ${grouped(items)} items, ${grouped(requests)} requests, ${grouped(retries)} retries`,
          `parts: ${grouped(done)} done, ${grouped(running)} running, ${grouped(waiting)} waiting`,
        );
      }
      return lines;
    });
  });
}

export interface TuneFlags extends PlaceFlags {
  readonly parts?: number;
  readonly job?: string;
  readonly concurrency?: number;
}

/** `headwater tune RUN`: changes how much of a run is made at once. */
export function tuneCommand(runId: string, flags: TuneFlags): Promise<number> {
  return withCluster(flags, async (runs) => {
    const { parts, job, concurrency } = flags;
    if ((job === undefined) !== (concurrency === undefined) || (parts ?? job) === undefined)
      throw new FatalError('CONFIG_INVALID', 'tune: give --parts, or --job with --concurrency.');
    await runs.tune(runId, {
      ...(parts === undefined ? {} : { parts }),
      ...(job === undefined || concurrency === undefined ? {} : { calls: { job, concurrency } }),
    });
    process.stdout.write('Changed, for parts that begin from now on.\n');
  });
}

/** `headwater cancel RUN`: ends a run, of which nothing is stored, or a schedule. */
export function cancelCommand(runId: string, flags: PlaceFlags): Promise<number> {
  return withCluster(flags, async (runs) => {
    await runs.cancel(runId);
    process.stdout.write('Cancelled: nothing more of it is stored.\n');
  });
}

/** `headwater list --temporal ADDRESS`: prints the runs of a cluster. */
export function listRunsCommand(flags: RunsFlags): Promise<number> {
  return withCluster(flags, async (runs) => {
    const all = await runs.list();
    print(flags, all, () =>
      all.length === 0
        ? ['There are no runs.']
        : all.map(
            (run) => `${run.status.padEnd(9)}  ${times(run)}  ${run.runId}  ${run.configuration} → ${run.destination}`,
          ),
    );
  });
}

const times = ({ startedAt, endedAt }: ClusterRun): string =>
  `${startedAt.toISOString()} to ${endedAt === undefined ? '…' : endedAt.toISOString()}`;

function print({ format }: Pick<RunsFlags, 'format'>, value: unknown, lines: () => readonly string[]): void {
  process.stdout.write(format === 'json' ? `${JSON.stringify(value)}\n` : `${lines().join('\n')}\n`);
}

async function withCluster(flags: PlaceFlags, work: (runs: Cluster) => Promise<void>): Promise<number> {
  const logger = createLogger({ level: 'info', format: 'text' });
  try {
    const runs = await cluster(placeIn(flags));
    try {
      await work(runs);
      return EXIT.success;
    } finally {
      await runs.close();
    }
  } catch (error) {
    logFailure(logger, error);
    return statusOf(error);
  }
}
