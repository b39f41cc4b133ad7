import { isLeft } from 'fp-ts/lib/Either';
import { faultLine } from '../../src/core/errors/errors';
import type { RulesPlan } from '../../src/plan/plan';
import { planConfiguration } from '../support/language';
import { accepted, configuration } from '../language/configuration/support';

function planOf(input: unknown): { readonly rules: RulesPlan | undefined; readonly warnings: readonly string[] } {
  const planned = planConfiguration(accepted(input));
  if (isLeft(planned)) throw new Error('no plan');
  const { iterations, warnings } = planned.right;
  return { rules: iterations[0]?.http.rules, warnings: warnings.map(faultLine) };
}

const rule = (action: string) => ({ when: { status: 404 }, do: action });

describe('the plan of rules', () => {
  it('there is none without rules', () => {
    expect(planOf(configuration()).rules).toBeUndefined();
  });

  it('those of a job come first, children have their own, and each knows its place', () => {
    const child = { id: 'c', endpoint: 'items/{id}', placeholders: { id: 'id' }, rules: [rule('stop')] };
    const jobs = [
      { id: 'a', endpoint: 'items', children: [child] },
      { id: 'b', endpoint: 'b', rules: [rule('retry'), rule('skip')] },
    ];
    const { rules, warnings } = planOf(configuration({ http: { rules: [rule('fail')] } }, { jobs }));
    const paths = (of: readonly { readonly path: string }[] = []) => of.map(({ path }) => path);
    expect(warnings).toEqual([]);
    expect(paths(rules?.common)).toEqual(['api.http.rules[0]']);
    expect([...(rules?.ofJobs.keys() ?? [])]).toEqual(['config.jobs[0].children[0]', 'config.jobs[1]']);
    expect(paths(rules?.ofJobs.get('config.jobs[0].children[0]'))).toEqual([
      'config.jobs[0].children[0].rules[0]',
      'api.http.rules[0]',
    ]);
    expect(paths(rules?.ofJobs.get('config.jobs[1]'))).toEqual([
      'config.jobs[1].rules[0]',
      'config.jobs[1].rules[1]',
      'api.http.rules[0]',
    ]);
  });

  it('warns of rules that can do nothing', () => {
    const api = { retryConfig: { maxRetries: 0 }, http: { rules: [rule('renew')] } };
    expect(planOf(configuration(api, { jobs: [{ endpoint: 'a', rules: [rule('retry')] }] })).warnings).toEqual([
      'api.http.rules[0].do: renews nothing, since there is no api.authentication: such a response is an error',
      'config.jobs[0].rules[0].do: tries nothing again, since api.retryConfig.maxRetries is 0: such a response is an error',
    ]);
  });
});
