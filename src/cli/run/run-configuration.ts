import { deliver, destinationOf, HeadwaterError, readConfiguration, validate } from '../..';
import type { Delivery, Har, Json, ReadConfiguration, RunEvent } from '../..';
import { loadComponents } from '../components';
import { asksForDebug } from '../debug';
import { environmentOf } from '../environment';
import { describe, EXIT, FINISHED, statusOf } from '../exit-status';
import { finishedLine } from '../finished-line';
import { refuseOverwriting } from '../own-files';
import { saveRecording, unsetIn } from '../recording-file';
import { howToResume } from '../resume-hint';
import type { RunConsole } from './console';
import { destinationsIn, isPrinted } from './destinations';
import type { RunFlags } from './flags';
import { requestOptions, storeOptions } from './options';
import { filesRead, filesWritten } from './run-files';
import { tellDelivery } from './tell-delivery';
import { tellThatItEnds } from './tell-that-it-ends';
import { withState } from './with-state';
import type { StateOptions } from './with-state';

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
    progress.hear(event);
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
    const validating = { lenient: flags.lenient, components, ...outside, ...unsetIn(flags) };
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
      warned += await tellDelivery(delivery, shown);
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
