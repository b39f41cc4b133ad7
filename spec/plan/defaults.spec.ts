import { isLeft } from 'fp-ts/Either';
import { faultLine } from '../../src/core/errors/errors';
import { flatten } from '../../src/core/json/objects';
import type { JsonObject } from '../../src/core/model';
import { compileDefaultParams } from '../../src/plan/defaults';
import type { DefaultParams } from '../../src/plan/defaults';
import { scopeOf } from '../support/expressions';

const scope = scopeOf({ attr: flatten({ '#key': 'top-secret', user: 'me', nothing: null }) });
const times = { previousStart: 5, currentStart: 10 };

function evaluated(raw: JsonObject): DefaultParams {
  const compiled = compileDefaultParams(raw, scope);
  if (isLeft(compiled)) throw new Error(compiled.left.map(faultLine).join('\n'));
  return compiled.right(times);
}

describe('default parameters (docs/language/expressions.md#places)', () => {
  it('evaluates functions and references, at any depth and in lists', () => {
    const raw = {
      user: { attr: 'user' },
      since: { function: 'concat', args: ['t', { time: 'previousStart' }] },
      deep: { list: [{ attr: 'user' }, { a: { time: 'currentStart' } }] },
      q: { function: 'urlencode', args: ['a b'] },
    };
    expect(evaluated(raw).all).toEqual({ user: 'me', since: 't5', deep: { list: ['me', { a: 10 }] }, q: 'a+b' });
  });

  it('language 2.4: what may be a literal stays one', () => {
    const raw = {
      filter: { time: '10:00' },
      by: { attr: 'unknown' },
      two: { attr: 'user', b: 1 },
      aggregation: { function: 'sum', field: 'price' },
      sum: { function: 'sum' },
      nested: [[{ function: 1 }], null, true, 1.5],
    };
    expect(evaluated(raw).all).toEqual(raw);
  });

  it('keeps what is computed from secrets apart', () => {
    const raw = { key: { attr: '#key' }, deep: { sign: [{ function: 'md5', args: [{ attr: '#key' }] }] }, v: 1 };
    const { open, secrets } = evaluated(raw);
    expect(open).toEqual({ v: 1 });
    expect(secrets).toEqual(['top-secret', expect.stringMatching(/^[0-9a-f]{32}$/)]);
  });

  it('a function that cannot be is a fault that names the place', () => {
    const compiled = compileDefaultParams({ a: [{ function: 'cocnat', args: [] }] }, scope);
    expect(isLeft(compiled) && compiled.left).toEqual([
      {
        path: 'api.http.defaultOptions.params.a[0]',
        message: expect.stringContaining("Illegal function 'cocnat'! Did you mean 'concat'?") as string,
      },
    ]);
  });
});
