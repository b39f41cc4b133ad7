import { FatalError } from '../../../src/core/errors/errors';
import type { Headers, JsonObject } from '../../../src/core/model';
import type { Next, Paginator } from '../../../src/language/parts/pagination/paginator';
import { responseLink } from '../../../src/sources/pagination/response-link';
import { arrivalOf, jobFacts } from '../../support/pagination';

type Options = Parameters<typeof responseLink.paginator>[0];
const defaults: Options = {
  rel: 'next',
  includeParams: false,
  relativeTo: 'request',
};
const paginatorWith = (options: Partial<Options> = {}, params: JsonObject = { q: 'x' }): Paginator =>
  responseLink.paginator({ ...defaults, ...options }, jobFacts({ params }));
const after = (paginator: Paginator, headers: Headers): Next =>
  paginator.next(arrivalOf({ step: paginator.first, headers }));
const changeAfter = (paginator: Paginator, link: string): unknown => {
  const next = after(paginator, { link });
  return next.kind === 'step' ? next.step.change : next;
};

describe('docs/extensions/response-headers.md: response.link', () => {
  it('the first request is the job as it is', () => {
    expect(paginatorWith().first.change).toEqual({ params: { q: 'x' } });
  });

  it('the next request goes to the link, without the parameters of the job', () => {
    expect(changeAfter(paginatorWith(), '<https://api.example/p?c=2>; rel="next"')).toEqual({
      params: {},
      address: 'https://api.example/p?c=2',
    });
  });

  it('includeParams: with the parameters of the job', () => {
    expect(changeAfter(paginatorWith({ includeParams: true }), '<https://api.example/p>; rel="next"')).toMatchObject({
      params: { q: 'x' },
    });
  });

  it('rel: another relation type', () => {
    const link = '<https://api.example/p>; rel="next", <https://api.example/older>; rel="older"';
    expect(changeAfter(paginatorWith({ rel: 'older' }), link)).toMatchObject({ address: 'https://api.example/older' });
  });

  it.each([
    ['request', 'https://api.example/x?c=2'],
    ['endpoint', 'https://api.example/v2/users/x?c=2'],
    ['base', 'https://api.example/v2/x?c=2'],
  ] as const)('relativeTo %s: x?c=2 is %s', (relativeTo, address) => {
    expect(changeAfter(paginatorWith({ relativeTo }), '<x?c=2>; rel="next"')).toMatchObject({ address });
  });

  it.each<[string, Headers]>([
    ['no header', {}],
    ['no link to a next page', { link: '<https://api.example/p>; rel="last"' }],
  ])('stops with %s', (_, headers) => {
    expect(after(paginatorWith(), headers)).toEqual({ kind: 'stop', because: 'No more pages, stopping pagination.' });
  });

  it('a link that leads nowhere is an error that names the header', () => {
    const error = (() => {
      try {
        return changeAfter(paginatorWith(), '<https://>; rel="next"');
      } catch (caught) {
        return caught;
      }
    })();
    expect(error).toBeInstanceOf(FatalError);
    expect(error).toMatchObject({
      code: 'NEXT_PAGE',
      message:
        'config.jobs[0]: the header Link leads to "https://" with rel="next", which is no address to follow: ' +
        'an address has to begin with http:// or https:// and a host',
    });
  });
});
