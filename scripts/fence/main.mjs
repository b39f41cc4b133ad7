/**
 * Records what the command and the library do, and compares it with what they did before.
 *
 *   node scripts/fence/main.mjs record  [--only NAME] [--dist DIR] [--jobs N]
 *   node scripts/fence/main.mjs compare [--only NAME] [--dist DIR] [--jobs N]
 *   node scripts/fence/main.mjs list
 *
 * NAME is a case, or a case and a column: `offset`, `offset/duckdb`. README.md says more.
 */
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { cases } from './cases.mjs';
import { runCell } from './cell.mjs';
import { differences } from './differences.mjs';
import { inLanes } from './lanes.mjs';
import { orphans, readRecording, removeRecording, writeRecording } from './recordings.mjs';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    only: { type: 'string' },
    dist: { type: 'string', default: new URL('../../dist', import.meta.url).pathname },
    jobs: { type: 'string', default: '2' },
  },
});
const [task] = positionals;
const dist = resolve(values.dist);

const cells = cases
  .flatMap((one) => one.to.map((column) => ({ one, column, name: `${one.name}/${column}` })))
  .filter(({ one, name }) => values.only === undefined || values.only === one.name || values.only === name);

const runAll = async (each) => {
  const library = await import(pathToFileURL(join(dist, 'index.js')).href);
  return inLanes(cells, Number(values.jobs), async (cell) => {
    const started = performance.now();
    try {
      const outcome = await runCell(cell.one, cell.column, { dist, library });
      each(cell, outcome, performance.now() - started);
      return outcome;
    } catch (error) {
      throw new Error(`${cell.name} could not be run`, { cause: error });
    }
  });
};

const reportKnownWrong = () => {
  const wrong = cases.filter(({ knownWrong, name }) => knownWrong && cells.some(({ one }) => one.name === name));
  for (const { name, knownWrong } of wrong) console.log(`known wrong: ${name}: ${knownWrong}`);
};

/** A column that cannot be run is told once, with the number of its cells. */
const reportMissing = (outcomes) => {
  const reported = new Map();
  outcomes.forEach(({ missing }, index) => {
    if (missing === undefined) return;
    const key = `${cells[index].column}: not run: ${missing}`;
    reported.set(key, (reported.get(key) ?? 0) + 1);
  });
  for (const [line, count] of reported) console.log(`${line} (${count} cells)`);
};

const tasks = {
  async record() {
    const outcomes = await runAll(({ one, column, name }, { recorded }) => {
      if (recorded === undefined) return;
      // At once, so that a recording that is broken off has what it got; columns that a case has no longer go.
      const kept = Object.entries(readRecording(one.name)).filter(([other]) => one.to.includes(other));
      writeRecording(one.name, { ...Object.fromEntries(kept), [column]: recorded });
      console.log(`recorded ${name}`);
    });
    if (values.only === undefined) orphans(cases.map(({ name }) => name)).forEach(removeRecording);
    reportMissing(outcomes);
    return 0;
  },

  async compare() {
    let different = 0;
    const outcomes = await runAll(({ one, column, name }, { recorded }, milliseconds) => {
      if (recorded === undefined) return;
      const expected = readRecording(one.name)[column];
      // What is compared went through JSON, as the recording has.
      const found = JSON.parse(JSON.stringify(recorded));
      const lines = expected ? differences(expected, found) : ['there is no recording; make one with "record"'];
      if (lines.length === 0) return;
      different += 1;
      console.log(`${name} (${Math.round(milliseconds)} ms)\n  ${lines.join('\n  ')}`);
    });
    for (const name of values.only === undefined ? orphans(cases.map((one) => one.name)) : []) {
      different += 1;
      console.log(`${name}: there is a recording, but no case`);
    }
    reportKnownWrong();
    reportMissing(outcomes);
    const run = outcomes.filter(({ recorded }) => recorded !== undefined).length;
    const count = new Set(cells.map(({ one }) => one.name)).size;
    console.log(`${count} cases, ${run} cells compared, ${different} different`);
    return different === 0 ? 0 : 1;
  },

  list() {
    for (const { name, to, knownWrong } of cases) {
      console.log(`${name}: ${to.join(', ')}${knownWrong ? ` (known wrong: ${knownWrong})` : ''}`);
    }
    console.log(`${cases.length} cases, ${cells.length} cells`);
    return 0;
  },
};

const refusal = !Object.hasOwn(tasks, task ?? '')
  ? 'Say what to do: record, compare or list.'
  : cells.length === 0
    ? `No case is called ${values.only}. These are: npm run fence -- list`
    : task !== 'list' && !existsSync(join(dist, 'index.js'))
      ? `${dist} has no built command. Run: npm run build`
      : undefined;
if (refusal !== undefined) {
  console.error(refusal);
  process.exitCode = 1;
} else {
  const started = performance.now();
  process.exitCode = await tasks[task]();
  if (task !== 'list') console.log(`${Math.round((performance.now() - started) / 1000)} s`);
}
