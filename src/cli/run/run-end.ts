import { FatalError, jobNameOf } from '../..';
import type { JobOutcome, Log, Outcome, RunEvent } from '../..';
import { FINISHED } from '../exit-status';
import { quoted } from '../output';
import type { RunFlags } from './flags';
import { counted } from './words';

const ORDER: readonly Outcome[] = ['failed', 'incomplete', 'stopped', 'complete'];
const STARTS: Readonly<Partial<Record<Outcome, string>>> = {
  failed: 'Extractor finished, but jobs failed.',
  incomplete: 'Extractor finished, but the run is incomplete.',
};
/** More jobs than these are only counted. */
const MOST_NAMES = 10;

/**
 * The last line of a run: whether it is complete, by job.
 *
 * @param warnings how many there were
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

/** A line that says all went well must not stand right behind a warning as if there were none. */
const withWarnings = (line: string, warnings: number): string =>
  warnings === 0 ? line : `${line.slice(0, -1)}, with ${counted(warnings, 'warning')}.`;

function groupOf(outcome: Outcome, jobs: readonly JobOutcome[]): readonly string[] {
  const names = [...new Set(jobs.filter((job) => job.outcome === outcome).map(jobNameOf))];
  if (names.length === 0) return [];
  const more = names.length > MOST_NAMES ? ` and ${names.length - MOST_NAMES} more` : '';
  return [`${outcome}: ${names.slice(0, MOST_NAMES).join(', ')}${more}`];
}

/** What the hint mentions beside the configuration and its destinations. */
interface RunFacts {
  /** The number of items that would be committed, where the run has ended but is incomplete. */
  readonly incompleteItems?: number | undefined;
  /** What the run was asked for: it goes on in the same way, or its rows would be others. */
  readonly flags?: Partial<RunFlags>;
  /** What the run ended with. */
  readonly error?: unknown;
  /** Masks the secrets of the configuration; absent: it has none. */
  readonly mask?: (text: string) => string;
}

/** These errors come of the items themselves: the same destination would refuse them again. */
const OF_ITEMS: ReadonlySet<string> = new Set(['API_SHAPE', 'COLUMN_TYPE']);

/** The destination that refused what arrived, for good. */
function refusing(error: unknown): string | undefined {
  if (!(error instanceof FatalError) || !OF_ITEMS.has(error.code)) return undefined;
  return error.destination;
}

/**
 * The command that resumes an interrupted run.
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
      : `What has arrived is safe: ${counted(incompleteItems, 'item')}. Store it all the same with`
    : `What has arrived is safe. ${isOfDestination(error) ? 'Where the configuration stays as it is, go' : 'Go'} on with`;
  const own = optionsOf(given);
  if (!destinations.every(isPrinted) || mask(own) !== own) return `${start} the same command and ${flags}.`;
  const to = destinations.map((url) => `--to ${quoted(url)}`).join(' ');
  return `${start}: headwater run ${quoted(config)} ${to}${own} ${flags}`;
};

/** What the command has in another way, or not any more. */
const APART: ReadonlySet<string> = new Set<keyof RunFlags>(['to', 'resume', 'runId', 'acceptIncomplete']);
const DEFAULTS: ReadonlySet<string> = new Set(['cacheDir .headwater-cache', 'logFormat text', 'progress auto']);

/** The options of a run as a person writes them, but for those at their defaults. */
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

/** Addresses that are printed, unless they hold a secret of the configuration: all others may hold a password. */
const FILES = /^(ndjson|csv|parquet|duckdb|sqlite):/;

/** Milliseconds after which a person wonders whether an interruption was heard. */
const SOON = 1000;

/** Says of a run that was interrupted, and takes a while to end in order, that it does so. Returns what ends it. */
export function tellThatItEnds(signal: AbortSignal, log: Log): () => void {
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
