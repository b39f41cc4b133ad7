import { basename } from 'node:path';
import { HeadwaterError, deliver, destinationOf, readConfiguration, validate } from '../..';
import type {
  DeliverOptions,
  Delivery,
  EnvironmentOptions,
  ExtractOptions,
  Har,
  Json,
  JsonObject,
  Log,
  ReadConfiguration,
  RunEvent,
} from '../..';
import { loadComponents } from '../components';
import { asksForDebug, environmentOf } from '../configurations';
import { EXIT, FINISHED, describe, statusOf } from '../exit-status';
import { PRINTED, destinationsIn, filesRead, filesWritten, isPrinted, refuseOverwriting } from '../files';
import { visible } from '../output';
import { replayFrom, saveRecording, missingIn } from '../recording-file';
import { encryptionKey, readStateFile, saveStateFile, sealOfEnvironment } from '../state-file';
import type { RunConsole } from './console';
import type { RunFlags } from './flags';
import { finishedLine, howToResume, tellThatItEnds } from './run-end';
import { showSummary } from './summary';

/** How the run of one configuration ended. */
export interface RunEnd {
  /** The exit status. */
  readonly status: number;
  /** The same in words. */
  readonly text: string;
  /** What was stored; nothing after a failure. */
  readonly stored: Delivery['stored'];
}

/** What a run is given that is one of several. */
export interface AmongOthers {
  /** The configuration, which was read before. */
  readonly read: ReadConfiguration;
  /** The secrets of all of them: the server of one may tell those of another. */
  readonly secrets: readonly string[];
  /** What becomes of the pages of a run that fails, where another one is about to drop them. */
  readonly afterFailure?: string;
}

/** Runs one configuration, and tells of it. */
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
  let finished: Extract<RunEvent, { readonly type: 'run.finished' }> | undefined;
  let stored: Delivery['stored'] = [];
  let warned = 0;
  const onEvent = (event: RunEvent): void => {
    progress.onEvent(event);
    if (event.type === 'run.started') arrived.pages += event.before?.pages ?? 0;
    if (event.type === 'page.extracted') arrived.pages += 1;
    if (event.type !== 'run.finished') return;
    finished = event;
    arrived.items = event.jobs.reduce((sum, { items }) => sum + items, 0);
  };
  let recording: Har | undefined;
  const record = flags.record === undefined ? {} : { record: (har: Har): void => void (recording = har) };
  const saved = async (): Promise<void> => {
    if (flags.record !== undefined && recording !== undefined) await saveRecording(flags.record, recording);
    recording = undefined;
  };
  const forget = tellThatItEnds(signal, logger);
  let read: ReadConfiguration | undefined;
  try {
    const components = await loadComponents(flags.components);
    const outside = { ...environmentOf(flags), ...(among === undefined ? {} : { secrets: among.secrets }) };
    read = among?.read ?? (await readConfiguration(path, { signal }));
    const config = read.configuration as Json;
    if (flags.logLevel === undefined && asksForDebug(config)) logger.level = 'debug';
    const requesting = await requestOptions(flags, outside);
    const validating = { lenient: flags.lenient, components, ...outside, ...missingIn(flags) };
    const destinations = flags.to ?? destinationsIn(config, validating);
    if (among === undefined)
      refuseOverwriting(filesWritten(flags, destinations), filesRead(flags, read, validate(config, validating)));
    if (!destinations.every(isPrinted))
      hint = (error, incompleteItems) =>
        howToResume(path, destinations, {
          ...{ error, incompleteItems, flags, mask: validate(config, validating).mask },
        });
    const { tag, tagExtra, nested } = flags;
    const send = async (state: StateOptions): Promise<Delivery> => {
      const rows = { tag, tagExtra, ...(nested === undefined ? {} : { nested }), logger, components };
      const made = destinations.map((each) => destinationOf(each, rows));
      const options = { ...requesting, ...storeOptions(path, flags), ...record, ...state };
      const delivery = await deliver(config, made, { ...options, onEvent, logger, signal, components });
      ({ stored } = delivery);
      progress.end(true);
      warned += await reportDelivery(delivery, shown);
      return delivery;
    };
    await withState(flags.state, send, logger);
    await saved();
    progress.end(true);
    const text = finished === undefined ? FINISHED : finishedLine(finished, progress.snapshot().warnings + warned);
    logger.info(text);
    return { status: EXIT.success, text, stored };
  } catch (failure) {
    // An interruption makes other things fail, such as the write that was under way.
    const error: unknown = signal.aborted ? signal.reason : (read?.located(failure) ?? failure);
    const status = statusOf(error);
    progress.end(false);
    await saved().catch((unsaved: unknown) => logger.error(describe(unsaved)));
    logger.log(status === EXIT.brokenPipe ? 'info' : 'error', describe(error));
    const isIncomplete = error instanceof HeadwaterError && error.code === 'INCOMPLETE';
    if (hint !== undefined && (arrived.pages > 0 || isIncomplete))
      logger.info(
        (signal.aborted ? undefined : among?.afterFailure) ?? hint(error, isIncomplete ? arrived.items : undefined),
      );
    return { status, text: describe(error), stored };
  } finally {
    forget();
  }
}

