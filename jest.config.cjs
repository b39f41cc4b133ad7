const { existsSync, readFileSync, readdirSync, statfsSync } = require('node:fs');
const { availableParallelism, tmpdir } = require('node:os');
const { dirname, join } = require('node:path');

const SWC = { jsc: { target: 'es2022', parser: { syntax: 'typescript' } } };

/** The transformed modules are kept, so not in memory. */
const cacheDirectory = join(tmpdir(), 'headwater-jest');
// Specs make thousands of small folders, whose journals wait for the disk: where there is memory for them, they are made there.
const MEMORY = '/dev/shm';
if (process.env.TMPDIR === undefined && existsSync(MEMORY)) {
  const { bavail, bsize } = statfsSync(MEMORY);
  if (bavail * bsize > 4e9) process.env.TMPDIR = MEMORY;
}

/** Specs that somebody names are run, however long they take. */
const ALL =
  ['all', 'rest'].includes(process.env.HEADWATER_CASES) ||
  process.argv.some((argument) => argument.startsWith('spec/'));

/** What a spec that does more than in `npm test` mentions, or what it imports from spec: servers, more cases, random ones. */
const MORE = /process\.env\.?\[?'?HEADWATER_|'fast-check'|\/shared\//;
const seen = new Map();
function doesMore(path) {
  if (seen.has(path)) return seen.get(path);
  seen.set(path, false);
  const text = readFileSync(path, 'utf8');
  const own = [...text.matchAll(/from '(\.[^']*)'/g)]
    .map(([, to]) => join(dirname(path), `${to}.ts`))
    .filter((file) => file.startsWith(join(__dirname, 'spec')) && existsSync(file));
  const does = MORE.test(text) || own.some(doesMore);
  seen.set(path, does);
  return does;
}

/** `rest` is `all` without the files that do the same in `npm test`, which has passed by then. */
const isRest = process.env.HEADWATER_CASES === 'rest';
if (isRest) process.env.HEADWATER_CASES = 'all';
const left = isRest
  ? readdirSync(join(__dirname, 'spec'), { recursive: true })
      .filter((file) => file.endsWith('.spec.ts') && !file.endsWith('.long.spec.ts'))
      .map((file) => join(__dirname, 'spec', file))
      .filter((path) => !doesMore(path))
  : [];

/** @type {import('jest').Config} */
module.exports = {
  roots: ['<rootDir>/spec'],
  cacheDirectory,
  // What takes long, or needs more than this package, is called `.long.spec.ts`: `npm run test:all` has it.
  testPathIgnorePatterns: ['/node_modules/', ...left.map((path) => `^${path.replaceAll('.', '\\.')}$`)],
  testMatch: ALL ? ['**/*.spec.ts'] : ['**/!(*.long).spec.ts'],
  setupFiles: ['<rootDir>/scripts/jest/properties.cjs'],
  testSequencer: '<rootDir>/scripts/jest/sequencer.cjs',
  reporters: ['default', '<rootDir>/scripts/jest/slowest.cjs'],
  // All specs of a process share the modules of src and of packages.
  testEnvironment: '<rootDir>/scripts/jest/environment.cjs',
  testEnvironmentOptions: SWC,
  // A busy machine is no failure: time is never what a spec is about, and a long one may take much of it.
  testTimeout: ALL ? 600_000 : 60_000,
  // Many specs wait for sockets and processes: with a worker for each processor, a sixth of the time of the processors is lost.
  // A number: of a string above 100 %, jest takes the digits for the number of workers.
  maxWorkers: Math.ceil(availableParallelism() * 1.5),
  // Those of packages as well, but not the parts of jest itself.
  transformIgnorePatterns: ['/node_modules/(?:@jest/|jest-)'],
  transform: {
    '^.+\\.ts$|/node_modules/.+\\.c?js$': ['<rootDir>/scripts/jest/transform.cjs', SWC],
    // ES modules, of which specs take parts.
    'examples/service/.+\\.js$': ['@swc/jest', { jsc: { target: 'es2022' } }],
  },
};
