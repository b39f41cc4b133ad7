import { FatalError, RetryableError } from '../../../src/core/errors/errors';
import { judge } from '../../../src/http/rules/judge';
import type { PlacedRule } from '../../../src/plan/rules-plan';
import { aResponse, secretsOf } from '../../support/requests';

const rule = (action: PlacedRule['do'], message?: string): PlacedRule => ({
  when: { field: 'error' },
  do: action,
  path: 'api.http.rules[3]',
  ...(message === undefined ? {} : { message }),
});

function errorOf(made: PlacedRule, response: Parameters<typeof aResponse>[0]): unknown {
  try {
    return judge(() => made, secretsOf('s3cret-key'))(aResponse(response));
  } catch (error) {
    return error;
  }
}

describe('judge', () => {
  it('leaves a response alone that no rule is for', () => {
    expect(judge(() => undefined, secretsOf())(aResponse())).toBeUndefined();
  });

  it.each([
    ['skip', 'api.http.rules[3] skips the response: [404] GET https://api.example/items.'],
    ['stop', 'api.http.rules[3] ends the pagination: [404] GET https://api.example/items.'],
  ] as const)('%s says why there are no items', (kind, because) => {
    expect(judge(() => rule(kind), secretsOf())(aResponse({ status: 404 }))).toEqual({ kind, because });
  });

  it('fail is an error with the message of the rule and the body, secrets masked', () => {
    const error = errorOf(rule('fail', 'No exports.'), { text: '{"error":"s3cret-key"}' });
    expect(error).toBeInstanceOf(FatalError);
    expect(error).toMatchObject({
      code: 'API_ERROR',
      status: 200,
      message: 'No exports. (api.http.rules[3]) [200] GET https://api.example/items: {"error":"***"}',
    });
  });

  it.each([
    ['retry', 200, 'API_STATUS', 'retry'],
    ['retry', 404, 'API_STATUS', 'fatal'],
    ['renew', 200, 'API_ERROR', 'fatal'],
    ['renew', 403, 'API_STATUS', 'fatal'],
    ['fail', 503, 'API_ERROR', 'fatal'],
  ] as const)('what is left of %s with status %i is the error %s (%s)', (action, status, code, recovery) => {
    expect(errorOf(rule(action), { status, text: '{"error":1}' })).toMatchObject({ code, recovery, status });
  });

  it('a rule may say what retries that were of no use mean', () => {
    const error = errorOf(rule('retry', 'The export is not ready.'), { attempts: 3 });
    expect(error).toBeInstanceOf(RetryableError);
    expect(error).toMatchObject({
      code: 'API_ERROR',
      attempt: 3,
      message: expect.stringMatching(/^The export is not/) as unknown,
    });
  });
});
