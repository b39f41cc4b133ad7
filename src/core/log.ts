/** The log of a run: its entries are written from the events, and repeated warnings are summed up. */
import { grouped, jobNameOf } from './text';
import { FatalError } from './errors/errors';
import type { EventError } from './errors/errors';
import { endsRun } from './events';
import type { JobOutcome, Report, RunEvent, WarningCode } from './events';
import type { JobRef } from './model';

export type LogLevel = 'error' | 'warn' | 'info' | 'debug';
export type LogFormat = 'text' | 'json';

/** The logger of a run: winston's Logger is one. */
export interface Log {
  readonly log: (level: string, message: string, fields?: Readonly<Record<string, unknown>>) => unknown;
  /** Returns whether entries of a level are written at all. If absent, all entries go to `log`. */
  readonly isLevelEnabled?: (level: string) => boolean;
}

interface Entry {
  readonly level: LogLevel;
  readonly message: string;
  readonly fields?: Readonly<Record<string, unknown>>;
}

const jobFields = (job: JobRef): Record<string, string> => ({
  ...{ job: jobNameOf(job), path: job.path, dataType: job.dataType },
});
const jobName = ({ endpoint, placeholders }: JobRef): string =>
  placeholders === undefined ? endpoint : `${endpoint} ${JSON.stringify(placeholders)}`;
/** Returns the outcome of a job without its id, which may be a digest. */
const outcomeFields = ({ id, ...outcome }: JobOutcome): Record<string, unknown> => ({
  job: jobNameOf({ id, ...outcome }),
  ...outcome,
});
const errorFields = ({ name, code }: EventError): Record<string, string> => ({
  error: name,
  ...(code === undefined ? {} : { code }),
});
/** Returns the ids that connect the entries of a run, and of a request. */
const idsOf = (event: RunEvent): Record<string, unknown> => ({
  ...(event.run === undefined ? {} : { run: event.run }),
  ...('request' in event ? { request: event.request } : {}),
  ...('attempt' in event ? { attempt: event.attempt } : {}),
});
const seconds = (milliseconds: number): string => (milliseconds / 1000).toFixed(1);
const counted = (n: number, noun: string): string => `${n} ${noun}${n === 1 ? '' : 's'}`;

/**
 * Returns the log level for an event. Many events are for debugging, because a job may call its children thousands of
 * times.
 */
function levelOf(event: RunEvent): LogLevel {
  switch (event.type) {
    case 'run.started':
    case 'run.skipped':
    case 'retry.scheduled':
    case 'requests.paused':
    case 'credentials.renewed':
    case 'items.shaped':
    case 'run.finished':
      return 'info';
    // The code that ends with the error reports it.
    case 'run.failed':
    case 'run.cancelled':
      return 'info';
    case 'job.started':
    case 'job.submitted':
    case 'pagination.stopped':
    case 'job.finished':
    case 'job.failed':
      return event.job.placeholders === undefined ? 'info' : 'debug';
    case 'request.held':
    case 'request.sent':
    case 'response.received':
    case 'request.failed':
    case 'response.cached':
    case 'page.extracted':
      return 'debug';
    case 'warning':
      return event.isExpected === true ? 'info' : 'warn';
    case 'items.invalid':
      return 'warn';
  }
}

/** Returns the log entry of an event. Events arrive with their secrets masked. */
export const entryOf = (event: RunEvent): Entry => ({ level: levelOf(event), ...textOf(event) });

