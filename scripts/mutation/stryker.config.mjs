/**
 * Mutation testing (docs/mutation.md): small changes are made to the folders that decide whether data are right, and a spec must
 * fail for each. `npm run mutation -- --mutate 'src/operators/**'` runs one folder.
 */
import { declareValuePlugin, PluginKind } from '@stryker-mutator/api/plugin';
import { narrow } from './narrow-runner.mjs';

/** The specs that judge each folder. All others would run for minutes before the first mutant, and judge by accident. */
const SPECS = {
  'src/operators': ['spec/operators'],
  'src/run/state': ['spec/run/state'],
  'src/sources': [
    'spec/sources',
    'spec/end-to-end/runs/children.spec.ts',
    'spec/end-to-end/responses/completeness.spec.ts',
    'spec/end-to-end/responses/misleading-apis.spec.ts',
  ],
  'src/run/deliver/deliver.ts': ['spec/run/deliver', 'spec/end-to-end/runs/incremental.spec.ts'],
  'src/run/deliver/sink-progress.ts': ['spec/run/deliver/sink-progress.spec.ts'],
  'src/http': ['spec/http'],
};

const at = process.argv.findIndex((argument) => argument === '--mutate' || argument === '-m');
const asked = at < 0 ? Object.keys(SPECS).join(',') : (process.argv[at + 1] ?? '');
const specs = Object.keys(SPECS).flatMap((folder) => (asked.includes(folder) ? SPECS[folder] : []));

/** Sentences are for people: no spec should repeat them. Strings without a blank (keys, codes, names of headers) are mutated. */
const isSentence = ({ node }) =>
  node.type === 'StringLiteral'
    ? / /.test(node.value)
    : node.type === 'TemplateLiteral' && node.quasis.some(({ value }) => / /.test(value.raw));

export const strykerPlugins = [
  narrow,
  declareValuePlugin(PluginKind.Ignore, 'sentences', {
    shouldIgnore: (path) => (isSentence(path) ? 'It is a sentence for people.' : undefined),
  }),
];

/** @type {import('@stryker-mutator/api/core').PartialStrykerOptions} */
export default {
  packageManager: 'npm',
  plugins: ['@stryker-mutator/jest-runner', import.meta.filename],
  ignorers: ['sentences'],
  mutate: [
    'src/operators/**/*.ts',
    'src/run/state/**/*.ts',
    'src/sources/**/*.ts',
    'src/run/deliver/deliver.ts',
    'src/run/deliver/sink-progress.ts',
    'src/http/**/*.ts',
  ],

  testRunner: 'narrow',
  jest: {
    projectType: 'custom',
    configFile: 'jest.config.cjs',
    // The specs are chosen above; jest would look for more in their place, and miss those that reach a folder through another.
    enableFindRelatedTests: false,
    config: {
      testEnvironment: './scripts/mutation/stop-at-failure.cjs',
      // As in jest.config.cjs; Stryker is a part of the machinery as well.
      transformIgnorePatterns: ['/node_modules/(?:@jest/|jest-|@stryker-mutator/)'],
      // For the run without mutants, on a machine that is busy.
      testTimeout: 30_000,
      testMatch: specs.map((spec) =>
        spec.endsWith('.ts') ? `<rootDir>/${spec}` : `<rootDir>/${spec}/**/!(*.long).spec.ts`,
      ),
    },
  },
  // Each mutant meets the tests that reach its line, and no other.
  coverageAnalysis: 'perTest',
  // `tsc` judges types; a mutant need not have any.
  disableTypeChecks: 'src/**/*.ts',

  // Scores are no condition; but where most mutants survive, specs do not meet them.
  thresholds: { high: 95, low: 90, break: 50 },

  // Specs of sockets and time wait: more at once than processors would make time-outs that say nothing.
  concurrency: 1,
  // A mutant that never ends is ended: this much time beside half as much again as the tests took without it.
  timeoutMS: 3_000,
  timeoutFactor: 1.5,
  // Sockets and timers that mutants leave behind end with their process.
  maxTestRunnerReuse: 100,

  incremental: true,
  incrementalFile: '.stryker/incremental.json',
  tempDirName: '.stryker/tmp',
  // Examples on a page of docs are specs, and some specs of rows and of state need the built command.
  ignorePatterns: ['bench', 'coverage', '.ci', '.stryker'],

  // `--reporters clear-text,html` writes .stryker/report.html as well.
  reporters: ['clear-text'],
  htmlReporter: { fileName: '.stryker/report.html' },
  jsonReporter: { fileName: '.stryker/report.json' },
  clearTextReporter: { allowColor: false, allowEmojis: false, logTests: false, reportTests: false },
  allowConsoleColors: false,
};
