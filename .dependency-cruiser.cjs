/**
 * Who may import whom: a folder imports itself and the folders that stand before it, never one behind it. The order is that of
 * docs/architecture.md.
 */
const ORDER = [
  ...['core', 'operators', 'language', 'plan', 'auth', 'http', 'sources', 'tables', 'sinks', 'run', 'explore'],
  ...['cluster', 'studio', 'cli'],
];
/** The entries of the package, which stand between the library and the two programs that use it. */
const ENTRIES = '^src/(index|components|operators/index|otel|temporal|testing)\\.ts$';

const forbid = (name, from, to) => ({ name, severity: 'error', from, to });
/** A folder or file may import itself and what `allowed` says. */
const only = (name, from, allowed) => forbid(name, { path: from }, { path: '^src/', pathNot: `${from}|${allowed}` });
const folders = (names) => `^src/(${names.join('|')})/`;

/** @type {import('dependency-cruiser').IConfiguration} */
module.exports = {
  forbidden: [
    forbid('no-circular', {}, { circular: true }),
    forbid('no-orphans', { orphan: true, pathNot: `${ENTRIES}|^src/cli/main\\.ts$` }, {}),
    forbid('no-test-code', { path: '^src/' }, { path: '^(spec|examples|bench)/' }),
    ...ORDER.slice(0, -1).map((folder, at) =>
      forbid(
        `${folder}-looks-down`,
        { path: folders([folder]) },
        // The programs stand upon the entries.
        { path: folder === 'studio' ? folders(ORDER.slice(at + 1)) : `${folders(ORDER.slice(at + 1))}|^src/[^/]*$` },
      ),
    ),

    // Below the pages of a run, some folders need not know each other, though they stand in a row.
    only('operators-know-rxjs', '^src/operators/', '^$'),
    only('auth-knows-the-language', '^src/auth/', folders(['core', 'operators', 'language', 'plan'])),
    only('http-knows-the-language', '^src/http/', folders(['core', 'operators', 'language', 'plan'])),
    only('sources-send-by-a-function', '^src/sources/', folders(['core', 'operators', 'language', 'plan'])),
    only('tables-know-items', '^src/tables/', folders(['core', 'language', 'plan'])),
    only('sinks-know-tables', '^src/sinks/', folders(['core', 'operators', 'language', 'plan', 'tables'])),
    forbid(
      'what-runs-sees-only-types-of-the-plan',
      { path: folders(['auth', 'http', 'sources', 'tables', 'sinks']) },
      { path: '^src/plan/', dependencyTypesNot: ['type-only'] },
    ),
    only('core-json-is-a-leaf', '^src/core/json/', '^src/core/model\\.ts$'),
    // A page in a browser counts by it, too.
    only('run-snapshot-knows-events', '^src/run/run-snapshot\\.ts$', '^src/core/'),
    // What responses look like, without a request: those who ask an API stand beside it. Rows are made as a run makes them.
    only(
      'detect-asks-nothing',
      '^src/explore/detect/',
      `${folders(['core', 'language'])}|^src/sources/(rows|completeness/words)\\.ts$`,
    ),
    // A user's tests see a sink as `deliver` sees it.
    only('testing-knows-no-sink', '^src/explore/testing/', folders(['core', 'language', 'plan', 'run'])),

    // The programs stand upon the entries of the package, as those of applications do.
    only(
      'studio-sees-the-library',
      '^src/studio/',
      '^src/(index|temporal)\\.ts$|^src/core/|^src/language/(reading|references|values)/|^src/run/built-in-parts\\.ts$|^src/explore/(detect|query/reading-statement)',
    ),
    only(
      'cli-sees-the-library',
      '^src/cli/',
      '^src/(index|components|temporal)\\.ts$|^src/core/(import-file|make-folders|text)\\.ts$|^src/explore/testing/replay\\.ts$|^src/studio/studio\\.ts$',
    ),

    // Packages.
    forbid(
      'operators-import-rxjs-alone',
      { path: '^src/operators/' },
      { dependencyTypes: ['npm', 'npm-dev', 'npm-optional', 'npm-peer'], pathNot: 'node_modules/rxjs' },
    ),
    forbid(
      'one-module-loads-undici',
      { path: '^src/', pathNot: '^src/http/transport/undici\\.ts$' },
      { path: 'node_modules/undici', dependencyTypesNot: ['type-only'] },
    ),
    forbid(
      'fp-ts-stays-in-the-front',
      { path: '^src/', pathNot: '^src/(language|plan)/' },
      { path: 'node_modules/(fp-ts|io-ts)' },
    ),
    forbid(
      'opentelemetry-stays-in-telemetry',
      { path: '^src/', pathNot: '^src/(otel\\.ts|run/telemetry/)' },
      { path: 'node_modules/@opentelemetry' },
    ),
  ],
  options: {
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    doNotFollow: { path: 'node_modules' },
  },
};
