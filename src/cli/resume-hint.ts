import { FatalError } from '../index';
import { counted } from './progress/words';
import { quoted } from './quoted';

/** What the hint mentions beside the configuration and its destinations. */
interface RunFacts {
  /** The number of items that would be committed, where the run has ended but is incomplete. */
  readonly incompleteItems?: number | undefined;
  /** The modules with parts of the user's own. */
  readonly modules?: readonly string[] | undefined;
  /** The files with environment variables. */
  readonly envFiles?: readonly string[] | undefined;
  /** The id that the run was given: it is enough to go on with it. */
  readonly runId?: string | undefined;
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
  const { incompleteItems, modules = [], envFiles = [], runId, error, mask = (text) => text } = facts;
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
  if (!destinations.every(isPrinted)) return `${start} the same command and ${flags}.`;
  const to = destinations.map((url) => `--to ${quoted(url)}`).join(' ');
  const own = modules.map((file) => ` --components ${quoted(file)}`).join('');
  const env = envFiles.map((file) => ` --env-file ${quoted(file)}`).join('');
  return `${start}: headwater run ${quoted(config)} ${to}${own}${env} ${flags}`;
};

const CORRECT = 'Correct the configuration as the message says, and run it again without --resume.';
const others = (by: string): string =>
  `Those of the other destinations that have none of it get it with the same command without ${by}, and with --resume. ${CORRECT}`;

const isOfDestination = (error: unknown): boolean =>
  error instanceof FatalError && error.code === 'DESTINATION_INCOMPATIBLE';

/** Addresses that are printed, unless they hold a secret of the configuration: all others may hold a password. */
const FILES = /^(ndjson|csv|parquet|duckdb|sqlite):/;
