/** What the hint mentions beside the configuration and its destinations. */
interface RunFacts {
  /** The number of items that would be committed, where the run has ended but is incomplete. */
  readonly incompleteItems?: number | undefined;
  /** The modules with parts of the user's own. */
  readonly modules?: readonly string[] | undefined;
}

/**
 * The command that resumes an interrupted run.
 *
 * @example howToResume('config.json', ['duckdb:items.duckdb'])
 */
export const howToResume = (config: string, destinations: readonly string[], facts: RunFacts = {}): string => {
  const { incompleteItems, modules = [] } = facts;
  const isIncomplete = incompleteItems !== undefined;
  const flags = isIncomplete ? '--resume --accept-incomplete' : '--resume';
  const start = isIncomplete
    ? `What has arrived is safe: ${incompleteItems} ${incompleteItems === 1 ? 'item' : 'items'}. Store it all the same with`
    : 'What has arrived is safe. Go on with';
  if (!destinations.every((url) => FILES.test(url))) return `${start} the same command and ${flags}.`;
  const to = destinations.map((url) => `--to ${quoted(url)}`).join(' ');
  const own = modules.map((file) => ` --components ${quoted(file)}`).join('');
  return `${start}: headwater run ${quoted(config)} ${to}${own} ${flags}`;
};

/** Addresses that are printed: all others may hold a password. */
const FILES = /^(ndjson|csv|parquet|duckdb):/;

/** What a shell would not leave as it is, in single quotes. */
const quoted = (word: string): string => (/^[\w@%+=:,./*-]+$/.test(word) ? word : `'${word.replace(/'/g, `'\\''`)}'`);
