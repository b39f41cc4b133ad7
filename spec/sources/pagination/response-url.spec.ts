import type { Json } from '../../../src/core/model';
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
const changeAfter = (data: Json, options: Partial<Options> = {}): unknown => {
  const paginator = responseUrl.paginator({ ...defaults, ...options }, jobFacts({ params: { q: 'x' } }));
  const reply = { response: aResponse({ request: aRequest({ url: REQUESTED }) }), data };
  const next = paginator.next(arrivalOf({ step: paginator.first, reply }));
  return next.kind === 'step' ? next.step.change : next;
};

describe('specification 4.3.2 response.url', () => {
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
});