/** What flags say of how a run requests, and of what it keeps beside its tables. */
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

/** What flags say of how a run is stored. */
function storeOptions(path: string, flags: RunFlags): DeliverOptions {
  const { resume, acceptIncomplete, allowEmpty, runId, withRunColumns } = flags;
  return {
    ...{ resume, acceptIncomplete, allowEmpty },
    ...(runId === undefined ? {} : { runId }),
    ...(withRunColumns === true ? { runColumns: true } : {}),
    ...(path === '-' ? {} : { configurationName: basename(path) }),
  };
}

/** Where a run has its state from, and where what logins give goes. */
export type StateOptions = Pick<ExtractOptions, 'state' | 'onCredentials'>;
type Sending = (options: StateOptions) => Promise<Delivery>;

/** Runs with the state in a file, if one is named. The credentials that logins give are kept at once, all else after success. */
async function withState(path: string | undefined, send: Sending, logger: Log): Promise<void> {
  if (path === undefined) {
    await send({ onCredentials: once(() => logger.log('warn', LOST)) });
    return;
  }
  const seal = sealOfEnvironment();
  const state = await readStateFile(path, seal);
  const save = (next: JsonObject): Promise<void> => saveStateFile(path, next, seal);
  await save((await send({ state, onCredentials: save })).state);
}

/** Calls the function the first time only: a token that lives briefly is lost again and again. */
function once(tell: () => unknown): () => void {
  let told = false;
  return () => {
    if (!told) tell();
    told = true;
  };
}

const LOST =
  'A login gave values for the next run (api.authentication.persist), which are lost: name a file for them with --state.';

/**
 * Says what a run has done: at the terminal, if there is one; in the log, if that goes elsewhere.
 *
 * @returns how many warnings there were about it
 */
async function reportDelivery(delivery: Delivery, { logger, progress, isLogRead, name }: RunConsole): Promise<number> {
  if (delivery.alreadyCommitted) return 0;
  if (delivery.resumedPages > 0) logger.log('info', `The run went on after ${delivery.resumedPages} pages.`);
  const isPrintedTo = delivery.stored.some(({ sink }) => sink === PRINTED);
  const terminal = process.stdout.isTTY && !isPrintedTo ? process.stdout : isLogRead ? process.stderr : undefined;
  const heading = name === undefined ? '' : `${visible(name)}\n`;
  return showSummary(delivery, progress.snapshot(), {
    ...(terminal === undefined ? {} : { write: (text: string) => terminal.write(`${heading}${text}`) }),
    log: logger,
    isLogged: !isLogRead,
  });
}
