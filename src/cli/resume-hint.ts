import { FatalError } from '..';
import { counted } from './progress/words';
import { quoted } from './quoted';
import type { RunFlags } from './run/flags';

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
