import * as E from 'fp-ts/Either';
import { pipe } from 'fp-ts/function';
import { createHash } from 'node:crypto';
import type { Fault } from '../core/errors/errors';
import { isScalar, textOf } from '../core/json/scalars';
import { isAbsolute, parseUrl } from '../core/url/address';
import { attempt, fault } from '../language/codec/codec';
import type { Checked } from '../language/codec/codec';
import type { ResponseRule } from '../language/configuration/api/rules';
import type { Api, Configuration, IterationConfiguration, Job } from '../language/configuration/configuration';
import { compileExpression } from '../language/expressions/expression';
import type { Scope } from '../language/expressions/expression';
import type { CachePlan, PlacedRule, RulesPlan } from './plan';

/**
 * Returns an address without user, password and query; `***` for a string that is not an address, such as a key in its
 * place.
 */
const addressOnly = (text: string): string =>
  /[./]/.test(text) ? text.replace(/[?#].*$/s, '').replace(/^([a-z][a-z0-9+.-]*:\/\/)?.*@/is, '$1***@') : '***';

/**
 * Returns the base URL: literal, or the result of an expression over the user attributes
 * (docs/language/requests.md#base-url).
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

/** Keys of `config` that do not affect requests. All others may be attributes of a login, a header or a parameter. */
const WITHOUT_INFLUENCE: ReadonlySet<string> = new Set(['mappings', 'primaryKeys', 'debug']);

/**
 * Plans the cache of responses (docs/language/configuration.md#cache). The scope is a hash of the configured
 * credentials and the way to the API: another user must not get these responses. The values of a login are not part of
 * it, because they change from run to run.
 */
export function cacheOf(
  { api, attributes }: IterationConfiguration,
  configuration: Configuration,
): CachePlan | undefined {
  const { cache, aws, sshProxy } = configuration;
  // A cached response would set no cookie, and the next request would have no session.
  if (cache === undefined || api.http.cookies) return undefined;
  const own = Object.entries(attributes).filter(([key]) => !WITHOUT_INFLUENCE.has(key));
  const identity = [api.authentication, api.clientCertificate ?? null, aws ?? null, sshProxy ?? null, own];
  return { ttlSeconds: cache.ttlSeconds, scope: createHash('sha256').update(identityText(identity)).digest('hex') };
}

/** Warns of a cache that another setting disables. */
export const cacheWarnings = ({ api }: IterationConfiguration, { cache }: Configuration): readonly Fault[] =>
  cache !== undefined && api.http.cookies
    ? [{ path: 'cache', message: 'has no effect with api.http.cookies: a cached response would set no cookie' }]
    : [];

const identityText = (value: unknown): string =>
  JSON.stringify(value, (_key, part: unknown) => (typeof part === 'bigint' ? String(part) : part));

/**
 * Returns the rules about responses (docs/language/responses.md#rules); the rules of a job precede the rules for all
 * jobs.
 */
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

/** Warns of rules that have no effect in their place. */
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
