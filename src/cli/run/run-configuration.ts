import { basename } from 'node:path';
import { HeadwaterError, deliver, destinationOf, validate } from '../..';
import type {
  DeliverOptions,
  Delivery,
  EnvironmentOptions,
  ErrorCode,
  ExtractOptions,
  Har,
  Json,
  JsonObject,
  Log,
  RunEvent,
  Tally,
  Validation,
} from '../..';
import { loadComponents } from '../components';
import { airbyteStateSaver, readSource, stateFor, asksForDebug, environmentOf } from '../configurations';
import type { ReadSource } from '../configurations';
import { EXIT, FINISHED, describe, statusOf, logFailure } from '../exit-status';
import { PRINTED, destinationsIn, filesRead, filesWritten, isPrinted, refuseOverwriting } from '../files';
import { visible } from '../output';
import { replayFrom, saveRecording, missingIn } from '../recording-file';
import { encryptionKey, saveStateFile, sealOfEnvironment } from '../state-file';
import type { RunConsole } from './console';
import type { RunFlags } from './flags';
import { finishedLine, howToResume, announceShutdown } from './run-end';
import { showSummary } from './summary';

/** The end of the run of one configuration. */
export interface RunEnd {
  /** The exit status. */
  readonly status: number;
  /** The description of the end. */
  readonly text: string;
  /** The stored tables; empty after a failure. */
  readonly stored: Delivery['stored'];
}

/** The options of a run that is one of several. */
export interface AmongOthers {
  /** The configuration, which was read before. */
  readonly read: ReadSource;
  /** The secrets of all configurations: the server of one may reveal those of another. */
  readonly secrets: readonly string[];
  /** The fate of the pages of a failed run, if the next run will drop them. */
  readonly afterFailure?: string;
}

/** Runs one configuration, and reports it. */
export async function runConfiguration(
  path: string,
  flags: RunFlags,
  shown: RunConsole,
  signal: AbortSignal,
  among?: AmongOthers,
): Promise<RunEnd> {
  const { logger, progress } = shown;
  let hint: ((error: unknown, incompleteItems?: number) => string) | undefined;
  const arrived = { pages: 0, items: 0 };
  let stored: Delivery['stored'] = [];
  let text = FINISHED;
  const note = (event: RunEvent): void => {
    const { pages, items } =
      event.type === 'page.extracted'
        ? { pages: 1, items: event.page.count }
        : ((event.type === 'run.started' ? event.before : undefined) ?? { pages: 0, items: 0 });
    arrived.pages += pages;
    arrived.items += items;
    if (event.type === 'run.finished') arrived.items = event.jobs.reduce((sum, { items }) => sum + items, 0);
  };
  const counter: Tally = {
    ...progress.tally,
    add: (event, now) => {
      progress.tally.add(event, now);
      note(event);
    },
  };
  let recording: Har | undefined;
  const record = flags.record === undefined ? {} : { record: (har: Har): void => void (recording = har) };
  const saved = async (): Promise<void> => {
    if (flags.record !== undefined && recording !== undefined) await saveRecording(flags.record, recording);
    recording = undefined;
  };
  const forget = announceShutdown(signal, logger);
  let read: ReadSource | undefined;
  try {
    const components = await loadComponents(flags.components);
    read =
      among?.read ?? (await readSource(path, { ...flags, signal, print: (line) => void logger.log('warn', line) }));
    const secrets = [...(among?.secrets ?? []), ...(read.manifest?.secrets ?? [])];
    const outside = { ...environmentOf(flags), secrets };
    const config = read.configuration as Json;
    if (flags.logLevel === undefined && asksForDebug(config)) logger.level = 'debug';
    const requesting = await requestOptions(flags, outside);
    const validating = { lenient: flags.lenient, components, ...outside, ...missingIn(flags) };
    const validation = validate(config, validating);
    const destinations = flags.to ?? destinationsIn(validation);
    if (among === undefined) refuseOverwriting(filesWritten(flags, destinations), filesRead(flags, read, validation));
    if (!destinations.every(isPrinted))
      hint = (error, incompleteItems) =>
        howToResume(path, destinations, { ...{ error, incompleteItems, flags, mask: validation.mask } });
    const { tag, tagExtra, nested } = flags;
    const rows = { tag, tagExtra, ...(nested === undefined ? {} : { nested }), logger, components };
    const made = destinations.map((each) => destinationOf(each, rows));
    const { save, ...state } = await stateOptions(flags, read, logger);
    const options = { ...requesting, ...storeOptions(path, flags), ...record, ...state };
    // All that is left to do for the run, so that it is done again after whatever ends the process before.
    const onCommitted = async (delivery: Delivery): Promise<void> => {
      ({ stored } = delivery);
      await save(delivery.state);
      await saved();
      progress.end(true);
      const warned = await reportDelivery(delivery, validation, shown);
      text = finishedLine(delivery, progress.snapshot().warnings + warned);
      logger.info(text);
    };
    await deliver(config, made, { ...options, counter, logger, signal, components, onCommitted });
    return { status: EXIT.success, text, stored };
  } catch (failure) {
    // An interruption makes other things fail, such as a write in progress.
    const error: unknown = signal.aborted ? signal.reason : (read?.located(failure) ?? failure);
    const status = statusOf(error);
    progress.end(false);
    await saved().catch((unsaved: unknown) => logFailure(logger, unsaved));
    logFailure(logger, error, status === EXIT.brokenPipe ? 'info' : 'error');
    const isUnaccepted = error instanceof HeadwaterError && UNACCEPTED.has(error.code);
    if (hint !== undefined && (arrived.pages > 0 || isUnaccepted))
      logger.info(
        (signal.aborted ? undefined : among?.afterFailure) ?? hint(error, isUnaccepted ? arrived.items : undefined),
      );
    return { status, text: describe(error), stored };
  } finally {
    forget();
  }
}

