/** Runs one cell, a case in a column, and gives what is to be recorded of it. */
import { existsSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startApi } from './api.mjs';
import { columns } from './columns.mjs';
import { runCommand } from './command.mjs';
import { libraryColumns } from './library.mjs';
import { logOf } from './log.mjs';
import { digested, normal } from './normal.mjs';
import { receipt } from './receipts.mjs';

const CONFIGURATION = 'config.json';
const STATE = 'state.json';

/** The configuration of a case, with the address of its API. */
const configured = (config, api) => {
  const made = typeof config === 'function' ? config(api) : config;
  return typeof made === 'string' ? made : { ...made, api: { baseUrl: `${api.origin}/`, ...made.api } };
};

const byText = (left, right) => {
  const [first, second] = [JSON.stringify(left), JSON.stringify(right)];
  return first < second ? -1 : first > second ? 1 : 0;
};

/** What calls that run at once do comes in any order. */
const inOrder = (list, { unordered }) => (unordered ? [...list].sort(byText) : list);

const requestsOf = (api, one) => digested([...inOrder(api.requests(), one)]);

const tablesOf = (tables, one) =>
  Object.fromEntries(
    Object.entries(tables).map(([name, { columns: types, rows }]) => [
      name,
      { ...(types && { columns: types }), rows: digested(inOrder(rows, one)) },
    ]),
  );

/** The order of entries is part of the log, unless jobs run at once. */
const logged = (stderr, one) => {
  const { log, summary } = logOf(stderr);
  return { log: inOrder(log, one), summary };
};

/** When runs began and what guards the file are other ones each time. */
const stateOf = (folder) => {
  const file = join(folder, STATE);
  if (!existsSync(file)) return undefined;
  return JSON.parse(readFileSync(file, 'utf8'), (key, value) =>
    /checksum|digest|fingerprint/i.test(key) ? '<checksum>' : /start/i.test(key) ? '<time>' : value,
  );
};

const inCommand = async (one, name, { dist, folder, api }) => {
  const column = columns[name];
  const database = await column.open?.(one.name);
  const results = [];
  try {
    for (const [index, run] of (one.runs ?? [{}]).entries()) {
      const configuration = configured(run.config ?? one.config, api);
      writeFileSync(
        join(folder, CONFIGURATION),
        typeof configuration === 'string' ? configuration : JSON.stringify(configuration),
      );
      api.begin(index);
      const { status, stdout, stderr } = await runCommand({
        node: column.node ?? process.execPath,
        dist,
        folder,
        options: [
          ...['run', CONFIGURATION, '--to', database?.url ?? column.to],
          ...['--log-format', 'json', '--progress', 'none'],
          ...(one.options ?? []),
          ...(run.options ?? []),
        ],
        variables: { ...one.variables, ...run.variables },
        onStart: (kill) => api.begin(index, run.killAt, kill),
      });
      const { tables, receipts } = await column.read({ folder, stdout, database });
      results.push({
        status,
        requests: requestsOf(api, one),
        // What a process that was killed could still say is a matter of chance.
        ...(status !== 'SIGKILL' && logged(stderr, one)),
        tables: tablesOf(tables, one),
        // One a run that was committed: the last one is of this run, or of one before.
        receipts: { count: receipts.length, last: receipts.slice(-1).map(receipt)[0] },
        state: stateOf(folder),
      });
    }
  } finally {
    await database?.drop();
  }
  return {
    runs: results,
    aliases: database ? database.addresses.map((address) => [address, 'postgres://<database>']) : [],
  };
};

const inLibrary = async (one, name, { library, folder, api }) => {
  const configuration = configured(one.config, api);
  const found = await libraryColumns[name](library, configuration, folder);
  return { runs: [{ ...found, requests: requestsOf(api, one) }], aliases: [] };
};

/** Gives `{ missing }` where this machine cannot run it, else `{ recorded }`. */
export const runCell = async (one, name, { dist, library }) => {
  if (columns[name]?.missing) return { missing: columns[name].missing };
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'headwater-fence-')));
  const api = await startApi(one);
  try {
    const { runs, aliases } = await (name in libraryColumns
      ? inLibrary(one, name, { library, folder, api })
      : inCommand(one, name, { dist, folder, api }));
    const known = [
      ...aliases,
      [folder, '<folder>'],
      [`127.0.0.1:${api.port}`, '<api>'],
      ...(one.aliases?.(api.memory) ?? []),
    ];
    return { recorded: normal({ runs }, known) };
  } finally {
    await api.stop();
    rmSync(folder, { recursive: true, force: true });
  }
};
