/**
 * The command that goes on with a run that was broken off.
 *
 * @example howToResume('config.json', ['duckdb:items.duckdb'])
 */
export const howToResume = (config: string, destinations: readonly string[]): string => {
  if (!destinations.every((url) => FILES.test(url)))
    return 'What has arrived is safe. Go on with the same command and --resume.';
  const to = destinations.map((url) => `--to ${quoted(url)}`).join(' ');
  return `What has arrived is safe. Go on with: headwater run ${quoted(config)} ${to} --resume`;
};

/** All other addresses may hold a password. */
const FILES = /^(ndjson|csv|parquet|duckdb):/;

/** What a shell would not leave as it is, in single quotes. */
const quoted = (word: string): string => (/^[\w@%+=:,./*-]+$/.test(word) ? word : `'${word.replace(/'/g, `'\\''`)}'`);
