import { basename } from 'node:path';
import { createLogger, deliver, destinationOf, HeadwaterError, readConfiguration, validate } from '../index';
import type {
  Delivery,
  ExtractOptions,
  Har,
  Json,
  JsonObject,
  Log,
  LogFormat,
  LogLevel,
  ReadConfiguration,
  RunEvent,
  RunSnapshot,
  ValidateOptions,
  Validation,
} from '../index';
import { loadComponents } from './components';
import { asksForDebug } from './debug';
import { encryptionKey, sealOfEnvironment } from './encryption-key';
import { environmentOf } from './environment';
import { describe, EXIT, FINISHED, statusOf } from './exit-status';
import { finishedLine } from './finished-line';
import { abortOnInterruption } from './interruption';
import { progressMode } from './progress/mode';
import type { AskedProgress } from './progress/mode';
import { showProgress } from './progress/view';
import { replayFrom, saveRecording } from './recording-file';
import { howToResume } from './resume-hint';
import { readStateFile, saveStateFile } from './state-file';
import { showSummary } from './summary/show-summary';

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

/** A destination as the command line or the configuration names it. */
type Written = Validation['sinks'][number];

/** The destination where none is given: standard output. */
const PRINTED = 'ndjson:-';
const AT_A_TERMINAL = 'duckdb:headwater.duckdb';

const isPrinted = (written: Written): boolean =>
  (typeof written === 'string' ? written : written.to).split('?')[0] === PRINTED;

/** `headwater run CONFIG`: items on standard output or to a destination, the log on standard error. Resolves to the exit status. */
export async function runCommand(path: string, flags: RunFlags): Promise<number> {
  const isTerminal = process.stderr.isTTY;
  const mode = progressMode(flags.progress, { logFormat: flags.logFormat, isTerminal, env: process.env });
  const screen =
    mode === 'terminal' ? await (await import('./progress/screen.js')).openScreen(process.stderr) : undefined;
  const logger = createLogger({
    ...{ level: flags.logLevel ?? 'info', format: flags.logFormat },
    ...(screen === undefined ? {} : { stream: screen.log }),
  });
  const progress = showProgress(mode, logger, screen);
  const { signal, forget } = abortOnInterruption();
  let hint: ((error: unknown, incompleteItems?: number) => string) | undefined;
  const arrived = { pages: 0, items: 0 };
  let recording: Har | undefined;
  let read: ReadConfiguration | undefined;
  const saved = async (): Promise<void> => {
    if (flags.record !== undefined && recording !== undefined) await saveRecording(flags.record, recording);
    recording = undefined;
  };
  try {
    const components = await loadComponents(flags.components);
    const outside = environmentOf(flags);
    read = await readConfiguration(path, { signal });
    const config = read.configuration as Json;
    if (flags.logLevel === undefined && asksForDebug(config)) logger.level = 'debug';
    const { concurrency, prefetch, cacheDir: cacheFolder } = flags;
    const record = flags.record === undefined ? {} : { record: (har: Har): void => void (recording = har) };
    const replayed = flags.replay === undefined ? { cacheFolder } : await replayFrom(flags.replay);
    const flow = {
      ...(concurrency === undefined ? {} : { concurrency }),
      ...(prefetch === undefined ? {} : { prefetch }),
    };
    let finished = FINISHED;
    const onEvent = (event: RunEvent): void => {
      progress.hear(event);
      if (event.type === 'page.extracted') arrived.pages += 1;
      if (event.type !== 'run.finished') return;
      finished = finishedLine(event);
      arrived.items = event.jobs.reduce((sum, { items }) => sum + items, 0);
    };
    const { lenient, strict } = flags;
    const key = encryptionKey();
    const stores = { ...record, ...replayed, ...(key === undefined ? {} : { encryptionKey: key }) };
    const options = {
      onEvent,
      ...flow,
      lenient,
      strict,
      ...stores,
      logger,
      signal,
      components,
      ...outside,
      ownConnections: true,
    };
    const destinations = flags.to ?? destinationsIn(config, { lenient, components, ...outside });
    if (!destinations.every(isPrinted))
      hint = (error, incompleteItems) =>
        howToResume(path, destinations, {
          ...{ error, incompleteItems, modules: flags.components, runId: flags.runId },
          ...{ envFiles: flags.envFile, mask: validate(config, { lenient, components, ...outside }).mask },
        });
    const name = path === '-' ? undefined : basename(path);
    const send = store(config, flags, destinations, {
      ...{ logger, configurationName: name },
      stored: (delivery) => {
        progress.end(true);
        return tellDelivery(delivery, progress.snapshot(), { logger, isTerminal, logFormat: flags.logFormat });
      },
    });
    if (flags.state === undefined) await send({ ...options, onCredentials: once(() => void logger.warn(LOST)) });
    else await withState(send, options, flags.state);
    await saved();
    progress.end(true);
    logger.info(finished);
    return EXIT.success;
  } catch (failure) {
    // An interruption makes other things fail, such as the write that was under way.
    const error: unknown = signal.aborted ? signal.reason : (read?.located(failure) ?? failure);
    const status = statusOf(error);
    progress.end(false);
    await saved().catch((unsaved: unknown) => logger.error(describe(unsaved)));
    logger.log(status === EXIT.brokenPipe ? 'info' : 'error', describe(error));
    const isIncomplete = error instanceof HeadwaterError && error.code === 'INCOMPLETE';
    if (hint !== undefined && (arrived.pages > 0 || isIncomplete))
      logger.info(hint(error, isIncomplete ? arrived.items : undefined));
    return status;
  } finally {
    forget();
  }
}

