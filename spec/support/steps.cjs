/**
 * Loaded into the command before its own code: it counts the steps of the end of a run, and kills the process before one of them. A step is
 * what others can see: something is written to files, sockets, databases or standard streams. They begin when the log says that a job has
 * finished; with HEADWATER_STEPS=all they are all that there are.
 *
 * HEADWATER_KILL_BEFORE is the number of a step; without it the process comes to its end, and says how many steps there were.
 */
const fs = require('node:fs');
const Module = require('node:module');
const { Socket } = require('node:net');

const last = Number(process.env.HEADWATER_KILL_BEFORE ?? Infinity);
const { writeSync } = fs;
let steps = process.env.HEADWATER_STEPS === 'all' ? 0 : undefined;

function step() {
  if (steps === undefined) return;
  steps += 1;
  if (steps === last) process.kill(process.pid, 'SIGKILL');
}

/** Makes a step of each call of these methods. */
function count(owner, names) {
  for (const name of names) {
    const call = owner[name];
    if (typeof call !== 'function') continue;
    owner[name] = function counted(...args) {
      step();
      return call.apply(this, args);
    };
  }
}

const CHANGES = [
  'appendFile',
  'copyFile',
  'cp',
  'link',
  'mkdir',
  'rename',
  'rm',
  'rmdir',
  'symlink',
  'truncate',
  'unlink',
  'writeFile',
];
count(fs.promises, CHANGES);
count(fs, [...CHANGES.map((name) => `${name}Sync`), 'write', 'writev', 'writeSync', 'writevSync']);

const { open } = fs.promises;
let hasHandles = false;
fs.promises.open = async function opened(...args) {
  const handle = await open.apply(this, args);
  if (!hasHandles)
    count(Object.getPrototypeOf(handle), ['appendFile', 'sync', 'truncate', 'write', 'writeFile', 'writev']);
  hasHandles = true;
  return handle;
};

/** What databases do in native code. */
const DATABASES = {
  '@duckdb/node-api': ({ DuckDBConnection, DuckDBInstance }) => {
    count(DuckDBInstance, ['create']);
    count(DuckDBInstance.prototype, ['closeSync']);
    count(DuckDBConnection.prototype, ['run', 'closeSync']);
  },
  'node:sqlite': ({ DatabaseSync, StatementSync }) => {
    count(DatabaseSync.prototype, ['exec', 'close']);
    count(StatementSync.prototype, ['run']);
  },
};
const load = Module._load;
Module._load = function loaded(request, ...args) {
  const found = load.call(this, request, ...args);
  DATABASES[request]?.(found);
  delete DATABASES[request];
  return found;
};

count(Socket.prototype, ['write', 'end']);
count(process.stdout, ['write']);
const { write } = process.stderr;
process.stderr.write = function written(...args) {
  step();
  if (/Job .* finished/.test(String(args[0]))) steps ??= 0;
  return write.apply(this, args);
};

process.on('exit', () => {
  step();
  writeSync(2, `Steps: ${steps}\n`);
});
