import fc from 'fast-check';
import { FatalError } from '../../../src/core/errors/errors';
import { parseJson } from '../../../src/core/json/parse';
import { stringifyJson } from '../../../src/core/json/stringify';
import type { Json, JsonObject } from '../../../src/core/model';
import { stop } from '../../../src/language/parts/pagination/paginator';
import type { Next, Paginator, Step } from '../../../src/language/parts/pagination/paginator';
import { arrivalOf, chosenPagination, jobFacts } from '../../support/pagination';

const url = { urlKey: 'next', delimiter: '.', includeParams: true, relativeTo: 'endpoint' } as const;
const options: readonly (JsonObject & { readonly method: string })[] = [
  { method: '' },
  {
    method: 'offset',
    limit: 1,
    limitParam: 'limit',
    offsetParam: 'offset',
    firstPageParams: false,
    offsetFromJob: true,
    parallel: 1,
  },
  {
    method: 'offset',
    limit: 2,
    offsetParam: { header: 'Range', template: '{from}-{to}' },
  },
  { method: 'pagenum', limit: 2, pageParam: ['v', 'page'], limitParam: ['v', 'size'] },
  { method: 'response.param', responseParam: 'next', queryParam: { header: 'X-Next' } },
  { method: 'keyset', key: 'id', param: 'after' },
  { method: 'keyset', key: ['id', 'id'], param: ['a', 'b'], limit: 2 },
  { method: 'keyset', key: 'id', param: 'after', inclusive: true },
  { method: 'cursor', idKey: 'id', param: { param: 'q', template: 'id>{value}' } },
  { method: 'pagenum', pageParam: 'page', limitParam: 'limit', firstPage: 0, firstPageParams: false, parallel: 1 },
  { method: 'response.url', ...url, paramIsQuery: false },
  { method: 'response.url', ...url, paramIsQuery: true },
  { method: 'response.link', rel: 'next', includeParams: true, relativeTo: 'request' },
  { method: 'response.param', responseParam: 'next', queryParam: 'token', includeParams: true },
  { method: 'response.param', responseHeader: 'X-Next', queryParam: 'token', includeParams: true },
  { method: 'cursor', idKey: 'id', param: 'after', increment: 1, reverse: false },
  { method: 'zendesk.response.url', ...url, paramIsQuery: false },
];
const all = options.map((each) => [each.method, each] as const);
const paginator = (each: JsonObject): Paginator =>
  chosenPagination(each).paginator(jobFacts({ params: { q: 'x', offset: 3 } }));

/** What a page may hold, whichever method reads it. */
interface Content {
  readonly next: string;
  readonly ids: readonly bigint[];
}
const content: fc.Arbitrary<Content> = fc.record({
  next: fc.stringMatching(/^[?/]?[a-z0-9=&%.]{0,12}$/),
  ids: fc.array(fc.bigInt({ min: -(2n ** 65n), max: 2n ** 65n }), { maxLength: 4 }),
});
const taken = (tested: Paginator, step: Step, { next, ids }: Content): Next => {
  const items: readonly JsonObject[] = ids.map((id) => ({ id }));
  const headers = { link: `<${next}>; rel="next"`, 'x-next': next };
  try {
    return tested.next(arrivalOf({ step, items, data: { next }, headers, now: 2e9 }));
  } catch (error) {
    // Some pages cannot follow each other.
    if (error instanceof FatalError) return stop(error.message);
    throw error;
  }
};

describe('pagination methods (specification 4.3, language 5)', () => {
  it('none: one request, as the job says', () => {
    const none = paginator({});
    expect(none.first.change).toEqual({ params: { q: 'x', offset: 3 } });
    expect(taken(none, none.first, { next: '/p2', ids: [1n] }).kind).toBe('stop');
  });

  it.each(all)('%s: going on from a stored position gives the same requests as going on from memory', (_, each) => {
    fc.assert(
      fc.property(fc.array(content, { maxLength: 8 }), (pages) => {
        const tested = paginator(each);
        let remembered: Step = tested.first;
        for (const page of pages) {
          const next = taken(tested, remembered, page);
          if (next.kind === 'stop') return;
          const restarted = paginator(each);
          const restored = restarted.at(parseJson(stringifyJson(next.step.position)));
          expect(restored).toEqual(next.step);
          expect(taken(restarted, restored, page)).toEqual(taken(tested, next.step, page));
          remembered = next.step;
        }
      }),
    );
  });

  it.each(all)('%s: the same page twice gives the same request twice', (_, each) => {
    const tested = paginator(each);
    const page = { next: '/p2', ids: [4n] };
    expect(taken(tested, tested.first, page)).toEqual(taken(tested, tested.first, page));
  });

  it.each(all)('%s: a position that cannot be read means the first request', (_, each) => {
    const tested = paginator(each);
    const unreadable: readonly Json[] = [null, [], false];
    for (const position of unreadable) expect(tested.at(position)).toEqual(tested.first);
  });
});
