/**
 * The command that goes on with a run that was broken off.
 *
 * @example howToResume('config.json', ['duckdb:items.duckdb'])
 */
export const howToResume = (config: string, destinations: readonly string[]): string => {
  const to = destinations.map((url) => `--to ${quoted(withoutPassword(url))}`).join(' ');
  return `What has arrived is safe. Go on with: headwater run ${quoted(config)} ${to} --resume`;
};

/** What a shell would not leave as it is, in single quotes. */
const quoted = (word: string): string => (/^[\w@%+=:,./*-]+$/.test(word) ? word : `'${word.replace(/'/g, `'\\''`)}'`);

const withoutPassword = (url: string): string => url.replace(/^(\w+:\/\/[^/@:]*):[^/@]*@/, '$1:***@');
