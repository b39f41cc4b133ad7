/** What is kept of the log of the command: what a refactoring must not change, without times and ids. */

/** Times, ids, and what depends on them: the delay of a retry has a share of chance. */
const LEFT_OUT = ['timestamp', 'run', 'milliseconds', 'delayMilliseconds', 'startedAt', 'until'];

const parsed = (line) => {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
};

const withoutTimes = (entry) => Object.fromEntries(Object.entries(entry).filter(([key]) => !LEFT_OUT.includes(key)));

const kept = (entry) => {
  const { event = 'message', level, message, code } = entry;
  if (level === 'error' || level === 'warn') return withoutTimes(entry);
  return `${event}${code === undefined ? '' : ` ${code}`}: ${message}`;
};

/**
 * The summary stands by itself, since it names the destination: the rest of the log is the same in all of them. What it
 * says of tables in its fields is in the receipts.
 */
export const logOf = (stderr) => {
  const entries = stderr
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => parsed(line) ?? line);
  return {
    log: entries
      .filter(({ event }) => event !== 'summary')
      .map((entry) => (typeof entry === 'string' ? entry : kept(entry))),
    summary: entries.filter(({ event }) => event === 'summary').map(({ message }) => message),
  };
};
