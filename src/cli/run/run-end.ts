import { FatalError, jobNameOf } from '../..';
import type { JobOutcome, Log, Outcome, RunEvent } from '../..';
import { FINISHED } from '../exit-status';
import { quoted } from '../output';
import type { RunFlags } from './flags';
import { counted } from '../../core/text';

const ORDER: readonly Outcome[] = ['failed', 'doubtful', 'stopped', 'complete'];
const STARTS: Readonly<Partial<Record<Outcome, string>>> = {
  doubtful: 'Extractor finished, but it is doubtful whether the run is complete.',
};
/** The maximum number of jobs that are named; more are only counted. */
const MOST_NAMES = 10;

/**
 * Returns the last line of a run: whether it is complete, for each job.
 *
 * @param warnings the number of warnings
 * @example finishedLine(event, 0) // 'Extractor finished successfully. Stopped: events; complete: stations, rivers.'
 */
export function finishedLine(
  { outcome, jobs }: Pick<Extract<RunEvent, { readonly type: 'run.finished' }>, 'outcome' | 'jobs'>,
  warnings: number,
): string {
  const start = STARTS[outcome] ?? withWarnings(FINISHED, warnings);
  const groups = ORDER.flatMap((each) => groupOf(each, jobs));
  if (groups.length === 0) return start;
  const text = groups.join('; ');
  return `${start} ${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}

/** Returns the line with the number of warnings, since a line about success right after a warning would hide it. */
const withWarnings = (line: string, warnings: number): string =>
  warnings === 0 ? line : `${line.slice(0, -1)}, with ${counted(warnings, 'warning')}.`;

function groupOf(outcome: Outcome, jobs: readonly JobOutcome[]): readonly string[] {
  const names = [...new Set(jobs.filter((job) => job.outcome === outcome).map(jobNameOf))];
  if (names.length === 0) return [];
  const more = names.length > MOST_NAMES ? ` and ${names.length - MOST_NAMES} more` : '';
  return [`${outcome}: ${names.slice(0, MOST_NAMES).join(', ')}${more}`];
}

/** The facts for the hint, beside the configuration and its destinations. */
interface RunFacts {
  /** The number of items that would be committed, if the run has ended but is incomplete. */
  readonly incompleteItems?: number | undefined;
  /** The flags of the run: it has to be resumed with the same ones, or its rows would differ. */
  readonly flags?: Partial<RunFlags>;
  /** The error of the run. */
  readonly error?: unknown;
  /** Masks the secrets of the configuration; absent: it has none. */
  readonly mask?: (text: string) => string;
}

/** The codes of errors of the items themselves: the same destination would refuse them again. */
const OF_ITEMS: ReadonlySet<string> = new Set(['API_SHAPE', 'COLUMN_TYPE', 'KEY_NOT_FOUND']);

/** Returns the destination that refused its items for good. */
function refusing(error: unknown): string | undefined {
  if (!(error instanceof FatalError) || !OF_ITEMS.has(error.code)) return undefined;
  return error.destination;
}

/**
 * Returns the command that resumes an interrupted run.
 *
 * @example howToResume('config.json', ['duckdb:items.duckdb'])
 */
export const howToResume = (
  config: string,
  destinations: readonly (string | object)[],
  facts: RunFacts = {},
): string => {
  const { incompleteItems, flags: given = {}, error, mask = (text) => text } = facts;
  const { runId } = given;
  const isPrinted = (destination: string | object): destination is string =>
    typeof destination === 'string' && FILES.test(destination) && mask(destination) === destination;
  const by = refusing(error);
  if (by !== undefined) return `${by} does not take what arrived. ${destinations.length > 1 ? others(by) : CORRECT}`;
  const isIncomplete = incompleteItems !== undefined;
  const goOn = runId === undefined ? '--resume' : `--run-id ${quoted(runId)}`;
  const flags = isIncomplete ? `${goOn} --accept-incomplete` : goOn;
  const start = isIncomplete
    ? incompleteItems === 0
      ? 'No item has arrived. Where that is right, end the run all the same with'
      : `What has arrived is safe: ${counted(incompleteItems, 'item')}. A run without --resume requests all again; store it all the same with`
    : `What has arrived is safe. ${isOfDestination(error) ? 'Where the configuration stays as it is, go' : 'Go'} on with`;
  const own = optionsOf(given);
  if (!destinations.every(isPrinted) || mask(own) !== own) return `${start} the same command and ${flags}.`;
  const to = destinations.map((url) => `--to ${quoted(url)}`).join(' ');
  return `${start}: headwater run ${quoted(config)} ${to}${own} ${flags}`;
};

/** Flags that the command does not repeat, or writes in another way. */
const APART: ReadonlySet<string> = new Set<keyof RunFlags>(['to', 'resume', 'runId', 'acceptIncomplete']);
const DEFAULTS: ReadonlySet<string> = new Set(['cacheDir .headwater-cache', 'logFormat text', 'progress auto']);

/** Returns the options of a run as a user writes them, except those at their defaults. */
const optionsOf = (flags: Partial<RunFlags>): string =>
  Object.entries(flags)
    .filter(([name, value]) => !APART.has(name) && value !== false && !DEFAULTS.has(`${name} ${String(value)}`))
    .flatMap(([name, value]) => {
      const option = ` --${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
      return value === true ? [option] : [value].flat().map((each) => `${option} ${quoted(String(each))}`);
    })
    .join('');

const CORRECT = 'Correct the configuration as the message says, and run it again without --resume.';
const others = (by: string): string =>
  `Those of the other destinations that have none of it get it with the same command without ${by}, and with --resume. ${CORRECT}`;

const isOfDestination = (error: unknown): boolean =>
  error instanceof FatalError && error.code === 'DESTINATION_INCOMPATIBLE';

/** Matches addresses that may be printed, unless they contain a secret of the configuration: all others may contain a password. */
const FILES = /^(ndjson|csv|parquet|duckdb|sqlite):/;

/** Milliseconds after which the log says that an interruption was received. */
const SOON = 1000;

/** Reports that an interrupted run is ending, if that takes a while. Returns a function that ends this. */
export function announceShutdown(signal: AbortSignal, log: Log): () => void {
  let timer: NodeJS.Timeout | undefined;
  const interrupted = (): void => {
    timer = setTimeout(() => log.log('info', ENDS), SOON);
    timer.unref();
  };
  signal.addEventListener('abort', interrupted, { once: true });
  return () => {
    clearTimeout(timer);
    signal.removeEventListener('abort', interrupted);
  };
}

const ENDS = 'The run ends in order: what has arrived is made safe. Ctrl-C once more ends it at once.';
