/**
 * Fills the servers whose names are given, extracts what is in them with the built command, and compares it with what they say
 * themselves. Prints one line a check; ends with status 1 if one of them fails. real-servers.sh starts the servers and runs this.
 */
import { spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isDeepStrictEqual } from 'node:util';
import { setTimeout as sleep } from 'node:timers/promises';

/** The line of a response in the log. */
const RESPONSE = / debug: \d{3} [A-Z]+ /g;

const root = fileURLToPath(new URL('../..', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'headwater-real-'));
let failures = 0;

try {
  for (const name of process.argv.slice(2)) await compare(name);
} finally {
  rmSync(folder, { recursive: true });
}
process.exitCode = failures === 0 ? 0 : 1;

async function compare(name) {
  const url = process.env[`HEADWATER_REAL_${name.toUpperCase().replaceAll('-', '_')}`];
  const { fill, checks } = await import(`./${name}.mjs`);
  await fill(url);
  for (const check of await checks(url)) {
    const faults = await faultsOf(check);
    if (faults.length > 0) failures += 1;
    console.log(`${faults.length === 0 ? 'ok    ' : 'FAILED'} ${check.configuration}: ${check.what}`);
    for (const fault of faults) console.log(`         ${fault}`);
  }
}

/**
 * What is wrong with an extraction.
 *
 * @param configuration the name of one in catalogue/
 * @param attributes of `config`: the address and the credentials
 * @param change changes the configuration, where a check wants small pages
 * @param expected by data type: how many items the server counts, and those that it lists
 * @param pick by data type: what of an item is compared, if not all
 * @param warned what a warning may say, or several of that; any other is a fault
 * @param atLeast by a string in the lines of the log: how often it has to be there
 * @param since changes what the server has, and gives what a run that begins where another one came to has to find
 */
async function faultsOf({
  configuration,
  attributes,
  change = () => {},
  expected,
  pick = {},
  atLeast = {},
  warned = [],
  kill,
  since,
}) {
  const document = JSON.parse(readFileSync(join(root, 'catalogue', `${configuration}.json`), 'utf8'));
  Object.assign(document.config, attributes);
  change(document);
  const path = join(folder, `${configuration}.json`);
  writeFileSync(path, JSON.stringify(document));
  const state = since === undefined ? [] : ['--state', join(folder, 'state.json')];
  if (since !== undefined) {
    await printed(path, state);
    expected = await since();
  }
  const { status, items, log } = kill === undefined ? await printed(path, state) : await stored(path, kill);
  if (status !== 0) return [`status ${status}: ${log.trim().split('\n').slice(-6).join('\n         ')}`];
  const faults = [];
  for (const [type, { count, items: listed }] of Object.entries(expected)) {
    const found = (items.get(type) ?? []).map(pick[type] ?? ((item) => item));
    if (found.length !== count) faults.push(`${type}: the server counts ${count} items, ${found.length} came`);
    if (!isDeepStrictEqual(sorted(found), sorted(listed)))
      faults.push(`${type}: items differ from those that the server lists`);
  }
  for (const type of items.keys()) if (!(type in expected)) faults.push(`${type}: nothing of this type was expected`);
  for (const [text, count] of Object.entries(atLeast)) {
    const found = log.split(text).length - 1;
    if (found < count) faults.push(`the log says "${text}" ${found} times, not ${count}`);
  }
  const warnings = log
    .split('\n')
    .filter((line) => / (warn|error): /.test(line) && ![warned].flat().some((text) => line.includes(text)));
  return [...faults, ...warnings.slice(0, 3)];
}

/** One run that prints. */
async function printed(path, more) {
  const { status, stdout, log } = await ended(['run', path, '--tag', '--log-level', 'debug', ...more]);
  const items = new Map();
  for (const line of stdout.split('\n').filter((text) => text !== '')) {
    const { dataType, item } = JSON.parse(line);
    items.set(dataType, [...(items.get(dataType) ?? []), item]);
  }
  return { status, items, log };
}

/** Runs that store, which are killed after `kill` responses, later ones after more, and go on until one of them ends by itself. */
async function stored(path, kill) {
  const target = join(folder, 'stored');
  rmSync(target, { recursive: true, force: true });
  let log = '';
  for (let run = 0; run < 50; run += 1) {
    const end = await ended(
      ['run', path, '--to', `ndjson:${target}`, '--resume', '--log-level', 'debug'],
      Math.round(kill * (1 + run / 4)),
    );
    log += end.log;
    if (end.status !== null) return { ...end, log, items: filesOf(target) };
    await sleep(50);
  }
  return { status: null, items: new Map(), log };
}

function filesOf(target) {
  return new Map(
    readdirSync(target)
      .filter((file) => file.endsWith('.ndjson'))
      .map((file) => [
        file.replace('.ndjson', ''),
        readFileSync(join(target, file), 'utf8')
          .trimEnd()
          .split('\n')
          .map((line) => JSON.parse(line)),
      ]),
  );
}

function ended(args, kill) {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [join(root, 'dist', 'cli', 'main.js'), ...args], {
      cwd: folder,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let stdout = '';
    let log = '';
    child.stdout.setEncoding('utf8').on('data', (text) => (stdout += text));
    child.stderr.setEncoding('utf8').on('data', (text) => {
      log += text;
      if (kill !== undefined && (log.match(RESPONSE)?.length ?? 0) >= kill) child.kill('SIGKILL');
    });
    child.on('error', reject);
    child.on('close', (status) => resolve({ status, stdout, log }));
  });
}

function sorted(items) {
  return items.map((item) => JSON.stringify(ordered(item))).sort();
}

/** With its keys in order: a server need not list them alike. */
function ordered(value) {
  if (Array.isArray(value)) return value.map(ordered);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, inner]) => [key, ordered(inner)]),
  );
}
