import { FatalError, RetryableError } from '../../src/core/errors/errors';
import type { RunEvent } from '../../src/core/events';
import type { Response } from '../../src/core/model';
import { judge, ruleOf } from '../../src/http/rules';
import type { ResponseRule } from '../../src/language/configuration/api/rules';
import type { PlacedRule } from '../../src/plan/plan';
import { aRequest, aResponse, secretsOf } from '../support/requests';

const placed = (when: ResponseRule['when'], path = 'api.http.rules[0]'): PlacedRule => ({ when, do: 'skip', path });

/** Whether the condition holds for the response. */
const holds = (when: ResponseRule['when'], response: Parameters<typeof aResponse>[0] = {}): boolean =>
  ruleOf({ common: [placed(when)], ofJobs: new Map(), otherFormats: new Set() }, reported)(aResponse(response)) !==
  undefined;

const reported = (): void => undefined;

describe('ruleOf', () => {
  it('a status, or a class of them', () => {
    const statuses = [
      { from: 404, to: 404 },
      { from: 500, to: 599 },
    ];
    expect([404, 500, 599, 403, 600].map((status) => holds({ statuses }, { status }))).toEqual([
      true,
      true,
      true,
      false,
      false,
    ]);
  });

  it('a header that is there, that is one of some values, or in which something is found; each of its lines counts', () => {
    const headers = { 'x-error': ['calm', 'busy now'] };
    expect(holds({ header: 'x-error' }, { headers })).toBe(true);
    expect(holds({ header: 'x-other' }, { headers })).toBe(false);
    expect(holds({ header: 'x-error', is: ['calm'] }, { headers })).toBe(true);
    expect(holds({ header: 'x-error', is: ['busy'] }, { headers })).toBe(false);
    expect(holds({ header: 'x-error', matches: '^busy' }, { headers })).toBe(true);
  });

  it.each<[string, ResponseRule['when'], boolean]>([
    ['{"error":{"code":"A"}}', { field: 'error.code', is: ['A'] }, true],
    ['{"error":{"code":7}}', { field: 'error.code', is: ['7'] }, true],
    ['{"error":{"code":7}}', { field: 'error.code', is: ['A'] }, false],
    ['{"success":false}', { field: 'success', is: ['false'] }, true],
    ['{"success":true}', { field: 'success', is: ['false'] }, false],
    ['{"error":null}', { field: 'error' }, false],
    ['{"error":{}}', { field: 'error' }, true],
    ['{"items":[]}', { field: 'error' }, false],
    ['{"errors":[{"code":1},{"code":2}]}', { field: '$.errors[*].code', is: ['2'] }, true],
    ['{"errors":[{"code":1}]}', { field: '$.errors[*].code', is: ['2'] }, false],
    ['<busy/>', { field: 'busy' }, false],
    ['<busy/>', { matches: 'busy' }, true],
    ['', { matches: 'busy' }, false],
  ])('the body %s and %j', (text, when, expected) => {
    expect(holds(when, { text })).toBe(expected);
  });

  it('all that is given has to hold', () => {
    const when = { statuses: [{ from: 200, to: 200 }], field: 'error' };
    expect(holds(when, { status: 200, text: '{"error":1}' })).toBe(true);
    expect(holds(when, { status: 201, text: '{"error":1}' })).toBe(false);
    expect(holds(when, { status: 200, text: '{}' })).toBe(false);
  });

  it('the first that holds counts, by job, and logins have none', () => {
    const first = placed({ statuses: [{ from: 500, to: 599 }] }, 'a');
    const second = placed({ field: 'error' }, 'b');
    const own = placed({ field: 'error' }, 'c');
    const rule = ruleOf(
      { common: [first, second], ofJobs: new Map([['own', [own, first, second]]]), otherFormats: new Set() },
      reported,
    );
    const failed = { status: 500, text: '{"error":1}' };
    const of = (job: string): Response =>
      aResponse({ ...failed, request: aRequest({ purpose: { kind: 'page', job: 'j', path: job } }) });
    expect(rule(of('items'))?.path).toBe('a');
    expect(rule(of('own'))?.path).toBe('c');
    expect(rule(aResponse({ ...failed, request: aRequest({ purpose: { kind: 'login' } }) }))).toBeUndefined();
  });

  it('what was found for a body is kept as long as status and headers are the same', () => {
    const rule = ruleOf(
      { common: [placed({ statuses: [{ from: 404, to: 404 }] })], ofJobs: new Map(), otherFormats: new Set() },
      reported,
    );
    const response = aResponse({ status: 404 });
    expect(rule(response)).toBe(rule({ ...response, attempts: 2 }));
    expect(rule({ ...response, status: 200 })).toBeUndefined();
  });

  it('a field of a body that is no JSON is told once, unless the job has another format', () => {
    const warnings: string[] = [];
    const report = (event: RunEvent): void => {
      if (event.type === 'warning') warnings.push(event.message);
    };
    const own = placed({ field: 'error' }, 'config.jobs[1].rules[0]');
    const plan = {
      common: [placed({ field: 'error' }), placed({ field: 'code', statuses: [{ from: 400, to: 599 }] }, 'b')],
      ofJobs: new Map([['config.jobs[1]', [own]]]),
      otherFormats: new Set(['config.jobs[1]']),
    };
    const rule = ruleOf(plan, report);
    const of = (path: string, text: string): Response =>
      aResponse({ text, request: aRequest({ purpose: { kind: 'page', job: 'j', path } }) });
    for (const text of ['<busy/>', 'a,b\n1,2\n', '', '{"items":[]}']) rule(of('config.jobs[0]', text));
    rule(of('config.jobs[1]', '<busy/>'));
    expect(warnings).toEqual([
      expect.stringMatching(
        /^api\.http\.rules\[0\] looks at the field "error" .* request of config\.jobs\[0\] is none/,
      ),
    ]);
  });
});

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
    expect(judge(() => rule(kind), secretsOf())(aResponse({ status: 404 }))).toMatchObject({ kind, because });
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
