import type { ResponseRule } from '../language/configuration/api/rule';
import type { IterationConfiguration, Job } from '../language/configuration/configuration';
import type { Fault } from '../core/errors/errors';
import type { PlacedRule, RulesPlan } from './rules-plan';

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
