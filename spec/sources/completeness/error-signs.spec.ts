import { errorSign, isError } from '../../../src/sources/completeness/error-signs';
import type { Json, JsonObject } from '../../../src';

const seen = (data: Json): string =>
  ((sign) => (sign === undefined ? 'none' : `${sign.isSure ? 'sure' : 'maybe'} ${sign.path.join('.')}`))(
    errorSign(data),
  );

describe('a body without items that is an error', () => {
  it.each<[JsonObject, string]>([
    [{ code: 429, msg: 'slow down', data: [] }, 'code'],
    [{ code: '401', message: 'no key', data: null }, 'code'],
    [{ code: 50001, message: 'busy', data: null }, 'code'],
    [{ code: -1, data: [] }, 'code'],
    [{ cod: '401', message: 'Invalid API key' }, 'cod'],
    [{ status: 500, items: [] }, 'status'],
    [{ status: 'FAILED', items: [] }, 'status'],
    [{ stat: 'fail', code: 100, message: 'Invalid API Key' }, 'stat'],
    [{ result: 'error', items: [] }, 'result'],
    [{ meta: { code: 429, error_type: 'OAuthRateLimitException' }, data: {} }, 'meta.code'],
    [{ response: { status: 'ERROR' }, items: [] }, 'response.status'],
    [{ header: { code: 1, error: true }, items: [] }, 'header.error'],
    [{ status: { error_code: 1001, error_message: 'no key' }, data: [] }, 'status.error_code'],
    [{ '@attributes': { stat: 'fail' } }, '@attributes.stat'],
    [{ isError: true, items: [] }, 'isError'],
    [{ hasErrors: 'true', items: [] }, 'hasErrors'],
    [{ failed: true, items: [] }, 'failed'],
    [{ retcode: -1, items: [] }, 'retcode'],
    [{ errcode: 40001, items: [] }, 'errcode'],
    [{ success: false, items: [] }, 'success'],
    [{ error: { code: 5, message: 'quota' } }, 'error'],
    [{ jsonrpc: '2.0', id: 1, error: { code: -32000, message: 'busy' } }, 'error'],
    [{ message: 'Internal error' }, 'message'],
    [{ detail: 'Not found.' }, 'detail'],
  ])('%j', (body, where) => {
    expect(seen(body)).toBe(`sure ${where}`);
  });

  it.each<[JsonObject, string]>([
    [{ code: 7, msg: 'please wait', data: null }, 'code'],
    [{ status: 'OVER_QUERY_LIMIT', results: [] }, 'status'],
    [{ id: 'request-5', status: 'error', items: [] }, 'status'],
    [{ reason: 'token expired', items: [] }, 'reason'],
    [{ warning: 'partial result', items: [] }, 'warning'],
    [{ message: 'Please come back tomorrow' }, 'message'],
    [{ message: 'No API key found in request' }, 'message'],
  ])('perhaps: %j', (body, where) => {
    expect(seen(body)).toBe(`maybe ${where}`);
  });
});

describe('a body without items that is in order', () => {
  it.each<[JsonObject]>([
    [{ code: 0, message: 'ok', data: [] }],
    [{ code: 200, message: 'Found nothing', data: [] }],
    [{ code: 1, msg: '操作成功', data: [] }],
    [{ code: '00000', msg: 'done', data: [] }],
    [{ code: 10000, msg: 'done', data: [] }],
    [{ code: 20000, data: [] }],
    [{ code: 'SUCCESS', data: [] }],
    [{ errcode: 0, errmsg: 'ok', list: [] }],
    [{ retcode: 0, items: [] }],
    [{ errorCode: 200, errorMessage: 'Success', items: [] }],
    [{ status: 'success', items: [] }],
    [{ status: 'ZERO_RESULTS', results: [] }],
    [{ status: 1, items: [] }],
    [{ status: { error_code: 0, error_message: null }, data: [] }],
    [{ responseHeader: { status: 0, QTime: 3 }, response: { numFound: 0, docs: [] } }],
    [{ error: null, items: [] }],
    [{ error: false, items: [] }],
    [{ error: { code: 0, message: '' }, items: [] }],
    [{ errors: [], items: [] }],
    [{ hasErrors: false, failed: 0, items: [] }],
    [{ failed: 3, items: [] }],
    [{ result: 450, items: [] }],
    [{ total: 0, page: 1, items: [] }],
    [{ message: 'No stations match', items: [] }],
    [{ message: 'No results found' }],
    [{ message: 'ok' }],
    [{ id: 7, name: 'Elbe', code: 450, gauges: [] }],
    [{ id: 7, status: 'active', gauges: [] }],
    [{ title: 'A report', description: 'Of what failed', type: 'report' }],
    [{}],
  ])('%j', (body) => {
    expect(seen(body)).toBe('none');
  });

  it.each<Json>([null, [], 5, 'text'])('%j', (body) => {
    expect(seen(body)).toBe('none');
  });
});

describe('beside items', () => {
  it('a code or a message is none of an error', () => {
    const body = { code: 7, message: 'limit 5 exceeded', status: 'partial failure', items: [1] };
    expect(Object.entries(body).filter(([key, value]) => isError(key, value, body))).toEqual([]);
  });

  it('what is called an error is one, unless it says that there is none', () => {
    expect(isError('error', 'timeout', {})).toBe(true);
    expect(isError('errmsg', 'ok', {})).toBe(false);
    expect(isError('errorcode', '0', {})).toBe(false);
  });
});
