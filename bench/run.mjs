// All benchmarks: node bench/run.mjs [--quick] [--only throughput,latency] [--rivals] [--write]
//
//   --quick   few pages, one round: whether they work and the outputs are right, for CI. Nothing is asserted about time
//   --only    some of them, by their names
//   --rivals  dlt and the Airbyte CDK take part (bench/rivals/install.sh first)
//   --write   puts the results into docs/performance.md
import { children, defaults as forChildren, quick as quickChildren } from './children.mjs';
import { latency, defaults as forLatency, quick as quickLatency } from './latency.mjs';
import { linked, defaults as forLinked, quick as quickLinked } from './linked.mjs';
import { memory, defaults as forMemory, quick as quickMemory } from './memory.mjs';
import { oneRequest, defaults as forOneRequest, quick as quickOneRequest } from './one-request.mjs';
import { packageCosts, defaults as forPackage, quick as quickPackage } from './package.mjs';
import { progress, defaults as forProgress, quick as quickProgress } from './progress.mjs';
import { mainRatios, defaults as forRatios, quick as quickRatios } from './ratios.mjs';
import { sinks, defaults as forSinks, quick as quickSinks } from './sinks.mjs';
import { startup, defaults as forStartup, quick as quickStartup } from './startup.mjs';
import { throughput, defaults as forThroughput, quick as quickThroughput } from './throughput.mjs';
import { machine } from './support/machine.mjs';
import { optionsFrom, QUICK } from './support/program.mjs';
import { barTable, resultText } from './support/tables.mjs';
import { writeResults } from './support/write-results.mjs';

const benchmarks = new Map([
  ['ratios', { run: mainRatios, defaults: forRatios, quick: quickRatios }],
  ['one-request', { run: oneRequest, defaults: forOneRequest, quick: quickOneRequest }],
  ['throughput', { run: throughput, defaults: forThroughput, quick: quickThroughput }],
  ['latency', { run: latency, defaults: forLatency, quick: quickLatency }],
  ['memory', { run: memory, defaults: forMemory, quick: quickMemory }],
  ['children', { run: children, defaults: forChildren, quick: quickChildren }],
  ['sinks', { run: sinks, defaults: forSinks, quick: quickSinks }],
  ['linked', { run: linked, defaults: forLinked, quick: quickLinked }],
  ['progress', { run: progress, defaults: forProgress, quick: quickProgress }],
  ['startup', { run: startup, defaults: forStartup, quick: quickStartup }],
  ['package', { run: packageCosts, defaults: forPackage, quick: quickPackage }],
]);

const flags = optionsFrom({ quick: false, only: '', rivals: false, write: false }, process.argv.slice(2));
const chosen = flags.only === '' ? [...benchmarks.keys()] : flags.only.split(',');
const unknown = chosen.filter((name) => !benchmarks.has(name));
if (unknown.length > 0)
  throw new Error(`--only: ${unknown.join(', ')}? There are ${[...benchmarks.keys()].join(', ')}`);
if (flags.write && (flags.quick || flags.only !== '')) throw new Error('--write takes the results of one complete run');

const conditions = machine();
console.log(conditions);
const results = [];
for (const name of chosen) {
  console.error(`${name} …`);
  const { run, defaults, quick } = benchmarks.get(name);
  const rivals = 'rivals' in defaults && flags.rivals ? { rivals: true } : {};
  const result = await run({ ...defaults, ...(flags.quick ? quick : {}), ...rivals });
  // Each is shown when it is there: one that fails later takes nothing away.
  console.log(`\n${resultText(result)}`);
  results.push(result);
}

const bars = flags.quick ? QUICK : barTable(results.flatMap((result) => result.bars));
const parts = [conditions, bars, ...results.map(resultText)];
console.log(`\n${bars}`);
if (flags.write) writeResults(parts);
