import { responseLink } from '../../../src/sources/pagination/response-link';
import { arrivalOf, jobFacts } from '../../support/pagination';

type Options = Parameters<typeof responseLink.paginator>[0];
const defaults: Options = {
  rel: 'next',
  includeParams: false,
  relativeTo: 'request',
};
const changeAfter = (options: Partial<Options>, link: string): unknown => {
  const paginator = responseLink.paginator({ ...defaults, ...options }, jobFacts({ params: { q: 'x' } }));
  const next = paginator.next(arrivalOf({ step: paginator.first, headers: { link } }));
  return next.kind === 'step' ? next.step.change : next;
};

describe('docs/language/pagination/response.link.md: response.link', () => {
  it.each([
    ['request', 'https://api.example/x?c=2'],
    ['endpoint', 'https://api.example/v2/users/x?c=2'],
    ['base', 'https://api.example/v2/x?c=2'],
  ] as const)('relativeTo %s: x?c=2 is %s', (relativeTo, address) => {
    expect(changeAfter({ relativeTo }, '<x?c=2>; rel="next"')).toEqual({ address, params: {} });
  });
});
