import { isLeft } from 'fp-ts/lib/Either';
import { planConfiguration } from '../support/language';
import type { LimitsPlan } from '../../src/plan/http-plan';
import { accepted, configuration } from '../language/configuration/support';

const RATE = { requests: 10, seconds: 1 };

function limitsOf(input: unknown): LimitsPlan | undefined {
  const planned = planConfiguration(accepted(input));
  return isLeft(planned) ? undefined : planned.right.iterations[0]?.http.limits;
}

describe('docs/extensions/rate-limits.md: the plan', () => {
  it('is empty, unless told', () => {
    expect(limitsOf(configuration())).toEqual({ rates: [] });
  });

  it('gathers the rates of the API, of jobs and of their children', () => {
    const http = { maxRequests: 8, maxRequestsPerOrigin: 2, rateLimit: { ...RATE, path: '/a' } };
    const child = {
      id: 'c',
      endpoint: 'items/{id}',
      placeholders: { id: 'id' },
      rateLimit: { requests: 1, seconds: 2 },
    };
    const jobs = [
      { id: 'a', endpoint: 'items', children: [child] },
      { id: 'b', endpoint: 'b', rateLimit: [RATE, RATE] },
    ];
    expect(limitsOf(configuration({ http }, { jobs }))).toEqual({
      maxRequests: 8,
      maxRequestsPerOrigin: 2,
      rates: [
        { rate: RATE, path: '/a' },
        { rate: { requests: 1, seconds: 2 }, job: 'c' },
        { rate: RATE, job: 'b' },
        { rate: RATE, job: 'b' },
      ],
    });
  });
});