function textOf(event: RunEvent): Omit<Entry, 'level'> {
  switch (event.type) {
    case 'run.started':
      return event.before === undefined
        ? { message: `Run started: ${counted(event.jobs, 'job')}` }
        : {
            message: `Run goes on: ${counted(event.jobs, 'job')}, ${counted(event.before.items, 'item')} on ${counted(event.before.pages, 'page')} are safe from before`,
            fields: { pages: event.before.pages, items: event.before.items },
          };
    case 'run.skipped':
      return {
        message: `The run ${JSON.stringify(event.runId)} was committed before: nothing is requested, and nothing changes.`,
        fields: { runId: event.runId },
      };
    case 'job.started':
      return { message: `Job ${jobName(event.job)} started`, fields: jobFields(event.job) };
    case 'job.submitted':
      return {
        message:
          `Job ${jobName(event.job)} ${event.isResumed ? 'was submitted before' : 'submitted'}: asked for every ` +
          `${seconds(event.everyMilliseconds)} seconds, for ${seconds(event.timeoutMilliseconds)} at most`,
        fields: jobFields(event.job),
      };
    case 'request.held':
      return {
        message: `Waited ${seconds(event.waitedMilliseconds)} seconds for a limit: ${event.method} ${event.url}`,
        fields: { purpose: event.purpose.kind, waitedMilliseconds: event.waitedMilliseconds },
      };
    case 'request.sent':
      return { message: `${event.method} ${event.url}`, fields: { purpose: event.purpose.kind } };
    case 'response.received':
      return {
        message: `${event.status} ${event.method} ${event.url} (${event.bytes} bytes, ${Math.round(event.milliseconds)} ms)`,
        fields: { status: event.status, bytes: event.bytes, milliseconds: event.milliseconds },
      };
    case 'request.failed':
      return {
        message: `${event.method} ${event.url} failed after ${Math.round(event.milliseconds)} ms: ${event.error.message}`,
        fields: { ...errorFields(event.error), milliseconds: event.milliseconds },
      };
    case 'response.cached':
      return {
        message: `${event.status} ${event.method} ${event.url} (${event.bytes} bytes, from the cache)`,
        fields: { status: event.status, bytes: event.bytes },
      };
    case 'retry.scheduled':
      return {
        message:
          `Http request failed, retrying in ${seconds(event.delayMilliseconds)} seconds [${event.retry}x]. ` +
          `${event.method} ${event.url}: ${event.because}`,
        fields: { retry: event.retry, delayMilliseconds: event.delayMilliseconds },
      };
    case 'requests.paused':
      return {
        message: `Requests wait until ${event.until}: ${event.because}`,
        fields: { until: event.until },
      };
    case 'credentials.renewed':
      return {
        message: `Logged in${event.expiresAt === undefined ? '' : `, until ${event.expiresAt}`}`,
        ...(event.expiresAt === undefined ? {} : { fields: { expiresAt: event.expiresAt } }),
      };
    case 'page.extracted':
      return {
        message: `Page ${event.page.index + 1} of ${jobName(event.page.job)}: ${counted(event.page.count, 'item')}`,
        // The dataType of a page is data: it is not masked.
        fields: { path: event.page.job.path, page: event.page.index, items: event.page.count },
      };
    case 'pagination.stopped':
      return { message: event.because, fields: jobFields(event.job) };
    case 'job.finished':
      return {
        message: `Job ${jobName(event.job)} finished: ${counted(event.items, 'item')} on ${counted(event.pages, 'page')}`,
        fields: { ...jobFields(event.job), pages: event.pages, items: event.items },
      };
    case 'job.failed':
      return {
        message: `Job ${jobName(event.job)} failed: ${event.error.message}`,
        fields: { ...jobFields(event.job), ...errorFields(event.error) },
      };
    case 'items.invalid':
      return {
        message: `${counted(event.items, 'item')} of ${jobName(event.job)} did not decode`,
        fields: { ...jobFields(event.job), items: event.items },
      };
    case 'items.shaped': {
      const { job, arrived, delivered, dropped } = event;
      const by = Object.entries(dropped).flatMap(([name, count]) => (count === 0 ? [] : [`${count} by ${name}`]));
      return {
        message:
          `Of ${counted(arrived, 'item')} of ${jobName(job)} came ${counted(delivered, 'item')}` +
          (by.length === 0 ? '' : `; dropped: ${by.join(', ')}`),
        fields: { ...jobFields(job), arrived, delivered, dropped },
      };
    }
    case 'warning':
      return {
        message: event.message,
        fields: { code: event.code, ...(event.job === undefined ? {} : jobFields(event.job)) },
      };
    case 'run.finished':
      return {
        message: `All jobs finished: ${counted(event.items, 'item')} on ${counted(event.pages, 'page')} (${event.outcome})`,
        fields: { pages: event.pages, items: event.items, outcome: event.outcome, jobs: event.jobs.map(outcomeFields) },
      };
    case 'run.failed':
      return {
        message: `Run failed after ${counted(event.items, 'item')} on ${counted(event.pages, 'page')}`,
        fields: { pages: event.pages, items: event.items, ...errorFields(event.error) },
      };
    case 'run.cancelled':
      return {
        message: `Run cancelled after ${counted(event.items, 'item')} on ${counted(event.pages, 'page')}`,
        fields: { pages: event.pages, items: event.items },
      };
  }
}

/** Returns the entry that replaces all but the first warning of a kind, with the first as the example. */
function sumEntryOf({ first, count }: RepeatedWarning): Entry {
  const { message, fields } = textOf(first);
  const { job, code } = first;
  const name = job === undefined ? '' : `${jobNameOf(job)}: `;
  const place = job === undefined ? '' : ` (${jobName(job)})`;
  return {
    level: levelOf(first),
    message: `${name}${grouped(count - 1)} more warning${count === 2 ? '' : 's'} like this, ${code}, the first${place}: ${message}`,
    fields: { ...fields, count },
  };
}

/**
 * Ends the entry of the first warning of a child job; similar warnings are logged for debugging until they are summed
 * up.
 */
const MORE = ' (More like this of the job are counted.)';

/**
 * Writes the events of a run to a log. Warnings that calls of a child job repeat are summed up at the end of the run:
 * the log has the first one and their number.
 */
