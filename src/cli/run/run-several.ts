import { checkSharedTables, FatalError, placeOf } from '../..';
import type { LogLevel } from '../..';
import { sharedBy } from '../each-configuration';
import { describe, EXIT, statusOf } from '../exit-status';
import { refuseOverwriting } from '../own-files';
import { refuseSameFiles } from '../same-files';
import { openConsole } from './console';
import type { RunFlags } from './flags';
import { runConfiguration } from './run-configuration';
import type { RunEnd } from './run-configuration';
import { readTarget } from './target';
import type { RunTarget } from './target';
import { createTableBook } from './table-book';

/**
 * Runs several configurations, one after the other, once all of them are found to be valid. One that fails does not keep the others
 * from running. Resolves to the worst exit status.
 */
export async function runSeveral(paths: readonly string[], flags: RunFlags, signal: AbortSignal): Promise<number> {
  const { logger } = await openConsole({ ...flags, progress: 'none' });
  const targets: RunTarget[] = [];
  const faults: unknown[] = [];
  const attempt = async (check: () => unknown): Promise<void> => {
    try {
      await check();
    } catch (error) {
      faults.push(signal.aborted ? signal.reason : error);
    }
  };
  await attempt(() => refuseSameFiles(paths));
  for (const path of faults.length > 0 ? [] : paths)
    if (!signal.aborted) await attempt(async () => targets.push(await readTarget(path, flags, signal)));
  if (faults.length === 0) await attempt(() => refuseShared(targets));
  if (faults.length > 0) {
    for (const error of faults) logger.error(describe(error));
    return Math.max(...faults.map(statusOf));
  }
  const tables = createTableBook();
  const secrets = [...new Set(targets.flatMap((target) => target.secrets))];
  const ends: { readonly path: string; readonly end: RunEnd | undefined }[] = [];
  for (const [at, target] of targets.entries()) {
    const { path } = target;
    if (signal.aborted) {
      ends.push({ path, end: undefined });
      continue;
    }
    const shown = await openConsole(target.flags, path);
    const later = targets.slice(at + 1).find((other) => sharedPlace(target, other) !== undefined);
    const dropped = later === undefined ? {} : { afterFailure: droppedBy(later.path) };
    const end = await runConfiguration(path, target.flags, shown, signal, { read: target.read, secrets, ...dropped });
    const mixed = tables.add(target, end.stored);
    if (mixed !== undefined) shown.logger.error(mixed);
    ends.push({ path, end: mixed === undefined ? end : { ...end, status: EXIT.userError, text: mixed } });
  }
  const worst = Math.max(...ends.map(({ end }) => end?.status ?? EXIT.success));
  const level: LogLevel = worst === EXIT.success || worst === EXIT.brokenPipe ? 'info' : 'error';
  logger.log(level, endingOf(ends), {
    event: 'configurations.finished',
    configurations: ends.map(({ path, end }) => ({
      configuration: path,
      ...(end === undefined ? {} : { status: end.status }),
    })),
  });
  return worst;
}

/** How all of them ended, a line each. */
function endingOf(ends: readonly { readonly path: string; readonly end: RunEnd | undefined }[]): string {
  const failed = ends.filter(({ end }) => end !== undefined && end.status !== EXIT.success).length;
  const idle = ends.filter(({ end }) => end === undefined).length;
  const start =
    failed === 0
      ? `All ${ends.length} configurations have run:`
      : `${failed} of ${ends.length} configurations failed${idle === 0 ? '' : `, ${idle} did not begin`}:`;
  const lines = ends.map(({ path, end }) => {
    if (end === undefined) return `  ${path}: did not begin.`;
    return `  ${path}: ${end.status === EXIT.success ? '' : `failed (status ${end.status}): `}${end.text.split('\n')[0] ?? ''}`;
  });
  return [start, ...lines].join('\n');
}

/** What configurations cannot share. */
function refuseShared(targets: readonly RunTarget[]): void {
  checkSharedTables(targets);
  const read = targets.flatMap((target) => target.filesRead);
  for (const target of targets) refuseOverwriting(target.filesWritten, read);
  for (const [at, target] of targets.entries())
    for (const other of targets.slice(0, at)) {
      for (const [flag, of] of OWN)
        if (of(target.flags) !== undefined && of(target.flags) === of(other.flags))
          throw sharedBy(flag, other.path, target.path, flag === '--run-id' ? "'night-{config}'" : "'{config}.json'");
      const place = target.flags.resume || target.flags.runId !== undefined ? sharedPlace(target, other) : undefined;
      if (place !== undefined)
        throw new FatalError(
          'CONFIG_INVALID',
          `${target.flags.resume ? '--resume' : '--run-id'}: ${other.path} and ${target.path} write into ${place}, which keeps one interrupted run at a time. Run each in a call of its own, or give each a destination of its own.`,
        );
    }
}

const placeIn = (file: string | undefined): string | undefined =>
  file === undefined ? undefined : placeOf(`file:${file}`);

/** What each configuration has for itself. */
const OWN: readonly (readonly [string, (flags: RunFlags) => string | undefined])[] = [
  ['--state', ({ state }) => placeIn(state)],
  ['--record', ({ record }) => placeIn(record)],
  ['--run-id', ({ runId }) => runId],
];

/** A destination that both write into. */
function sharedPlace(one: RunTarget, other: RunTarget): string | undefined {
  const places = new Set(other.sinks.flatMap(({ name, place = name }) => placeOf(place) ?? []));
  return one.sinks.find(({ name, place = name }) => places.has(placeOf(place) ?? ''))?.name;
}

const droppedBy = (path: string): string =>
  `What has arrived is dropped, since ${path} writes into the same destination, which keeps one interrupted run at a time.`;