/** The codes of errors of runs that `--accept-incomplete` commits all the same. */
const UNACCEPTED: ReadonlySet<string> = new Set<ErrorCode>(['INCOMPLETE', 'TABLE_SHRUNK']);

/** Returns the options from the flags for requests, and for files beside the tables. */
async function requestOptions(flags: RunFlags, outside: EnvironmentOptions): Promise<DeliverOptions> {
  const { concurrency, prefetch, lenient, strict, cacheDir: cacheFolder, replay } = flags;
  const key = encryptionKey();
  return {
    ...(concurrency === undefined ? {} : { concurrency }),
    ...(prefetch === undefined ? {} : { prefetch }),
    ...{ lenient, strict },
    ...(replay === undefined ? { cacheFolder } : await replayFrom(replay)),
    ...(key === undefined ? {} : { encryptionKey: key }),
    ...outside,
    ownConnections: true,
  };
}

/** Returns the options from the flags for storing a run. */
function storeOptions(path: string, flags: RunFlags): DeliverOptions {
  const { resume, acceptIncomplete, allowEmpty, takeOver, runId, withRunColumns } = flags;
  return {
    ...{ resume, acceptIncomplete, allowEmpty, takeOver },
    ...(runId === undefined ? {} : { runId }),
    ...(withRunColumns === true ? { runColumns: true } : {}),
    ...(path === '-' ? {} : { configurationName: basename(path) }),
  };
}

/** The state of a run, the receiver of values of logins, and what saves the state after success. */
type StateOptions = Pick<ExtractOptions, 'state' | 'onCredentials'> & {
  readonly save: (state: JsonObject) => void | Promise<void>;
};

/** Reads the state in a file, if one is named. */
async function stateOptions(
  { state: path, stateFormat }: RunFlags,
  read: ReadSource,
  logger: Log,
): Promise<StateOptions> {
  if (path === undefined) return { onCredentials: once(() => logger.log('warn', LOST)), save: () => undefined };
  const seal = sealOfEnvironment();
  const state = await stateFor(read, path);
  const ofAirbyte = airbyteStateSaver(read, path, stateFormat);
  if (ofAirbyte !== undefined) return { state, onCredentials: once(() => logger.log('warn', LOST)), save: ofAirbyte };
  const save = (next: JsonObject): Promise<void> => saveStateFile(path, next, seal);
  return { state, onCredentials: save, save };
}

/** Calls the function only the first time: a token that expires soon is lost repeatedly. */
function once(work: () => unknown): () => void {
  let isDone = false;
  return () => {
    if (!isDone) work();
    isDone = true;
  };
}

const LOST =
  'A login gave values for the next run (api.authentication.persist), which are lost: name a file for them with --state.';

/**
 * Reports a completed run: at the terminal, if there is one; in the log, if that goes elsewhere.
 *
 * @returns the number of warnings about it
 */
async function reportDelivery(
  delivery: Delivery,
  { outputs }: Pick<Validation, 'outputs'>,
  { logger, progress, isLogRead, name }: RunConsole,
): Promise<number> {
  if (delivery.resumedPages > 0) logger.log('info', `The run went on after ${delivery.resumedPages} pages.`);
  const isPrintedTo = delivery.stored.some(({ sink }) => sink === PRINTED);
  const terminal = process.stdout.isTTY && !isPrintedTo ? process.stdout : isLogRead ? process.stderr : undefined;
  const heading = name === undefined ? '' : `${visible(name)}\n`;
  const tables = outputs.flatMap(({ jobPlaces = [], tables: names }) =>
    jobPlaces.map(({ dataType }) => names?.get(dataType) ?? dataType),
  );
  return showSummary(delivery, progress.snapshot(), tables, {
    ...(terminal === undefined ? {} : { write: (text: string) => terminal.write(`${heading}${text}`) }),
    log: logger,
    isLogged: !isLogRead,
  });
}
