import * as E from 'fp-ts/Either';
import { pipe } from 'fp-ts/function';
import { createHash } from 'node:crypto';
import type { Fault } from '../core/errors/errors';
import { isScalar, textOf } from '../core/json/scalars';
import { isAbsolute, parseUrl } from '../core/url/address';
import { attempt, fault } from '../language/codec/checked';
import type { Checked } from '../language/codec/checked';
import type { ResponseRule } from '../language/configuration/api/rules';
import type { Api, Configuration, IterationConfiguration, Job } from '../language/configuration/configuration';
import { compileExpression } from '../language/expressions/expression';
import type { Scope } from '../language/expressions/expression';
import type { CachePlan, PlacedRule, RulesPlan } from './plan';

/**
 * An address without user, password and query; `***` for what is no address at all, such as a key that was taken for
 * one.
 */
const addressOnly = (text: string): string =>
  /[./]/.test(text) ? text.replace(/[?#].*$/s, '').replace(/^([a-z][a-z0-9+.-]*:\/\/)?.*@/is, '$1***@') : '***';

/**
 * The base URL: literal, or the result of an expression over the user attributes (docs/language/requests.md#base-url).
 */
export function baseUrlOf(api: Api, scope: Scope): Checked<string> {
  const { baseUrl } = api;
  if (typeof baseUrl === 'string') return E.right(baseUrl);
  const path = 'api.baseUrl';
  return pipe(
    compileExpression(baseUrl, { path, contexts: ['attr'], ...scope }),
    E.flatMap((compiled) => attempt(path, () => compiled.evaluate(scope.known))),
    E.flatMap((value) => {
      const text = isScalar(value) ? textOf(value) : '';
      return isAbsolute(text) && parseUrl(text) !== undefined
        ? E.right(text)
        : fault(path, `The "baseUrl" attribute in API configuration resulted in an invalid URL (${addressOnly(text)})`);
    }),
  );
}

/** Keys of `config` that no request is made of. All others may be attributes of a login, a header or a parameter. */
const WITHOUT_INFLUENCE: ReadonlySet<string> = new Set(['mappings', 'primaryKeys', 'debug']);

/**
 * How responses are kept (docs/language/configuration.md#cache). The scope stands for what the configuration says about
 * credentials and the way to the API, as a hash: another user must not get these responses. What a login gives is not
 * part of it, since that changes from run to run.
 */
export function cacheOf(
  { api, attributes }: IterationConfiguration,
  configuration: Configuration,
): CachePlan | undefined {
  const { cache, aws, sshProxy } = configuration;
  // A response from the cache would set no cookie, and the next request would be one without a session.
  if (cache === undefined || api.http.cookies) return undefined;
  const own = Object.entries(attributes).filter(([key]) => !WITHOUT_INFLUENCE.has(key));
  const identity = [api.authentication, api.clientCertificate ?? null, aws ?? null, sshProxy ?? null, own];
  return { ttlSeconds: cache.ttlSeconds, scope: createHash('sha256').update(identityText(identity)).digest('hex') };
}

/** A cache that is switched off by something else. */
export const cacheWarnings = ({ api }: IterationConfiguration, { cache }: Configuration): readonly Fault[] =>
  cache !== undefined && api.http.cookies
    ? [{ path: 'cache', message: 'has no effect with api.http.cookies: a cached response would set no cookie' }]
    : [];

const identityText = (value: unknown): string =>
  JSON.stringify(value, (_key, part: unknown) => (typeof part === 'bigint' ? String(part) : part));

/** The rules about responses (docs/language/responses.md#rules); those of a job come before the ones for all. */
export function rulesOf(run: IterationConfiguration): RulesPlan | undefined {
  const common = commonOf(run);
  const own = allJobs(run.settings.jobs).flatMap((job) => {
    const rules = ownOf(job);
    return rules.length === 0 ? [] : [[job.path, [...rules, ...common]] as const];
  });
  const others = allJobs(run.settings.jobs).filter(({ format = run.api.http.format }) => format?.isJson === false);
  return common.length === 0 && own.length === 0
    ? undefined
    : { common, ofJobs: new Map(own), otherFormats: new Set(others.map(({ path }) => path)) };
}

/** Rules that can do nothing where they stand. */
export function ruleWarnings(run: IterationConfiguration): readonly Fault[] {
  const { authentication, retry } = run.api;
  const why = ({ do: action }: ResponseRule): string | undefined => {
    if (action === 'renew' && authentication === undefined)
      return 'renews nothing, since there is no api.authentication: such a response is an error';
    if (action === 'retry' && retry.maxRetries === 0)
      return 'tries nothing again, since api.retryConfig.maxRetries is 0: such a response is an error';
    return undefined;
  };
  return [...commonOf(run), ...allJobs(run.settings.jobs).flatMap(ownOf)].flatMap((rule) => {
    const message = why(rule);
    return message === undefined ? [] : [{ path: `${rule.path}.do`, message }];
  });
}

const commonOf = ({ api }: IterationConfiguration): readonly PlacedRule[] => placed(api.http.rules, 'api.http.rules');
const ownOf = ({ path, rules }: Job): readonly PlacedRule[] => placed(rules, `${path}.rules`);

const placed = (rules: readonly ResponseRule[] = [], path: string): readonly PlacedRule[] =>
  rules.map((rule, at) => ({ ...rule, path: `${path}[${at}]` }));

const allJobs = (jobs: readonly Job[]): readonly Job[] => jobs.flatMap((job) => [job, ...allJobs(job.children)]);
