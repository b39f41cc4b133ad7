const SWC = { jsc: { target: 'es2022', parser: { syntax: 'typescript' } } };

/** @type {import('jest').Config} */
module.exports = {
  roots: ['<rootDir>/spec'],
  testMatch: ['**/*.spec.ts'],
  // All specs of a process share the modules of src and of packages.
  testEnvironment: '<rootDir>/scripts/jest/environment.cjs',
  testEnvironmentOptions: SWC,
  // A busy machine is no failure: time is never what a spec is about.
  testTimeout: 60_000,
  // Many specs wait for sockets and processes: a processor that is left free is time lost.
  maxWorkers: '100%',
  // Those of packages as well, but not the parts of jest itself.
  transformIgnorePatterns: ['/node_modules/(?:@jest/|jest-)'],
  transform: {
    '^.+\\.ts$|/node_modules/.+\\.c?js$': ['<rootDir>/scripts/jest/transform.cjs', SWC],
    // ES modules, of which specs take parts.
    'examples/service/.+\\.js$': ['@swc/jest', { jsc: { target: 'es2022' } }],
  },
};
