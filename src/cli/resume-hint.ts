/** What the hint says beside the configuration and its destinations. */
interface RunFacts {
  /** Given where the run went through, but is incomplete: how many items would be committed. */
  readonly incompleteItems?: number | undefined;
  /** The modules with parts of the user's own. */
  readonly modules?: readonly string[] | undefined;
}

/**
 * The command that goes on with a run that was broken off.
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

/** All other addresses may hold a password. */
const FILES = /^(ndjson|csv|parquet|duckdb):/;

/** What a shell would not leave as it is, in single quotes. */
const quoted = (word: string): string => (/^[\w@%+=:,./*-]+$/.test(word) ? word : `'${word.replace(/'/g, `'\\''`)}'`);
