import { createHash, scryptSync } from 'node:crypto';
import * as Ap from 'fp-ts/Apply';
import * as E from 'fp-ts/Either';
import { pipe } from 'fp-ts/function';
import type { Fault } from '../core/errors/errors';
import { entriesOf, flatten, objectFrom } from '../core/json/objects';
import type { Headers, Json } from '../core/model';
import { allOf, validation } from '../language/codec/codec';
import type { Checked } from '../language/codec/codec';
import type { Configuration, IterationConfiguration, Job, SshProxy } from '../language/configuration/configuration';
import { placeInConfig, referencedIn } from '../language/configuration/iterations';
import { evaluateEntries } from '../language/expressions/entries';
import type { Scope } from '../language/expressions/expression';
import type { Parts } from '../language/parts/parts';
import { headerTexts, mergeHeaderLayers } from '../language/requests/template';
import { NO_DEFAULTS, planDefaults } from './defaults';
import { baseUrlOf, cacheOf, cacheWarnings, ruleWarnings, rulesOf } from './http';
import { planJob } from './jobs/jobs';
import { outputOf } from './output';
import type { HttpPlan, IterationPlan, LimitsPlan, RatePlan } from './plan';
import { checkTableNames, columnTypeWarnings, primaryKeyWarnings, tableNamesOf, withDescendants } from './tables';
import type { TableNames, TableNaming } from './tables';
import { warningsOf } from './warnings';
import { stringifyJson } from '../core/json/stringify';

/**
 * Returns a digest that identifies a user of the API: the base URL, the authentication, and the attributes that it
 * reads. Other attributes, such as the parameters of a job, do not count.
 */
function userOf({ api, attributes }: IterationConfiguration, baseUrl: string): string {
  const { authentication } = api;
  const isRead = referencedIn(authentication?.options as Json | undefined);
  const read = entriesOf(attributes).filter(([name]) => isRead(name));
  return createHash('sha256')
    .update(textOf([baseUrl, authentication ?? null, read]))
    .digest('hex');
}

const textOf = (value: unknown): string =>
  JSON.stringify(value, (_key, part: unknown) => (typeof part === 'bigint' ? String(part) : part));

/** The plans of a configuration, one for each run, with its warnings. */
export interface Planned {
  readonly iterations: readonly IterationPlan[];
  /** The proxy for all requests of all runs. */
  readonly sshProxy?: SshProxy;
  readonly warnings: readonly Fault[];
}

/** Options of planning. */
export interface PlanOptions {
  readonly parts: Parts;
  readonly tableNaming?: TableNaming;
  readonly secretTexts?: ReadonlySet<string>;
}

/**
 * Turns a decoded configuration (docs/language/configuration.md) into plans: evaluates everything known before the run,
 * compiles the rest, and finds all faults at once.
 *
 * @param options `parts`: the parts that the configuration was decoded with; `tableNaming`: how tables are named;
 *   `secretTexts`: the values of the references of the configuration
 */
export function planConfiguration(
  configuration: Configuration,
  { parts, tableNaming: naming = 'sql', secretTexts = new Set() }: PlanOptions,
): Checked<Planned> {
  const names = iterationNames(configuration.iterations);
  return pipe(
    Ap.sequenceS(validation)({
      iterations: allOf(
        configuration.iterations.map((each, at) =>
          planIteration(each, { iteration: names[at] ?? '', configuration, parts, naming, secretTexts }),
        ),
      ),
      names: checkTableNames(configuration.iterations, naming),
    }),
    E.map(({ iterations }) => ({
      iterations,
      ...(configuration.sshProxy === undefined ? {} : { sshProxy: configuration.sshProxy }),
      warnings: [...configuration.warnings, ...iterations.flatMap(({ warnings }) => warnings)],
    })),
  );
}

/** Replaces a faulty base URL, so that the faults of values that depend on it are found as well. */
const UNKNOWN_BASE = 'http://base.invalid/';
const NO_HEADERS: CommonHeaders = { texts: {}, secrets: [] };

interface AroundIteration {
  /** The name of the iteration; empty if there is only one. */
  readonly iteration: string;
  readonly configuration: Configuration;
  readonly parts: Parts;
  readonly naming: TableNaming;
  readonly secretTexts: ReadonlySet<string>;
}

function planIteration(
  run: IterationConfiguration,
  { iteration, configuration, parts, naming, secretTexts }: AroundIteration,
): Checked<IterationPlan> {
  const { api, settings } = run;
  const scope: Scope = { functions: parts.function, known: { attr: flatten(run.attributes) }, secretTexts };
  const checkedBase = baseUrlOf(api, scope);
  const checkedHeaders = commonHeaders(run, scope);
  const checkedDefaults = planDefaults(api.http, scope);
  const baseUrl = E.getOrElse(() => UNKNOWN_BASE)(checkedBase);
  const { texts: headers } = E.getOrElse(() => NO_HEADERS)(checkedHeaders);
  const defaults = E.getOrElse(() => NO_DEFAULTS)(checkedDefaults);
  const checkedTables = tableNamesOf(settings, naming);
  const tables = E.getOrElse((): TableNames => new Map())(checkedTables);
  const common = { iteration, parts, api, settings, baseUrl, headers, defaults, scope, tables };
  const surroundings = { ...common, userDataPlace: placeInConfig(run, 'userData'), placeholders: [] };
  return pipe(
    Ap.sequenceS(validation)({
      // The checks are in reading order, because faults are listed in the order of the checks.
      baseUrl: checkedBase,
      headers: checkedHeaders,
      defaults: checkedDefaults,
      authentication: api.authentication?.compile({ baseUrl, scope }) ?? E.right(undefined),
      jobs: allOf(settings.jobs.map((job) => planJob(job, surroundings))),
      tables: checkedTables,
      output: outputOf(run, tables, iteration),
    }),
    E.map(({ headers, authentication, jobs, output }) => ({
      http: httpOf(run, configuration, baseUrl, parts),
      ...(authentication === undefined ? {} : { authentication }),
      user: userOf(run, baseUrl),
      jobs,
      secrets: [...headers.secrets, ...(authentication?.secrets ?? [])],
      debug: settings.debug,
      output,
      flow: { concurrency: settings.concurrency, prefetch: settings.prefetch, ordered: settings.ordered },
      sinks: settings.sinks,
      warnings: [
        ...warningsOf(run, baseUrl),
        ...cacheWarnings(run, configuration),
        ...primaryKeyWarnings(run),
        ...columnTypeWarnings(run),
        ...ruleWarnings(run),
      ],
    })),
  );
}

