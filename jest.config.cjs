/** @type {import('jest').Config} */
module.exports = {
  roots: ['<rootDir>/spec'],
  testMatch: ['**/*.spec.ts'],
  testEnvironment: 'node',
  // A busy machine is no failure: time is never what a spec is about.
  testTimeout: 60_000,
  // Many specs wait for sockets and processes: a processor that is left free is time lost.
  maxWorkers: '100%',
  transform: {
    '^.+\\.ts$': ['@swc/jest', { jsc: { target: 'es2022', parser: { syntax: 'typescript' } } }],
    // ES modules, of which specs take parts.
    'examples/service/.+\\.js$': ['@swc/jest', { jsc: { target: 'es2022' } }],
  },
};
