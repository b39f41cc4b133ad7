import {
  ConfigurationError,
  FatalError,
  checkDestinations,
  checkSharedTables,
  destinationOf,
  placeOf,
  secretsOf,
  validate,
} from '../..';
import type { ConfigurationTables, Delivery, Json, LogLevel, ReadConfiguration } from '../..';
import { loadComponents } from '../components';
import { environmentOf, nameIn, refuseSameFiles, sharedBy, withConfiguration } from '../configurations';
import { EXIT, statusOf, logFailure } from '../exit-status';
import { destinationsIn, filesRead, filesWritten, refuseOverwriting } from '../files';
import type { NamedFile } from '../files';
import { missingIn } from '../recording-file';
import { openConsole } from './console';
import type { RunFlags } from './flags';
import { runConfiguration } from './run-configuration';
import type { RunEnd } from './run-configuration';

/**
 * Runs several configurations, one after the other, once all of them are valid. A failure of one does not stop the others. Resolves to the
 * worst exit status.
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
    for (const error of faults) logFailure(logger, error);
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

/** Returns how all of them ended, one line for each. */
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

/** Refuses what configurations cannot share. */
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

/** The flags that must differ between configurations. */
const OWN: readonly (readonly [string, (flags: RunFlags) => string | undefined])[] = [
  ['--state', ({ state }) => placeIn(state)],
  ['--record', ({ record }) => placeIn(record)],
  ['--run-id', ({ runId }) => runId],
];

/** Returns a destination into which both write. */
function sharedPlace(one: RunTarget, other: RunTarget): string | undefined {
  const places = new Set(other.sinks.flatMap(({ name, place = name }) => placeOf(place) ?? []));
  return one.sinks.find(({ name, place = name }) => places.has(placeOf(place) ?? ''))?.name;
}

const droppedBy = (path: string): string =>
  `What has arrived is dropped, since ${path} writes into the same destination, which keeps one interrupted run at a time.`;

/** One of several valid configurations. */
export interface RunTarget extends ConfigurationTables {
  readonly path: string;
  /** The flags for this configuration. */
  readonly flags: RunFlags;
  readonly read: ReadConfiguration;
  /** Its values that must not be printed. */
  readonly secrets: readonly string[];
  readonly filesRead: readonly NamedFile[];
  readonly filesWritten: readonly NamedFile[];
}

/**
 * Reads a configuration and checks it as its run will, before the first of several runs.
 *
 * @throws ConfigurationError with places in the file; with `strict` for warnings as well
 */
async function readTarget(path: string, given: RunFlags, signal: AbortSignal): Promise<RunTarget> {
  const flags = flagsFor(path, given);
  const components = await loadComponents(flags.components);
  const checked = (read: ReadConfiguration): RunTarget => {
    const config = read.configuration as Json;
    const validating = { lenient: flags.lenient, components, ...environmentOf(flags), ...missingIn(flags) };
    const validation = validate(config, validating);
    const { outputs, warnings, mask } = validation;
    const { nested } = flags;
    const rows = { components, ...(nested === undefined ? {} : { nested }) };
    const ignored = (): void => undefined;
    const destinations = flags.to ?? destinationsIn(validation);
    const made = destinations.map((each) => destinationOf(each, rows)(outputs, ignored));
    const all = [...warnings, ...checkDestinations(made, outputs)];
    if (flags.strict && all.length > 0) throw new ConfigurationError(all);
    const sinks = made.map(({ name, place = name, makes, ...sink }) => ({
      ...{ name: mask(name), place },
      ...(makes === undefined ? {} : { makes }),
      ...(sink.maps === undefined ? {} : { maps: sink.maps }),
    }));
    return {
      ...{ path, flags, read, name: path, sinks, outputs, secrets: secretsOf(config, validating) },
      filesRead: filesRead(flags, read, validation),
      filesWritten: filesWritten(flags, destinations),
    };
  };
  return withConfiguration(path, checked, {
    ...flags,
    signal,
    print: (line) => void process.stderr.write(`${line}\n`),
  });
}

/** The tables that several configurations have stored. */
export interface TableBook {
  /** Adds the tables of a configuration. Returns warnings about tables that another one has written as well. */
  readonly add: (target: RunTarget, stored: Delivery['stored']) => string | undefined;
}

/**
 * Makes the record of tables. Tables of lists in items are known only when they exist: no check before the run can find that two
 * configurations share one.
 */
function createTableBook(): TableBook {
  const owners = new Map<string, string>();
  return {
    add: ({ path, sinks }, stored) => {
      const mixed = stored.flatMap(({ sink, tables }) => {
        const made = sinks.find(({ name, makes }) => name === sink && makes !== undefined && makes !== 'messages');
        const place = made === undefined ? undefined : placeOf(made.place ?? made.name);
        if (place === undefined) return [];
        return tables.flatMap(({ name: table }) => {
          const key = `${place}\n${table.toLowerCase()}`;
          const owner = owners.get(key);
          owners.set(key, owner ?? path);
          return owner === undefined ? [] : [`${JSON.stringify(table)} of ${sink}, which ${owner} has written as well`];
        });
      });
      return mixed.length === 0 ? undefined : mixedText(path, mixed);
    },
  };
}

const mixedText = (path: string, mixed: readonly string[]): string =>
  `${path} has written the table ${mixed.join('; ')}: rows of one may be missing or stand among those of the other. ` +
  'Give one of them another "tableName" or another destination, and run both again.';

/**
 * Returns the flags for one configuration: `{config}` in places is replaced by its name.
 *
 * @example flagsFor('rivers/alder.yaml', { ...flags, state: '{config}.state' }).state // 'alder.state'
 */
export function flagsFor(path: string, flags: RunFlags): RunFlags {
  const filled = (text: string): string => nameIn(text, path);
  const { state, record, replay, runId, to } = flags;
  return {
    ...flags,
    ...(state === undefined ? {} : { state: filled(state) }),
    ...(record === undefined ? {} : { record: filled(record) }),
    ...(replay === undefined ? {} : { replay: filled(replay) }),
    ...(runId === undefined ? {} : { runId: filled(runId) }),
    ...(to === undefined ? {} : { to: to.map(filled) }),
  };
}
