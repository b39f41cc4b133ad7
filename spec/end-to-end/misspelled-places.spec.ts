/** Places that pagination reads, written otherwise than the API has them (docs/completeness.md#what-is-an-error), at real servers. */
import { json } from '../support/answers';
import { outcomesOf, rows } from '../support/completeness';

const play = outcomesOf();
const FIRST = { items: rows(0, 3) };
const TOKEN = { method: 'response.param', queryParam: 'key' };
const PAGED = { method: 'pagenum' };

describe('a place of the pagination that the API has in other letters', () => {
  it.each<[string, object, unknown]>([
    ['responseParam', { ...TOKEN, responseParam: 'continuationKey' }, { ...FIRST, ContinuationKey: 'abc' }],
    ['responseParam', { ...TOKEN, responseParam: 'meta.page_key' }, { ...FIRST, Meta: { pageKey: 7 } }],
    ['responseParam', { ...TOKEN, responseParam: 'next_token' }, { ...FIRST, nextToken: 'abc' }],
    ['responseParam', { ...TOKEN, responseParam: 'key' }, { ...FIRST, 'key ': 'abc' }],
    [
      'urlKey',
      { method: 'response.url', urlKey: 'paging/follow-up', delimiter: '/' },
      { ...FIRST, paging: { followUp: '/b' } },
    ],
    ['urlKey', { method: 'zendesk.response.url', urlKey: 'Weiter' }, { ...FIRST, weiter: 'http://localhost/b' }],
    ['responseHeader', { ...TOKEN, responseHeader: 'X_Follow_Key' }, json(FIRST, 200, { 'X-Follow-Key': 'abc' })],
    ['urlHeader', { method: 'response.url', urlHeader: 'XFollow' }, json(FIRST, 200, { 'X-Follow': '/b' })],
    ['nextPageFlag.field', { ...PAGED, nextPageFlag: { field: 'Goes_On', stopOn: false } }, { ...FIRST, goesOn: true }],
    [
      'nextPageFlag.path',
      { ...PAGED, nextPageFlag: { path: 'Meta.Over', stopOn: true } },
      { ...FIRST, meta: { over: false } },
    ],
    ['limitStop.field', { ...PAGED, limitStop: { field: 'Number_Of' } }, { ...FIRST, numberOf: 9 }],
    ['limitStop.header', { ...PAGED, limitStop: { header: 'X_Rows' } }, json(FIRST, 200, { 'X-Rows': '9' })],
  ])('is an error: %s %j', async (option, pagination, answer) => {
    const { codes, message, requests } = await play(() => answer, { pagination });
    expect(requests).toHaveLength(1);
    expect(codes).toContain('NEXT_PAGE_NOT_TAKEN');
    expect(message).toContain(`api.pagination.${option} expects`);
  });

  it.each<[string, object, object]>([
    ['the API has it as it is written', { ...TOKEN, responseParam: 'key' }, { ...FIRST, key: null, Key: 'abc' }],
    ['nothing stands there', { ...TOKEN, responseParam: 'key' }, { ...FIRST, Key: null }],
    ['nothing is called so', { ...TOKEN, responseParam: 'key' }, { ...FIRST, keys: 'abc' }],
    [
      'the flag says the end',
      { ...PAGED, nextPageFlag: { field: 'goes_on', stopOn: false } },
      { ...FIRST, goesOn: false },
    ],
    ['one page is wanted', { ...TOKEN, responseParam: 'key', forceStop: { pages: 1 } }, { ...FIRST, Key: 'abc' }],
  ])('is no doubt where %s', async (_, pagination, answer) => {
    const { codes, warnings } = await play(() => answer, { pagination });
    expect([codes, warnings]).toEqual([[], []]);
  });

  it('is no doubt on a later page', async () => {
    const answer = (url: URL): object =>
      url.searchParams.has('key') ? { items: rows(3, 1), Key: 'b' } : { ...FIRST, key: 'a' };
    expect((await play(answer, { pagination: { ...TOKEN, responseParam: 'key' } })).codes).toEqual([]);
  });
});

describe('blanks around the name of a header', () => {
  it.each<[string, object]>([
    ['responseHeader', { ...TOKEN, responseHeader: ' X-Follow ' }],
    ['urlHeader', { method: 'response.url', urlHeader: 'X-Follow ', paramIsQuery: true }],
  ])('are left out: %s', async (_, pagination) => {
    const answer = (url: URL): unknown =>
      url.search === '' ? json({ items: rows(0, 2) }, 200, { 'X-Follow': 'key=b' }) : { items: rows(2, 1) };
    expect((await play(answer, { pagination })).items).toEqual(rows(0, 3));
  });

  it('are left out of the header of a total', async () => {
    const answer = () => json({ items: rows(0, 2) }, 200, { 'X-Rows': '2' });
    const pagination = { ...PAGED, limitStop: { header: 'X-Rows ' }, total: { header: ' X-Rows' } };
    const { items, codes } = await play(answer, { pagination });
    expect([items, codes]).toEqual([rows(0, 2), []]);
  });
});
