import { recordedFetch } from '../../../src/explore/detect/recorded-fetch';
import type { RecordedAnswer } from '../../../src/explore/detect/recorded-fetch';

const URL_OF_SHIPS = 'https://h.example/ships';
const JSON_TYPE = { 'content-type': 'application/json' };
const answer = (url: string, body: string, more: Partial<RecordedAnswer> = {}): RecordedAnswer => ({
  ...{ method: 'GET', url, status: 200, headers: JSON_TYPE, body },
  ...more,
});
const post = (requestBody: string, body: string): RecordedAnswer =>
  answer(URL_OF_SHIPS, body, { method: 'POST', requestBody });

/** The status and the body of what a recording answers. */
const asked = async (
  recorded: readonly RecordedAnswer[],
  url: string,
  init: RequestInit = {},
): Promise<readonly [number, string]> => {
  const response = await recordedFetch(recorded)(url, init);
  return [response.status, await response.text()];
};

describe('recordedFetch', () => {
  it('answers with the status, the headers and the body that were recorded', async () => {
    const recorded = answer(URL_OF_SHIPS, 'a,b', { status: 203, headers: { 'content-type': 'text/csv', link: '<x>' } });
    const response = await recordedFetch([recorded])(URL_OF_SHIPS);
    expect([response.status, await response.text()]).toEqual([203, 'a,b']);
    expect(Object.fromEntries(response.headers)).toEqual({ 'content-type': 'text/csv', link: '<x>' });
  });

  it.each([
    ['an address', 'https://h.example/boats', {}],
    ['a host', 'https://other.example/ships', {}],
    ['a method', URL_OF_SHIPS, { method: 'DELETE' }],
  ])('has the status 404 for %s that was not recorded', async (_, url, init) => {
    expect(await asked([answer(URL_OF_SHIPS, '[]')], url, init)).toEqual([404, '{}']);
  });

  const PAGES = [
    answer(`${URL_OF_SHIPS}?river=ALD`, 'first'),
    answer(`${URL_OF_SHIPS}?river=ALD&page=2`, 'second'),
    answer(`${URL_OF_SHIPS}?page=3&river=ALD`, 'third'),
  ];

  it.each([
    ['whatever the order of the parameters', '?page=2&river=ALD', 'second'],
    ['without a parameter that no request has', '?river=ALD&page=3&per_page=50', 'third'],
    ['with the number of the first page, which was left out', '?river=ALD&page=1', 'first'],
    ['with a first page that is counted from 0', '?river=ALD&page=0', 'first'],
  ])('finds a page %s', async (_, query, body) => {
    expect(await asked(PAGES, URL_OF_SHIPS + query)).toEqual([200, body]);
  });

  it.each([
    ['a page that is not there', '?river=ALD&page=4'],
    ['another value of a parameter', '?river=ESK'],
    ['a parameter less', '?page=2'],
  ])('takes no other page for %s', async (_, query) => {
    expect((await asked(PAGES, URL_OF_SHIPS + query))[0]).toBe(404);
  });

  it('takes the first of answers to the same request', async () => {
    expect(await asked([answer(URL_OF_SHIPS, 'one'), answer(URL_OF_SHIPS, 'two')], URL_OF_SHIPS)).toEqual([200, 'one']);
  });

  const QUERY = '{"query":"{ ships }","variables":{"after":null,"n":3}}';
  it.each([
    ['the same body', QUERY, QUERY],
    ['members in another order', '{"variables":{"n":3,"after":null},"query":"{ ships }"}', QUERY],
    ['variables without one that is null', '{"query":"{ ships }","variables":{"n":3}}', QUERY],
    ['a body that is no JSON', 'a=1', 'a=1'],
  ])('knows a POST by its body: %s', async (_, sent, recorded) => {
    expect(await asked([post(recorded, 'yes')], URL_OF_SHIPS, { method: 'POST', body: sent })).toEqual([200, 'yes']);
  });

  it.each(['{"query":"{ ships }","variables":{"n":3,"after":"x"}}', '{"query":"{ boats }"}', ''])(
    'takes no POST for one with the body %j',
    async (body) => {
      expect((await asked([post(QUERY, 'yes')], URL_OF_SHIPS, { method: 'POST', body }))[0]).toBe(404);
    },
  );
});
