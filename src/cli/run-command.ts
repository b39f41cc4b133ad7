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
import { replayFrom, saveRecording } from './recording-file';
import { howToResume } from './resume-hint';
import { readStateFile, saveStateFile } from './state-file';

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
  const logger = createLogger({ level: flags.logLevel ?? 'info', format: flags.logFormat });
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
    const send = store(config, flags, destinations, logger, name);
    if (flags.state === undefined) await send({ ...options, onCredentials: once(() => void logger.warn(LOST)) });
    else await withState(send, options, flags.state);
    await saved();
    logger.info(finished);
    return EXIT.success;
  } catch (failure) {
    // An interruption makes other things fail, such as the write that was under way.
    const error: unknown = signal.aborted ? signal.reason : (read?.located(failure) ?? failure);
    const status = statusOf(error);
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

const store =
  (
    config: Json,
    { tag, tagExtra, nested, resume, runId, withRunColumns, acceptIncomplete, allowEmpty }: RunFlags,
    destinations: readonly Written[],
    logger: Log,
    configurationName: string | undefined,
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
    logDelivery(delivery, logger);
    return delivery.state;
  };

function logDelivery(delivery: Delivery, logger: Log): void {
  if (delivery.alreadyCommitted) return;
  if (delivery.resumedPages > 0) logger.log('info', `The run went on after ${delivery.resumedPages} pages.`);
  const isPrinted = delivery.stored.some(({ sink }) => sink === PRINTED);
  if (process.stdout.isTTY && !isPrinted) process.stdout.write(summaryOf(delivery));
  for (const { sink, tables } of delivery.stored)
    for (const { name, rows } of tables)
      logger.log('info', `${sink}: ${name}${rows === undefined ? '' : `: ${rows} rows`}`);
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

/** What arrived where, as a table for a terminal. */
function summaryOf({ stored }: Delivery): string {
  const rows = stored.flatMap(({ sink, tables }) =>
    tables.map((table) => [table.name, table.rows?.toLocaleString('en') ?? '', sink] as const),
  );
  if (rows.length === 0) return 'Nothing arrived.\n';
  const lines = [['table', 'rows', 'destination'] as const, ...rows];
  const widest = (at: 0 | 1): number => Math.max(...lines.map((line) => line[at].length));
  const [names, counts] = [widest(0), widest(1)];
  return lines.map(([name, count, sink]) => `${name.padEnd(names)}  ${count.padStart(counts)}  ${sink}\n`).join('');
}
