/** Who may import whom: the table in docs/architecture.md. */
const leaves =
  '^src/(model|evidence|durable-sink|written|errors|events|job-name|run-over|secrets|sealed|optional-package|make-folders)\\.ts$|^src/(errors|json|secrets|url)/';
/** Parts of the language, each defined in one place: what config/ and plan/ may know of the folders that run. */
const pagination = '^src/sources/(pagination/|reply-value\\.ts$)';
const authentication = '^src/auth/(?!aws\\.ts$)';
const formats = '^src/http/formats/';
const kinds = '^src/(sinks/(define-sink|options|outlines|[a-z0-9]+/outline)|http/middleware/define)\\.ts$';
const definitions = `${pagination}|${authentication}|${formats}|${kinds}`;
const toolbox = `${leaves}|^src/(log)\\.ts$|^src/(operators|expressions)/`;
const only = (name, from, allowed) => ({
  name,
  severity: 'error',
  from: { path: from },
  to: { path: '^src/', pathNot: `${from}|${allowed}` },
});

/** @type {import('dependency-cruiser').IConfiguration} */
module.exports = {
  forbidden: [
    { name: 'no-circular', severity: 'error', from: {}, to: { circular: true } },
    {
      name: 'no-orphans',
      severity: 'error',
      from: { orphan: true, pathNot: '^src/(index|components|cli/main|(testing|otel)/index)\\.ts$' },
      to: {},
    },
    only('model-knows-evidence', '^src/model\\.ts$', '^src/evidence\\.ts$'),
    only('durable-sink-knows-the-model', '^src/durable-sink\\.ts$', '^src/(model|errors)\\.ts$'),
    only('evidence-is-a-leaf', '^src/evidence\\.ts$', '^$'),
    only('errors-know-the-model', '^src/errors(\\.ts$|/)', '^src/(model|events)\\.ts$|^src/secrets(\\.ts$|/)'),
    only('secrets-is-a-leaf', '^src/secrets(\\.ts$|/)', '^$'),
    only('sealed-knows-errors', '^src/sealed\\.ts$', '^src/errors\\.ts$'),
    only('optional-package-knows-errors', '^src/optional-package\\.ts$', '^src/errors\\.ts$'),
    only('events-know-the-model', '^src/events\\.ts$', '^src/(model|evidence)\\.ts$|^src/errors(\\.ts$|/)'),
    only('json-is-a-leaf', '^src/json/', '^src/model\\.ts$'),
    only('url-knows-json', '^src/url/', '^src/model\\.ts$|^src/json/'),
    only('operators-know-rxjs', '^src/operators/', '^$'),
    only('interop-knows-rxjs', '^src/interop/', '^$'),
    {
      name: 'operators-and-interop-import-rxjs-only',
      severity: 'error',
      from: { path: '^src/(operators|interop)/' },
      to: { dependencyTypes: ['npm', 'npm-dev', 'npm-optional', 'npm-peer'], pathNot: 'node_modules/rxjs' },
    },
    only(
      'log-knows-events',
      '^src/(log|repeated-warnings|masking)\\.ts$',
      '^src/(model|evidence|errors|events|job-name|run-over|secrets)\\.ts$|^src/(errors|secrets)/',
    ),
    // A page in a browser counts by it, too.
    only('run-snapshot-knows-events', '^src/run-snapshot\\.ts$', '^src/(model|evidence|errors|events|job-name)\\.ts$'),
    only('logger-knows-log', '^src/logger\\.ts$', '^src/(log|visible-text|winston)\\.ts$'),
    // What responses look like, without a request: who asks an API stands above.
    only('discover', '^src/discover/', `${leaves}|^src/codec/|^src/config/references/reference\\.ts$`),
    only('import', '^src/import/', `${leaves}|^src/discover/|^src/reading/(yaml|source)\\.ts$`),
    // A user's tests see a sink as `deliver` sees it.
    only('testing-knows-no-sink', '^src/testing/', `${leaves}|^src/plan/plan\\.ts$|^src/recording/har\\.ts$`),
    only('recording', '^src/recording/', `${leaves}|^src/(version|http/(middleware/define|body/login-body))\\.ts$`),
    // Only who asks for traces needs the packages of OpenTelemetry; of runs it knows no more than their events.
    only('otel-knows-events', '^src/otel/', `${leaves}|^src/(version|http/middleware/define|extract)\\.ts$`),
    {
      name: 'opentelemetry-stays-in-otel',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/otel/' },
      to: { path: 'node_modules/@opentelemetry' },
    },
    only('codec', '^src/codec/', leaves),
    only('expressions', '^src/expressions/', `${leaves}|^src/codec/`),
    only('requests', '^src/requests/', `${leaves}|^src/(codec|expressions)/`),
    only('pagination', pagination, `${leaves}|^src/(codec|expressions|requests)/`),
    only('authentication', authentication, `${leaves}|^src/(codec|expressions|requests|operators)/`),
    only('formats', formats, `${leaves}|^src/(codec|expressions)/`),
    only(
      'components-are-definitions',
      '^src/components\\.ts$',
      // A sink of an application is made of the state machine and the journal that the others are made of.
      `${leaves}|^src/(codec|expressions|requests|config/parts/parts\\.ts|sinks/durable\\.ts|sinks/journal/)|${definitions}`,
    ),
    only(
      'outlines',
      '^src/sinks/(options|outlines|[a-z0-9]+/outline)\\.ts$',
      `${leaves}|^src/codec/|^src/sinks/define-sink\\.ts$`,
    ),
    only('config', '^src/config/', `${leaves}|^src/(codec|expressions|requests)/|${definitions}`),
    only('plan', '^src/plan/', `${leaves}|^src/(codec|config|expressions|requests)/|${definitions}`),
    ...['http', 'sources', 'tables', 'state'].map((folder) =>
      only(`${folder}-stands-alone`, `^src/${folder}/`, `${toolbox}|^src/(codec|plan|config|requests)/`),
    ),
    // Rows go on to sinks: those that make linked tables make them of the rows of tables/.
    only(
      'sinks-stand-behind-tables',
      '^src/sinks/',
      `${toolbox}|^src/(codec|plan|config|requests|tables)/|^src/state/(by-configuration|filled-tables)\\.ts$`,
    ),
    only('signature-stands-alone', '^src/auth/aws\\.ts$', `${toolbox}|^src/(codec|plan|config)/`),
    {
      name: 'stations-see-only-types-of-plan-and-config',
      severity: 'error',
      from: { path: '^src/((http|sources|tables|sinks|state)/|auth/aws)' },
      to: { path: '^src/(plan|config)/', dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'one-module-loads-undici',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/http/transport/undici\\.ts$' },
      to: { path: 'node_modules/undici', dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'fp-ts-stays-in-the-front',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/(codec|config|expressions|plan)/' },
      to: { path: 'node_modules/(fp-ts|io-ts)' },
    },
    // A page over what applications have, and the means to hide secrets from it.
    only(
      'studio-sees-the-library',
      '^src/studio/',
      '^src/(index|model|errors/told-error|optional-package|query/reading-statement)\\.ts$|^src/secrets(\\.ts$|/)|^src/config/values/secret-values\\.ts$|^src/config/references/reference\\.ts$|^src/config/parts/parts-with\\.ts$|^src/references\\.ts$|^src/discover/(configuration|subject|secret-reference)\\.ts$|^src/json/(keys|parse|stringify)\\.ts$|^src/reading/',
    ),
    {
      name: 'cli-sees-extract',
      severity: 'error',
      from: { path: '^src/cli/' },
      to: {
        path: '^src/',
        pathNot:
          '^src/cli/|^src/(?:index|make-folders|visible-text)\\.ts$|^src/testing/replay\\.ts$|^src/studio/studio\\.ts$',
      },
    },
    { name: 'no-test-code', severity: 'error', from: { path: '^src/' }, to: { path: '^(spec|examples|bench)/' } },
  ],
  options: {
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    doNotFollow: { path: 'node_modules' },
  },
};
