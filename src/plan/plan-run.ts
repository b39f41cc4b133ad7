import * as Ap from 'fp-ts/Apply';
import * as E from 'fp-ts/Either';
import { pipe } from 'fp-ts/function';
import type { Configuration, RunConfiguration } from '../config/configuration';
import type { Fault } from '../errors';
import type { Contexts } from '../expressions/expression';
import { flatten } from '../json/flatten';
import type { Headers } from '../model';
import { planAuthentication } from './authentication';
import { baseUrlOf } from './base-url';
import { evaluateEntries } from './entries';
import { headerTexts, mergeHeaderLayers } from './headers';
import { planJob } from './jobs';
import { outputOf } from './output';
import type { HttpPlan, RunPlan } from './plan';
import { unsupported } from './unsupported';
import { warningsOf } from './warnings';
import { allOf, validation } from './validation';
import type { Checked } from './validation';

/** The plans of a configuration, one a run, and what a person should know about them. */
export interface Planned {
  readonly runs: readonly RunPlan[];
  readonly warnings: readonly Fault[];
}

/**
 * Turns a decoded configuration into plans (specification 2 to 5): evaluates what is known before the run, compiles the
 * rest, and finds every fault at once.
 */
export function planConfiguration(configuration: Configuration): Checked<Planned> {
  return pipe(
    allOf(configuration.runs.map((run) => planRun(run, configuration))),
    E.map((runs) => ({
      runs,
      warnings: [...configuration.warnings, ...runs.flatMap(({ warnings }) => warnings)],
    })),
  );
}

/** Stands in for a base URL that cannot be had, so that the faults of what depends on it are found as well. */
const UNKNOWN_BASE = 'http://base.invalid/';
const NO_HEADERS: CommonHeaders = { texts: {}, secrets: [] };

function planRun(run: RunConfiguration, configuration: Configuration): Checked<RunPlan> {
  const { api, settings } = run;
  const contexts: Contexts = { attr: flatten(run.attributes) };
  const checkedBase = baseUrlOf(api, contexts);
  const checkedHeaders = commonHeaders(run, contexts);
  const baseUrl = E.getOrElse(() => UNKNOWN_BASE)(checkedBase);
  const { texts } = E.getOrElse(() => NO_HEADERS)(checkedHeaders);
  return pipe(
    Ap.sequenceS(validation)({
      // In reading order: faults are listed in the order of these checks.
      baseUrl: checkedBase,
      headers: checkedHeaders,
      authentication: planAuthentication(api, baseUrl, contexts),
      jobs: allOf(settings.jobs.map((job) => planJob(job, { api, settings, baseUrl, headers: texts, contexts }))),
      supported: unsupported(configuration),
    }),
    E.map(({ headers, authentication, jobs }) => ({
      http: httpOf(run, configuration, baseUrl),
      authentication: authentication.plan,
      jobs,
      secrets: [...headers.secrets, ...authentication.secrets],
      debug: settings.debug,
      output: outputOf(run),
      warnings: warningsOf(run, baseUrl),
    })),
  );
}

interface CommonHeaders {
  readonly texts: Headers;
  readonly secrets: readonly string[];
}

/** Layers 1 to 3 of language 2.5: the first two are expressions, the third is literal. */
function commonHeaders(run: RunConfiguration, contexts: Contexts): Checked<CommonHeaders> {
  const layers = mergeHeaderLayers(run.api.http.headers, run.settings.headers);
  const place = { path: 'api.http.headers', contexts: ['attr'] as const, urlencode: false, known: contexts };
  return pipe(
    evaluateEntries(layers, place, contexts),
    E.map(({ values, secrets }) => ({
      texts: { ...headerTexts(values), ...headerTexts(run.api.http.defaultHeaders) },
      secrets,
    })),
  );
}

function httpOf({ api }: RunConfiguration, { allowedHosts, aws }: Configuration, baseUrl: string): HttpPlan {
  const { http } = api;
  return {
    baseUrl,
    connectTimeoutMilliseconds: http.connectTimeoutSeconds * 1000,
    connectTimeoutGiven: http.connectTimeoutGiven,
    requestTimeoutMilliseconds: http.requestTimeoutSeconds * 1000,
    ...(api.caCertificate === undefined ? {} : { caCertificate: api.caCertificate }),
    ...(api.clientCertificate === undefined ? {} : { clientCertificate: api.clientCertificate }),
    retry: api.retry,
    ignoreErrors: http.ignoreErrors,
    allowedHosts: http.allowedHosts,
    whitelist: allowedHosts,
    ...(aws === undefined ? {} : { aws }),
  };
}
