import type { Json, JsonObject } from '../../../src/core/model';
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
  it('docs/language/pagination/response.link.md: of several values of a header the first counts', () => {
    const options = { queryParam: 'token', includeParams: false, responseHeader: 'X-Cursor' };
    const { first, next } = responseParam.paginator(options, jobFacts());
    expect(next(arrivalOf({ step: first, headers: { 'x-cursor': ['t3', 't4'] } }))).toMatchObject({
      step: { change: { params: { token: 't3' } } },
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

  it('scrollRequest: its params lie over those of the job, key by key, and the value over both', () => {
    const scrollRequest = { params: { filter: { b: 3, c: 4 }, token: { kept: false } } };
    const paginator = paginatorWith({ includeParams: true, scrollRequest }, { filter: { a: 1, b: 2 }, q: 'x' });
    expect(changeAfter(paginator)).toEqual({
      params: { filter: { a: 1, b: 3, c: 4 }, q: 'x', token: 't1' },
      scroll: true,
    });
  });
});