export function logEvents(log: Log): (event: RunEvent) => void {
  const repeated = createRepeatedWarnings();
  const write = (event: RunEvent, level: LogLevel, make: () => Omit<Entry, 'level'>): void => {
    // There are several events for each request, most of them for debugging.
    if (log.isLevelEnabled?.(level) === false) return;
    const { message, fields } = make();
    log.log(level, message, { event: event.type, ...idsOf(event), ...fields });
  };
  return (event) => {
    if (event.type === 'warning' && event.job?.placeholders !== undefined) {
      const isRepeated = repeated.isRepeated(event);
      const more = isRepeated ? '' : MORE;
      write(event, isRepeated ? 'debug' : levelOf(event), () => ({
        ...textOf(event),
        message: `${event.message}${more}`,
      }));
      return;
    }
    if (endsRun(event))
      for (const sum of repeated.sumsOf(event.run)) write(sum.first, levelOf(sum.first), () => sumEntryOf(sum));
    write(event, levelOf(event), () => entryOf(event));
  };
}

/** Sums up warnings that calls of one child job repeat: a log has the first one, and one entry for the others. */

export type Warning = Extract<RunEvent, { readonly type: 'warning' }>;

/** Warnings of one kind: the first one and their number. */
export interface RepeatedWarning {
  readonly first: Warning;
  readonly count: number;
}

export interface RepeatedWarnings {
  /** Counts a warning; returns true if there was a similar one before. */
  readonly isRepeated: (warning: Warning) => boolean;
  /**
   * Returns the kinds of warnings that occurred more than once in a run, in the order of their first occurrence, and
   * forgets the run.
   */
  readonly sumsOf: (run: string | undefined) => readonly RepeatedWarning[];
}

/**
 * The most kinds of one code. A code has one message or a few; if an API's text is part of it, all later messages count
 * as the last kind.
 */
const MOST_KINDS = 5;
/** Parts of a message that differ from call to call: addresses, quoted values, numbers. */
const OF_THE_CALL = /[a-z]+:\/\/\S+|"[^"]*"|\d+/gi;

/**
 * Creates a counter of repeated warnings. Warnings are alike if calls of one child job in one run give them with the
 * same code and for the same reason.
 *
 * @example
 * const repeated = createRepeatedWarnings();
 * repeated.isRepeated(warning); // false
 * repeated.isRepeated(warning); // true
 * repeated.sumsOf(warning.run); // [{ first: warning, count: 2 }]
 */
export function createRepeatedWarnings(): RepeatedWarnings {
  /** Warnings by run, then by code and path, then by reason. */
  const runs = new Map<string | undefined, Map<string, Map<string, RepeatedWarning>>>();
  return {
    isRepeated: (warning) => {
      const { run, code, job, message } = warning;
      if (job?.placeholders === undefined) return false;
      const codes = runs.get(run) ?? new Map<string, Map<string, RepeatedWarning>>();
      runs.set(run, codes);
      const place = `${code} ${job.path}`;
      const kinds = codes.get(place) ?? new Map<string, RepeatedWarning>();
      codes.set(place, kinds);
      const reason = message.replace(OF_THE_CALL, '*');
      const kind = kinds.has(reason) || kinds.size < MOST_KINDS ? reason : ([...kinds.keys()].at(-1) ?? reason);
      const known = kinds.get(kind);
      kinds.set(kind, { first: known?.first ?? warning, count: 1 + (known?.count ?? 0) });
      return known !== undefined;
    },
    sumsOf: (run) => {
      const codes = [...(runs.get(run)?.values() ?? [])];
      runs.delete(run);
      return codes.flatMap((kinds) => [...kinds.values()]).filter(({ count }) => count > 1);
    },
  };
}

/** Reports a warning about a run from outside the run's own modules. */
export type Warn = (code: WarningCode, message: string) => void;

/**
 * Returns a function that reports events from outside the run's own modules to the listeners of the run.
 *
 * @example reportTo({ logger })({ type: 'run.skipped', runId: '2024-06-01' })
 */
export function reportTo({
  logger,
  onEvent,
}: {
  readonly logger?: Log;
  readonly onEvent?: (event: RunEvent) => void;
}): Report {
  const log = logger === undefined ? undefined : logEvents(logger);
  return (event) => {
    log?.(event);
    onEvent?.(event);
  };
}

/**
 * Returns a function that reports warnings as events.
 *
 * @example warnTo(reportTo({ logger }))('STATE_RESET', 'The next run starts over.')
 */
export const warnTo =
  (report: Report): Warn =>
  (code, message) =>
    report({ type: 'warning', code, message });

/** Throws on a warning. If warnings are errors, nothing is committed after one. */
export const failOnWarning: Warn = (_, message) => {
  throw new FatalError('WARNINGS', `Warnings count as errors in this run.\n  ${message}`);
};
