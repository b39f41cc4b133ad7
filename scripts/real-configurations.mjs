/**
 * Checks published configurations of others with the built command: validates each as it is and completed, and runs each
 * completed one against a loopback API.
 *
 *   node scripts/real-configurations.mjs [FOLDER] [--json]
 *
 * FOLDER (default ../shared/real-configs) holds `*.json` and `MISSING_ATTRS.tsv`: a heading, then lines of a file name, a
 * tab, and the attributes that its user supplies. Exit status 1 when anything but a stated error ended a run.
 */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { deliver, HeadwaterError, parseJson, sinks, stringifyJson, validate } from '../dist/index.js';
import { completed, readMissingAttributes } from './real-configurations/complete.mjs';
import { startFittingApi } from './real-configurations/fitting-api.mjs';

const LIMIT_MS = 20_000;
const [folder = '../shared/real-configs'] = process.argv.slice(2).filter((argument) => !argument.startsWith('--'));

/** Faults and warnings, or what was thrown instead. */
function checked(configuration, lenient = true) {
  try {
    return { faults: [], warnings: validate(configuration, { lenient }).warnings };
  } catch (error) {
    if (error.code === 'CONFIG_INVALID') return { faults: error.faults, warnings: [] };
    return { faults: [], warnings: [], crash: String(error.stack) };
  }
}

/** How `headwater run` ends: what it says of the run, the code of its error, or `crash`. */
async function outcomeOf(configuration, lenient, { dispatcher, serve, requests }) {
  const output = mkdtempSync(join(tmpdir(), 'headwater-'));
  serve(configuration);
  const layout = { suffix: '', bucketPrefix: 'always', manifests: true };
  const destination = sinks.csv(output, { layout, keepsNothing: true });
  try {
    const signal = AbortSignal.timeout(LIMIT_MS);
    const { outcome } = await deliver(configuration, [destination], { lenient, dispatcher, signal });
    return { outcome, requests: requests(), files: readdirSync(output).length };
  } catch (error) {
    const outcome = error instanceof HeadwaterError ? error.code : 'crash';
    return { outcome, requests: requests(), message: String(outcome === 'crash' ? error.stack : error.message) };
  } finally {
    rmSync(output, { recursive: true, force: true });
  }
}

async function checkAll() {
  const missing = readMissingAttributes(join(folder, 'MISSING_ATTRS.tsv'));
  const api = await startFittingApi();
  const results = [];
  try {
    for (const file of readdirSync(folder).filter((name) => name.endsWith('.json'))) {
      const content = readFileSync(join(folder, file), 'utf8');
      const whole = parseJson(stringifyJson(completed(JSON.parse(content), missing.get(file) ?? [])));
      const whenCompleted = checked(whole);
      const strict = checked(whole, false);
      const run = whenCompleted.faults.length > 0 ? undefined : await outcomeOf(whole, strict.faults.length > 0, api);
      results.push({ file, asWritten: checked(parseJson(content)), completed: whenCompleted, strict, run });
    }
  } finally {
    await api.close();
  }
  return results;
}

/** Texts and how often each occurs, the most frequent first. */
function frequencies(texts) {
  const counts = new Map();
  for (const text of texts) counts.set(text, (counts.get(text) ?? 0) + 1);
  return [...counts].sort(([, a], [, b]) => b - a);
}

function print(results) {
  const refused = results.filter(({ completed: { faults } }) => faults.length > 0);
  const runs = results.flatMap(({ run }) => (run === undefined ? [] : [run]));
  const accepted = results.filter(({ asWritten: { faults } }) => faults.length === 0).length;
  console.log(
    `${results.length} configurations; accepted as written ${accepted}, completed ${results.length - refused.length}.`,
  );
  console.log(
    `Ends of runs: ${frequencies(runs.map(({ outcome }) => outcome))
      .map(([name, count]) => `${name} ${count}`)
      .join(', ')};`,
  );
  console.log(`${runs.reduce((sum, run) => sum + run.requests, 0)} requests.\n\nRefused:`);
  for (const {
    file,
    completed: { faults },
  } of refused)
    for (const { path, message } of faults) console.log(`  ${file.slice(0, 3)} ${path}: ${message}`);
  console.log('\nRefused unless lenient, for keys that look like others:');
  for (const { file, completed: whole, strict } of results)
    if (whole.faults.length === 0)
      for (const { path, message } of strict.faults) console.log(`  ${file.slice(0, 3)} ${path}: ${message}`);
  console.log('\nRuns that are not complete:');
  for (const { file, run } of results)
    if (run !== undefined && run.outcome !== 'complete')
      console.log(`  ${file.slice(0, 3)} ${run.outcome}: ${run.message}`);
  console.log('\nWarnings, and in how many places:');
  const lines = results.flatMap(({ completed: { warnings } }) =>
    warnings.map(({ path, message }) => `${lastKeyOf(path)}: ${message}`),
  );
  for (const [line, count] of frequencies(lines)) console.log(`${String(count).padStart(5)}  ${line}`);
}

const lastKeyOf = (path) => path.replace(/^config\.jobs\[\d+\](\.children\[\d+\])*/, 'job');

const results = await checkAll();
if (process.argv.includes('--json')) process.stdout.write(JSON.stringify(results));
else print(results);
const isCrash = ({ asWritten, completed: whole, run }) => asWritten.crash ?? whole.crash ?? run?.outcome === 'crash';
process.exitCode = results.some(isCrash) ? 1 : 0;
