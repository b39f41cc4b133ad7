import { FatalError } from '../../../src/core/errors/errors';
import type { Json, JsonObject } from '../../../src/core/model';
import type { Next } from '../../../src/language/parts/pagination/paginator';
import { responseUrl } from '../../../src/sources/pagination/response-url';
import { arrivalOf, jobFacts } from '../../support/pagination';
import { aRequest, aResponse } from '../../support/requests';

type Options = Parameters<typeof responseUrl.paginator>[0];
const defaults: Options = {
  urlKey: 'next_page',
  delimiter: '.',
  paramIsQuery: false,
  includeParams: false,
  relativeTo: 'endpoint',
};
const REQUESTED = 'https://api.example/v2/deep/page?p=1';
function nextAfter(data: Json, options: Partial<Options> = {}, params: JsonObject = { q: 'x' }): Next {
  const paginator = responseUrl.paginator({ ...defaults, ...options }, jobFacts({ params }));
  const reply = { response: aResponse({ request: aRequest({ url: REQUESTED }) }), data };
  return paginator.next(arrivalOf({ step: paginator.first, reply }));
}
const changeAfter = (...args: Parameters<typeof nextAfter>): unknown => {
  const next = nextAfter(...args);
  return next.kind === 'step' ? next.step.change : next;
};
const STOP = { kind: 'stop', because: 'No more pages, stopping pagination.' };

describe('specification 4.3.2 response.url', () => {
  it('the first request is the job as it is', () => {
    const { first } = responseUrl.paginator(defaults, jobFacts({ params: { q: 'x' } }));
    expect(first.change).toEqual({ params: { q: 'x' } });
  });

  it.each([
    ['an absolute link', 'https://api.example/other?page=2', 'https://api.example/other?page=2'],
    ['an absolute path', '/other?page=2', 'https://api.example/other?page=2'],
    ['a relative path, appended to the endpoint URL', 'page/2?x=1', 'https://api.example/v2/users/page/2?x=1'],
    ['a query', '?page=2', 'https://api.example/v2/users?page=2'],
  ])('rule 1: %s', (_, value, address) => {
    expect(changeAfter({ next_page: value })).toEqual({ address, params: {} });
  });

  it.each([
    ['base', 'page/2', 'https://api.example/v2/page/2'],
    ['base', '?page=2', 'https://api.example/v2/?page=2'],
    ['request', 'other', 'https://api.example/v2/deep/other'],
    ['request', '?page=2', 'https://api.example/v2/deep/page?page=2'],
  ] as const)('relativeTo %s: %s', (relativeTo, value, address) => {
    expect(changeAfter({ next_page: value }, { relativeTo })).toEqual({ address, params: {} });
  });

  it.each<[string, Json]>([
    ['absent', {}],
    ['null', { next_page: null }],
    ['an empty string', { next_page: '' }],
    ['false', { next_page: false }],
    ['the whole response no object', [1]],
  ])('rule 2: stops when the value is %s', (_, data) => {
    expect(nextAfter(data)).toEqual(STOP);
  });

  it('rule 2: a misspelled urlKey ends after the first page', () => {
    expect(nextAfter({ next_page: '/p2' }, { urlKey: 'nextpage' })).toEqual(STOP);
  });

  it('urlKey is a path with a delimiter of choice', () => {
    const data = { 'a.b': { next: '/p2' } };
    expect(changeAfter(data, { urlKey: 'a.b|next', delimiter: '|' })).toMatchObject({
      address: 'https://api.example/p2',
    });
  });

  it('rule 3: with includeParams the job params go to every next page, to overwrite those of the address', () => {
    expect(changeAfter({ next_page: '/p?page=2' }, { includeParams: true }, { page: 1 })).toEqual({
      address: 'https://api.example/p?page=2',
      params: { page: 1 },
    });
  });

  it('rule 4: with paramIsQuery the value is a query that overrides; job params stay with includeParams', () => {
    expect(changeAfter({ next_page: '?page=2' }, { paramIsQuery: true, includeParams: true }, { page: 1 })).toEqual({
      received: 'page=2',
      params: { page: 1 },
    });
    expect(changeAfter({ next_page: 'page=2' }, { paramIsQuery: true }, { page: 1 })).toEqual({
      received: 'page=2',
      params: {},
    });
  });

  it.each<[string, Json]>([
    ['a number', 7],
    ['true', true],
    ['a list', ['/p2']],
    ['an address that is none', 'https://[broken'],
  ])('fails for %s and names urlKey', (_, value) => {
    expect(() => nextAfter({ next_page: value })).toThrow(FatalError);
    expect(() => nextAfter({ next_page: value })).toThrow(/config\.jobs\[0\]: api\.pagination\.urlKey "next_page"/);
  });

  it('the address may stand in a header', () => {
    const options = { ...defaults, urlHeader: 'Next-Page' };
    const paginator = responseUrl.paginator(options, jobFacts({}));
    const after = (headers: Record<string, string>): Next => {
      const response = aResponse({ request: aRequest({ url: REQUESTED }), headers });
      return paginator.next(arrivalOf({ step: paginator.first, reply: { response, data: { next_page: '/no' } } }));
    };
    expect(after({ 'next-page': 'https://api.example/p2' })).toMatchObject({
      step: { change: { address: 'https://api.example/p2' } },
    });
    expect(after({})).toEqual(STOP);
    expect(() => after({ 'next-page': 'https://[broken' })).toThrow('api.pagination.urlHeader "Next-Page" should lead');
  });

  it('language 1.4: the failure keeps no second copy of the address', () => {
    let failure: unknown;
    try {
      nextAfter({ next_page: 'https://[broken' });
    } catch (error) {
      failure = error;
    }
    expect(failure).toBeInstanceOf(FatalError);
    expect(failure).not.toHaveProperty('cause');
  });
});
