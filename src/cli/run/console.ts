import { RunCounter, createLogger } from '../..';
import type { Log, RunSnapshot, Tally } from '../..';
import { progressMode } from './flags';
import type { ProgressMode, RunFlags } from './flags';
import { jobParts, runParts, visible } from './progress-parts';
import type { Screen } from './screen';

/** The output of a run on standard error: the log, and the progress. */
export interface RunConsole {
  readonly logger: ReturnType<typeof createLogger>;
  readonly progress: ProgressView;
  /** True if the log is text at a terminal. */
  readonly isLogRead: boolean;
  /** The name that distinguishes the configuration from others; absent: it is the only one. */
  readonly name?: string;
}

/**
 * Opens the log and the view of the progress.
 *
 * @param name the name that distinguishes the configuration from others; absent: it is the only one
 */
export async function openConsole(
  { logLevel = 'info', logFormat, progress }: Pick<RunFlags, 'logLevel' | 'logFormat' | 'progress'>,
  name?: string,
): Promise<RunConsole> {
  const isTerminal = process.stderr.isTTY;
  const mode = progressMode(progress, { logFormat, isTerminal, env: process.env });
  const screen = mode === 'terminal' ? await (await import('./screen.js')).openScreen(process.stderr, name) : undefined;
  const logger = createLogger({
    ...{ level: logLevel, format: logFormat },
    ...(screen === undefined ? {} : { stream: screen.log }),
    ...(name === undefined ? {} : { configuration: name }),
  });
  const called = name === undefined ? {} : { name };
  return {
    logger,
    progress: showProgress(mode, logger, screen),
    isLogRead: isTerminal && logFormat === 'text',
    ...called,
  };
}

/** A view of the progress of a run. */
export interface ProgressView {
  /** Counts the run, which is shown from its first event on. */
  readonly tally: Tally;
  readonly snapshot: () => RunSnapshot;
  /** Ends it: after a success the summary replaces it, otherwise its last state stays. */
  readonly end: (isSuccess: boolean) => void;
}

/**
 * Shows a run from its first event on.
 *
 * @param screen the terminal, if there is one to draw on
 */
function showProgress(mode: ProgressMode, log: Log, screen: Screen | undefined): ProgressView {
  const counter = new RunCounter();
  const snapshot = (): RunSnapshot => counter.snapshot();
  let stop: (() => void) | undefined;
  const begin = (): (() => void) => {
    if (mode === 'terminal') screen?.show(snapshot);
    return mode === 'plain' || mode === 'json' ? reportProgress(log, snapshot) : () => undefined;
  };
  return {
    tally: {
      add: (event, now) => {
        counter.add(event, now);
        if (event.type === 'run.started') stop ??= begin();
      },
      addRequest: (purpose, field, more, now) => counter.addRequest(purpose, field, more, now),
      addCall: (job, items, now) => counter.addCall(job, items, now),
    },
    snapshot,
    end: (isSuccess) => {
      stop?.();
      screen?.end(isSuccess ? 'clear' : 'leave');
    },
  };
}

/** Milliseconds between two entries; a short run has none. */
export const EVERY = 10_000;

/** Writes the progress of a run to a log, every few seconds. Returns a function that ends it. */
export function reportProgress(log: Log, snapshot: () => RunSnapshot, every = EVERY): () => void {
  const timer = setInterval(() => {
    const run = snapshot();
    if (run.state === 'running') log.log('info', progressLine(run, Date.now()), progressFields(run, Date.now()));
  }, every);
  timer.unref();
  return () => clearInterval(timer);
}

/** Returns the progress of a run in one line: that of its current jobs, and of the run as a whole. */
function progressLine(run: RunSnapshot, now: number): string {
  const running = run.jobs.filter(({ parent, state }) => parent === undefined && state === 'running');
  const jobs = running.map((job) => `${visible(job.name)}: ${textOf(jobParts(job, run, now))}`);
  return `Progress after ${[textOf(runParts(run, now)), ...jobs].join('; ')}`;
}

const textOf = (parts: readonly { readonly text: string }[]): string => parts.map(({ text }) => text).join(', ');

/** Returns the progress as fields. */
export function progressFields(run: RunSnapshot, now: number): Readonly<Record<string, unknown>> {
  const { run: id, startedAt = now, jobs, pages, items, requests, retries, bytes, warnings, logins } = run;
  const { credentialsExpireAt, paused, retrying, heldMilliseconds, cached } = run;
  return {
    event: 'progress',
    ...(id === undefined ? {} : { run: id }),
    ...{ pages, items, requests, retries, bytes, warnings, logins, heldMilliseconds, cached },
    ...(credentialsExpireAt === undefined ? {} : { credentialsExpireAt }),
    ...(paused === undefined ? {} : { paused }),
    ...(retrying === undefined ? {} : { retrying }),
    milliseconds: now - startedAt,
    jobs: jobs.map(({ name, startedAt: start, endedAt = now, ...job }) => ({
      job: name,
      ...job,
      milliseconds: endedAt - start,
    })),
  };
}
