const { availableParallelism } = require('node:os');

const SWC = { jsc: { target: 'es2022', parser: { syntax: 'typescript' } } };

/** Specs that somebody names are run, however long they take. */
const ALL = process.env.HEADWATER_CASES === 'all' || process.argv.some((argument) => argument.startsWith('spec/'));

/** @type {import('jest').Config} */
module.exports = {
  roots: ['<rootDir>/spec'],
  // What takes long, or needs more than this package, is called `.long.spec.ts`: `npm run test:all` has it.
  testMatch: ALL ? ['**/*.spec.ts'] : ['**/!(*.long).spec.ts'],
  setupFiles: ['<rootDir>/scripts/jest/properties.cjs'],
  reporters: ['default', '<rootDir>/scripts/jest/slowest.cjs'],
  // All specs of a process share the modules of src and of packages.
  testEnvironment: '<rootDir>/scripts/jest/environment.cjs',
  testEnvironmentOptions: SWC,
  // A busy machine is no failure: time is never what a spec is about.
  testTimeout: 60_000,
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
