/** The only page of a job that reads the next one from the response, where the API says nothing of pages (docs/completeness.md#what-is-a-warning). */
import { json } from '../../support/answers';
import { outcomesOf, rows } from '../../support/completeness';

const play = outcomesOf();
const incomplete = (warnings: readonly string[]): readonly string[] =>
  warnings.filter((warning) => warning.startsWith('INCOMPLETE'));

const LINK = { method: 'response.link' };
const ADDRESS = { method: 'response.url', urlKey: 'meta.further' };
const TOKEN = { method: 'response.param', responseParam: 'further', queryParam: 'token' };
const list =
  (count: number, says: object = {}) =>
  () => ({ items: rows(0, count), ...says });

it.each<[string, object]>([
  ['response.link', LINK],
  ['response.url', ADDRESS],
  ['response.param', TOKEN],
])('may be a full one of several: %s', async (_, pagination) => {
  for (const count of [10, 20, 25, 30, 50, 250]) {
    const { error, warnings, finished } = await play(list(count), { pagination });
    expect(error).toBeUndefined();
    expect(incomplete(warnings)).toEqual([expect.stringContaining(`${count} items, and many APIs have just as many`)]);
    expect(finished).toMatchObject({ outcome: 'complete' });
  }
});

it.each<[string, object, () => unknown]>([
  ['it has another number of items', LINK, list(31)],
  ['it has a place of the next page', LINK, list(30, { next: null })],
  ['it has the place that the configuration names', ADDRESS, list(30, { meta: { further: null } })],
  ['it has the member that the configuration names', TOKEN, list(30, { further: '' })],
  ['it says that it is the last', TOKEN, list(30, { has_more: false })],
  ['a total is reached', LINK, list(30, { total: 30 })],
  [
    'a header has links of other pages',
    LINK,
    () => json({ items: rows(0, 30) }, 200, { link: '</items>; rel="first"' }),
  ],
  ['one page is wanted', { ...LINK, forceStop: { pages: 1 } }, list(30)],
])('is none where %s', async (_, pagination, answer) => {
  expect(incomplete((await play(answer, { pagination })).warnings)).toEqual([]);
});

it('is no matter in calls of a child, or of partitions', async () => {
  const child = { endpoint: 'kids/{id}', dataType: 'kids', dataField: 'items', placeholders: { id: 'id' } };
  const answer = (url: URL): object => ({ items: rows(0, url.pathname === '/items' ? 2 : 30) });
  const parents = [{ endpoint: 'items', dataField: 'items', children: [child] }];
  expect(incomplete((await play(answer, { pagination: LINK, jobs: parents })).warnings)).toEqual([]);
  const divided = [
    { endpoint: 'items', dataField: 'items', partitions: { of: ['a', 'b'] }, params: { of: { partition: 'of' } } },
  ];
  const { warnings } = await play((url) => ({ items: rows(url.search.length, 30) }), {
    pagination: LINK,
    jobs: divided,
  });
  expect(incomplete(warnings)).toEqual([]);
});
