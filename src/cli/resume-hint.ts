/** What the hint mentions beside the configuration and its destinations. */
interface RunFacts {
  /** The number of items that would be committed, where the run has ended but is incomplete. */
  readonly incompleteItems?: number | undefined;
  /** The modules with parts of the user's own. */
  readonly modules?: readonly string[] | undefined;
  /** The id that the run was given: it is enough to go on with it. */
  readonly runId?: string | undefined;
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
  const { incompleteItems, modules = [], runId } = facts;
  const isIncomplete = incompleteItems !== undefined;
  const goOn = runId === undefined ? '--resume' : `--run-id ${quoted(runId)}`;
  const flags = isIncomplete ? `${goOn} --accept-incomplete` : goOn;
  const start = isIncomplete
    ? `What has arrived is safe: ${incompleteItems} ${incompleteItems === 1 ? 'item' : 'items'}. Store it all the same with`
    : 'What has arrived is safe. Go on with';
  if (!destinations.every(isPrinted)) return `${start} the same command and ${flags}.`;
  const to = destinations.map((url) => `--to ${quoted(url)}`).join(' ');
  const own = modules.map((file) => ` --components ${quoted(file)}`).join('');
  return `${start}: headwater run ${quoted(config)} ${to}${own} ${flags}`;
};

const isPrinted = (destination: string | object): destination is string =>
  typeof destination === 'string' && FILES.test(destination);

/** Addresses that are printed: all others may hold a password. */
const FILES = /^(ndjson|csv|parquet|duckdb|sqlite):/;

/** What a shell would not leave as it is, in single quotes. */
const quoted = (word: string): string => (/^[\w@%+=:,./*-]+$/.test(word) ? word : `'${word.replace(/'/g, `'\\''`)}'`);
