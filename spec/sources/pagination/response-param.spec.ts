import type { Headers, Json, JsonObject } from '../../../src/core/model';
import type { Next, Paginator } from '../../../src/language/parts/pagination/paginator';
import { responseParam } from '../../../src/sources/pagination/response-param';
import { arrivalOf, jobFacts } from '../../support/pagination';

type Options = Parameters<typeof responseParam.paginator>[0];
const defaults: Options = {
  responseParam: 'scroll.token',
  queryParam: 'token',
  includeParams: false,
};
const paginatorWith = (options: Partial<Options> = {}, params: JsonObject = { q: 'x' }): Paginator =>
  responseParam.paginator({ ...defaults, ...options }, jobFacts({ params }));
const after = (paginator: Paginator, data: Json): Next =>
  paginator.next(arrivalOf({ step: paginator.first, data, items: [] }));
const changeAfter = (paginator: Paginator, data: Json = { scroll: { token: 't1' } }): unknown => {
  const next = after(paginator, data);
  return next.kind === 'step' ? next.step.change : next;
};

describe('language 5.6 response.param', () => {
  it('the first request is the job as it is, also with a scrollRequest', () => {
    expect(paginatorWith().first.change).toEqual({ params: { q: 'x' } });
    expect(paginatorWith({ scrollRequest: { method: 'GET', params: { a: 1 } } }).first.change).toEqual({
      params: { q: 'x' },
    });
  });

  it('the next request carries the value at responseParam as queryParam', () => {
    expect(changeAfter(paginatorWith())).toEqual({ params: { token: 't1' }, scroll: false });
  });

  it('docs/extensions/response-headers.md: or the value of a header', () => {
    const paginator = responseParam.paginator(
      { queryParam: 'token', includeParams: false, responseHeader: 'X-Cursor' },
      jobFacts({ params: { q: 'x' } }),
    );
    const afterHeaders = (headers: Headers): Next => paginator.next(arrivalOf({ step: paginator.first, headers }));
    expect(afterHeaders({ 'x-cursor': 't2' })).toMatchObject({ step: { change: { params: { token: 't2' } } } });
    expect(afterHeaders({ 'x-cursor': ['t3', 't4'] })).toMatchObject({ step: { change: { params: { token: 't3' } } } });
    expect(['', '0', undefined].map((value) => afterHeaders(value === undefined ? {} : { 'x-cursor': value }))).toEqual(
      Array.from({ length: 3 }, () => ({ kind: 'stop', because: 'No more pages found, stopping pagination.' })),
    );
  });

  it('goes on without items', () => {
    expect(after(paginatorWith(), { scroll: { token: 't1' } }).kind).toBe('step');
  });

  it.each<[string, Json]>([
    ['missing', {}],
    ['null', { scroll: { token: null } }],
    ['false', { scroll: { token: false } }],
    ['0', { scroll: { token: 0 } }],
    ['the text 0', { scroll: { token: '0' } }],
    ['empty', { scroll: { token: '' } }],
    ['an empty list', { scroll: { token: [] } }],
    ['where the response is a list', [1]],
  ])('stops when the value is %s', (_, data) => {
    expect(after(paginatorWith(), data)).toEqual({
      kind: 'stop',
      because: 'No more pages found, stopping pagination.',
    });
  });

  it.each<[string, Json]>([
    ['a number', 17],
    ['an integer beyond 2^53', 9007199254740993n],
    ['true', true],
    ['a list', [1, 2]],
    ['an object', { after: 3 }],
  ])('sends %s unchanged', (_, token) => {
    expect(changeAfter(paginatorWith(), { scroll: { token } })).toMatchObject({ params: { token } });
  });

  it('includeParams false: the parameters of the job are not sent again', () => {
    expect(changeAfter(paginatorWith({ includeParams: false }))).toMatchObject({ params: { token: 't1' } });
    expect(Object.keys(paginatorWith({ includeParams: false }).at('t1').change.params)).toEqual(['token']);
  });

  it('includeParams true: they are, and the value overrides one of the same name in its place', () => {
    const params = { token: { first: true }, q: 'x' };
    const { change } = paginatorWith({ includeParams: true }, params).at('t1');
    expect(Object.entries(change.params)).toEqual([
      ['token', 't1'],
      ['q', 'x'],
    ]);
  });

  it('scrollRequest: its params lie over those of the job, key by key, and the value over both', () => {
    const scrollRequest = { params: { filter: { b: 3, c: 4 }, token: { kept: false } } };
    const paginator = paginatorWith({ includeParams: true, scrollRequest }, { filter: { a: 1, b: 2 }, q: 'x' });
    expect(changeAfter(paginator)).toEqual({
      params: { filter: { a: 1, b: 3, c: 4 }, q: 'x', token: 't1' },
      scroll: true,
    });
  });

  it('scrollRequest without includeParams: its params alone', () => {
    const paginator = paginatorWith({ scrollRequest: { endpoint: 'results', params: { size: 2 } } });
    expect(changeAfter(paginator)).toEqual({ params: { size: 2, token: 't1' }, scroll: true });
  });
});
