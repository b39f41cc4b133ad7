// (f) What the library costs before it does anything: how long it takes to load, and how large it is: node bench/package.mjs [--rounds 15]
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { atMost, median, shown } from './support/figures.mjs';
import { dist } from './support/headwater.mjs';
import { ifMain } from './support/program.mjs';

export const defaults = { rounds: 15 };
export const quick = { rounds: 2 };

const ROOT = fileURLToPath(new URL('..', import.meta.url));
/** Names are looked up from the root of the project, where the package is found by its own name. */
const WAYS = [
  ["require('headwater')", `require(${JSON.stringify(join(dist, 'index.js'))})`],
  ["import 'headwater'", `await import(${JSON.stringify(pathToFileURL(join(dist, 'index.mjs')).href)})`],
  ["require('headwater/operators')", `require(${JSON.stringify(join(dist, 'operators', 'index.js'))})`],
  ["require('rxjs'), which is part of each", "require('rxjs')"],
  ["require('undici'), which the first request loads", "require('undici')"],
];

/** The processor time of those that load the library, where rxjs and undici are loaded, as in most applications. */
const BESIDE = WAYS.slice(0, 2);

export async function packageCosts({ rounds }) {
  const times = WAYS.map(() => []);
  const beside = BESIDE.map(() => []);
  for (let round = 0; round < rounds; round += 1) {
    for (const [at, [, code]] of WAYS.entries()) times[at].push(costOf(code).milliseconds);
    for (const [at, [, code]] of BESIDE.entries()) beside[at].push(costOf(code, LOADED).processor);
  }
  const row = (name, unit, each) => [
    name,
    unit,
    shown(median(each)),
    shown(Math.min(...each)),
    shown(Math.max(...each)),
  ];
  const loading = [
    ...WAYS.map(([name], at) => row(name, 'ms', times[at])),
    ...BESIDE.map(([name], at) => row(`${name}, beside rxjs and undici`, 'CPU ms', beside[at])),
  ];
  const all = sizesOf();
  const sizes = all.map(([name, bytes]) => [name, 'kB', shown(bytes / 1000), '', '']);
  return {
    title: 'The package',
    head: ['what', 'unit', '>median', '>least', '>most'],
    rows: [...loading, ...sizes],
    notes: [`${rounds} processes of each, by turns, from before the line to behind it. A kB is 1,000 bytes.`],
    bars: [
      atMost("require('headwater') beside rxjs and undici, CPU ms", 100, median(beside[0]), 0),
      atMost("import 'headwater' beside rxjs and undici, CPU ms", 100, median(beside[1]), 0),
      atMost('The bundle that extracts, kB', 1000, Object.fromEntries(all)[EXTRACTING] / 1000, 0),
    ],
  };
}

/** In either format. */
const LOADED =
  "for (const name of ['rxjs', 'undici']) process.getBuiltinModule('node:module').createRequire(process.cwd() + '/')(name)";

/** The milliseconds, and those of processors, that a line takes in a process of its own. */
function costOf(code, before = '') {
  const isModule = code.startsWith('await');
  const program = `${before}; const begin = performance.now(), used = process.cpuUsage(); ${code};
    const milliseconds = performance.now() - begin, { user, system } = process.cpuUsage(used);
    console.log(JSON.stringify({ milliseconds, processor: (user + system) / 1000 }));`;
  const args = [...(isModule ? ['--input-type=module'] : []), '--eval', program];
  return JSON.parse(outputOf(process.execPath, args));
}

const EXTRACTING = "a bundle of import { extract } from 'headwater', minified";

function sizesOf() {
  const [{ size, unpackedSize }] = JSON.parse(outputOf('npm', ['pack', '--dry-run', '--ignore-scripts', '--json']));
  return [
    ['the package, packed', size],
    ['the package, unpacked', unpackedSize],
    [EXTRACTING, bundled('extract', [])],
    ['the same without rxjs and undici', bundled('extract', ['rxjs', 'undici'])],
    ["a bundle of import { toNodeReadable } from 'headwater', without rxjs", bundled('toNodeReadable', ['rxjs'])],
  ];
}

/** Bytes of a minified bundle that uses one name. */
function bundled(name, external) {
  const program = `import { ${name} } from 'headwater'; console.log(${name});`;
  return Number(outputOf(process.execPath, ['scripts/package/bundled-size.mjs', ROOT, program, ...external]));
}

function outputOf(program, args) {
  const { stdout, stderr, status } = spawnSync(program, args, { cwd: ROOT, encoding: 'utf8' });
  if (status !== 0) throw new Error(`${program} ${args.join(' ')} ended with status ${status}: ${stderr}`);
  return stdout;
}

await ifMain(import.meta, packageCosts, defaults, quick);