/** A function that runs the configuration and resolves to the state for the next run. */
type Sending = (options: ExtractOptions) => Promise<JsonObject>;

/** Writes the credentials that logins give to be kept at once, and all else after success. */
async function withState(send: Sending, options: ExtractOptions, path: string): Promise<void> {
  const seal = sealOfEnvironment();
  const state = await readStateFile(path, seal);
  const save = (next: JsonObject): Promise<void> => saveStateFile(path, next, seal);
  await save(await send({ ...options, state, onCredentials: save }));
}

/** The destinations of the configuration; without any, a database file at a terminal, and standard output else. */
function destinationsIn(config: Json, options: ValidateOptions): readonly Written[] {
  const { sinks } = validate(config, options);
  if (sinks.length > 0) return sinks;
  return [process.stdout.isTTY ? AT_A_TERMINAL : PRINTED];
}

/** What a delivery needs beside its configuration. */
interface Delivering {
  readonly logger: Log;
  readonly configurationName: string | undefined;
  readonly stored: (delivery: Delivery) => Promise<void>;
}

const store =
  (
    config: Json,
    { tag, tagExtra, nested, resume, runId, withRunColumns, acceptIncomplete, allowEmpty }: RunFlags,
    destinations: readonly Written[],
    { logger, configurationName, stored }: Delivering,
  ): Sending =>
  async (options) => {
    const delivery = await deliver(
      config,
      destinations.map((url) =>
        destinationOf(url, {
          tag,
          tagExtra,
          ...(nested === undefined ? {} : { nested }),
          logger,
          components: options.components ?? [],
        }),
      ),
      {
        ...{ ...options, resume, acceptIncomplete, allowEmpty },
        ...(runId === undefined ? {} : { runId }),
        ...(withRunColumns === true ? { runColumns: true } : {}),
        ...(configurationName === undefined ? {} : { configurationName }),
      },
    );
    await stored(delivery);
    return delivery.state;
  };

interface Telling {
  readonly logger: Log;
  readonly isTerminal: boolean;
  readonly logFormat: LogFormat;
}

/** Says what a run has done: at the terminal, if there is one; in the log, if that goes elsewhere. */
async function tellDelivery(
  delivery: Delivery,
  run: RunSnapshot,
  { logger, isTerminal, logFormat }: Telling,
): Promise<void> {
  if (delivery.alreadyCommitted) return;
  if (delivery.resumedPages > 0) logger.log('info', `The run went on after ${delivery.resumedPages} pages.`);
  const isPrintedTo = delivery.stored.some(({ sink }) => sink === PRINTED);
  const isLogRead = isTerminal && logFormat === 'text';
  const terminal = process.stdout.isTTY && !isPrintedTo ? process.stdout : isLogRead ? process.stderr : undefined;
  await showSummary(delivery, run, {
    ...(terminal === undefined ? {} : { write: (text: string) => terminal.write(text) }),
    ...(isLogRead ? {} : { log: logger }),
  });
}

/** Calls the function the first time only: a token that lives briefly is lost again and again. */
function once(tell: () => void): () => void {
  let told = false;
  return () => {
    if (!told) tell();
    told = true;
  };
}

const LOST =
  'A login gave values for the next run (api.authentication.persist), which are lost: name a file for them with --state.';