interface CommonHeaders {
  readonly texts: Headers;
  readonly secrets: readonly string[];
}

/** Compiles layers 1 and 2 of the headers (docs/language/requests.md#headers). */
function commonHeaders(run: IterationConfiguration, scope: Scope): Checked<CommonHeaders> {
  const layers = mergeHeaderLayers(run.api.http.headers, run.settings.headers);
  const place = { path: 'api.http.headers', contexts: ['attr'] as const, ...scope };
  return pipe(
    evaluateEntries(layers, place, scope.known),
    E.map(({ values, secrets }) => ({ texts: headerTexts(values), secrets })),
  );
}

function httpOf(run: IterationConfiguration, configuration: Configuration, baseUrl: string, parts: Parts): HttpPlan {
  const { api } = run;
  const { http } = api;
  const { requestableHosts, aws } = configuration;
  const cache = cacheOf(run, configuration);
  const rules = rulesOf(run);
  return {
    baseUrl,
    connectTimeoutMilliseconds: http.connectTimeoutSeconds * 1000,
    connectTimeoutGiven: http.connectTimeoutGiven,
    requestTimeoutMilliseconds: http.requestTimeoutSeconds * 1000,
    ...(api.caCertificate === undefined ? {} : { caCertificate: api.caCertificate }),
    ...(api.clientCertificate === undefined ? {} : { clientCertificate: api.clientCertificate }),
    retry: api.retry,
    ignoreErrors: http.ignoreErrors,
    contentTypes: [...parts.format.values()].flatMap(({ contentTypes }) => contentTypes),
    cookies: http.cookies,
    credentialHosts: http.credentialHosts,
    requestableHosts,
    ...(aws === undefined ? {} : { aws }),
    ...(cache === undefined ? {} : { cache }),
    limits: limitsOf(run),
    ...(rules === undefined ? {} : { rules }),
  };
}

/** Returns the limits for the requests of a run (docs/language/rate-limits.md). */
function limitsOf({ api: { http }, settings }: IterationConfiguration): LimitsPlan {
  const { maxRequests, maxRequestsPerOrigin, rateLimit } = http;
  return {
    ...(maxRequests === undefined ? {} : { maxRequests }),
    ...(maxRequestsPerOrigin === undefined ? {} : { maxRequestsPerOrigin }),
    rates: [...rateLimit, ...settings.jobs.flatMap(jobRates)],
  };
}

/**
 * Returns the rate limits of a job and its children. A job is identified by its id: equal jobs at several places count
 * together.
 */
const jobRates = ({ id, rateLimit, children }: Job): readonly RatePlan[] => [
  ...rateLimit.map((limit) => ({ ...limit, job: id })),
  ...children.flatMap(jobRates),
];

const NAME_LENGTH = 16;
/** The bytes of the digest that distinguishes secrets. */
const SECRET_BYTES = 9;

/**
 * Names the iterations of a configuration by the keys that they replace in `config`, so that each keeps its state when
 * its position changes: by a digest without jobs and secrets. If some differ in secrets alone, a slow and salted digest
 * of the secrets is added, from which they cannot be recovered; for a reference it is a digest of the reference. Equal
 * iterations are distinguished by their order. A single iteration has the name ''.
 *
 * @example iterationNames(configuration.iterations) // ['kX2…', 'p0a…']
 */
function iterationNames(iterations: readonly IterationConfiguration[]): readonly string[] {
  const digests = iterations.map(digestOf);
  const isIncremental = iterations.some(({ settings }) =>
    settings.jobs.flatMap(withDescendants).some(({ incremental }) => incremental !== undefined),
  );
  const counts = new Map<string, number>();
  return iterations.map((iteration, at) => {
    const digest = digests[at] ?? '';
    if (iteration.own === undefined) return '';
    const isAlone = digests.filter((other) => other === digest).length === 1;
    // The slow digest is computed only if it is needed.
    const secrets = isAlone || !isIncremental ? '' : secretsOf(iteration, digest);
    const name = `${digest}${secrets}`;
    const count = (counts.get(name) ?? 0) + 1;
    counts.set(name, count);
    return count === 1 ? name : `${name}.${count}`;
  });
}

const isSecret = (key: string): boolean => key.startsWith('#');

function digestOf({ own }: IterationConfiguration): string {
  if (own === undefined) return '';
  const named = objectFrom(entriesOf(own).filter(([key]) => key !== 'jobs' && !isSecret(key)));
  return createHash('sha256').update(stringifyJson(named)).digest('base64url').slice(0, NAME_LENGTH);
}

function secretsOf({ own = {}, api }: IterationConfiguration, digest: string): string {
  const secrets = entriesOf(own).filter(([key]) => isSecret(key));
  if (secrets.length === 0) return '';
  const salt = stringifyJson([digest, api.baseUrl]);
  return `.${scryptSync(stringifyJson(objectFrom(secrets)), salt, SECRET_BYTES).toString('base64url')}`;
}
