/**
 * The command that goes on with a run that was broken off.
 *
 * @param isIncomplete the run went through, but is incomplete: it can be committed as it is
 * @example howToResume('config.json', ['duckdb:items.duckdb'])
 */
export const howToResume = (config: string, destinations: readonly string[], isIncomplete = false): string => {
  const flags = isIncomplete ? '--resume --accept-incomplete' : '--resume';
  const start = `What has arrived is safe. ${isIncomplete ? 'Store it all the same' : 'Go on'} with`;
  if (!destinations.every((url) => FILES.test(url))) return `${start} the same command and ${flags}.`;
  const to = destinations.map((url) => `--to ${quoted(url)}`).join(' ');
  return `${start}: headwater run ${quoted(config)} ${to} ${flags}`;
};

/** All other addresses may hold a password. */
const FILES = /^(ndjson|csv|parquet|duckdb):/;

/** What a shell would not leave as it is, in single quotes. */
const quoted = (word: string): string => (/^[\w@%+=:,./*-]+$/.test(word) ? word : `'${word.replace(/'/g, `'\\''`)}'`);
