/** What a response says of its pages: words, and the places where they count (docs/completeness.md). */
import type { Headers, Json } from '../../../src/core/model';
import { listsIn, saidBy } from '../../../src/sources/completeness/said';
import { isMessage } from '../../../src/sources/completeness/words';
import type { Said } from '../../../src/sources/completeness/said';
import { aResponse } from '../../support/requests';

const ITEMS: Json = Array.from({ length: 20 }, (_, id) => ({ id }));
const said = (data: Json, headers: Headers = {}, path: readonly string[] = ['items'], pages = 0): Said =>
  saidBy({ response: aResponse({ headers }), data }, path, 20, pages);
const beside = (words: object): Json => ({ items: ITEMS, ...words });

/** Returns what kinds of words there are. */
const kinds = ({ flag, address, last, noNext, previous, error, total, texts }: Said): readonly string[] =>
  Object.entries({ flag, address, last, noNext, previous, error, total, text: texts[0] }).flatMap(([kind, sign]) =>
    sign === undefined ? [] : [kind],
  );

describe('what a response says of its pages', () => {
  it.each<[string, object, string]>([
    ['an address', { next: '/items?page=2' }, '"next"'],
    ['an address in an object', { links: { next: '/items?page=2' } }, '"links.next"'],
    ['HAL', { _links: { next: { href: '/items?page=2' } } }, '"_links.next"'],
    ['OData', { '@odata.nextLink': 'https://h/x' }, '"@odata.nextLink"'],
    ['Hydra', { 'hydra:view': { 'hydra:next': '/x?page=2' } }, '"hydra:view.hydra:next"'],
    ['a token', { meta: { next_cursor: 'abc' } }, '"meta.next_cursor"'],
    ['a token with a number', { nextPageToken: 17 }, '"nextPageToken"'],
    ['Slack', { response_metadata: { next_cursor: 'dXNlcjpV' } }, '"response_metadata.next_cursor"'],
    ['DynamoDB', { LastEvaluatedKey: { id: { S: 'x' } } }, '"LastEvaluatedKey"'],
    ['Salesforce', { done: false, nextRecordsUrl: '/q/01g-2000' }, '"nextRecordsUrl"'],
    [
      'a list of links',
      {
        links: [
          { rel: 'self', href: '/a' },
          { rel: 'next', href: '/b' },
        ],
      },
      '"links"',
    ],
    ['Atom', { link: { '@rel': 'next', '@href': '/b' } }, '"link"'],
    ['OAI-PMH', { resumptionToken: { '#text': 'abc', '@cursor': '0' } }, '"resumptionToken"'],
  ])('leads to another page: %s', (_, words, place) => {
    expect(kinds(said(beside(words)))).toEqual(['address']);
    expect(said(beside(words)).address?.where).toBe(`${place} in the body`);
  });

  it.each<[string, object]>([
    ['has_more', { has_more: true }],
    ['hasNextPage', { pageInfo: { hasNextPage: 'true' } }],
    ['more_available', { more_available: 1 }],
    ['is_last', { is_last: false }],
    ['numbers of pages', { page: 1, pages: 4 }],
    ['numbers of pages as strings', { meta: { current_page: '1', last_page: '4' } }],
    ['Zoho', { info: { per_page: 20, count: 20, page: 1, more_records: true } }],
    ['a number of what is left', { remainingItemCount: 5 }],
  ])('has more pages: %s', (_, words) => {
    expect(kinds(said(beside(words)))).toEqual(['flag']);
  });

  it.each<[string, object, readonly string[]]>([
    ['has_more', { has_more: false }, ['last']],
    ['a flag for more in an object', { pagination: { more: 0 } }, ['last']],
    ['last', { last: true }, ['last']],
    ['numbers of pages', { page: 4, total_pages: 4 }, ['last']],
    ['no address', { next: null }, ['noNext']],
    ['an address that is blank', { links: { next: '' } }, ['noNext']],
    ['an address that is false', { paging: { next: false } }, ['last']],
    ['a flag, beside an address all the same', { has_more: false, next: '/items?page=2' }, ['address']],
    ['no address, beside a flag for more', { next: null, has_more: true }, ['flag']],
  ])('has no more: %s', (_, words, expected) => {
    expect(kinds(said(beside(words)))).toEqual(expected);
  });

  it.each<[unknown, readonly string[]]>([
    [[{ href: '/items?page=2' }], ['address']],
    [[{ href: '' }, '/items?page=2'], []],
  ])('has more where an array of objects has an address: %j', (next, expected) => {
    expect(kinds(said(beside({ next })))).toEqual(expected);
  });

  it.each<[Json, readonly string[]]>([
    [['The service is busy'], ['text']],
    [[{ message: 'The service is busy' }], ['error']],
    [[], []],
  ])('quotes sentences at "errors" beside no items, and takes all else for an error: %j', (errors, expected) => {
    const data = { items: [], errors };
    expect(kinds(saidBy({ response: aResponse({}), data }, ['items'], 0, 3))).toEqual(expected);
  });

  it('has no more where a flag says so beside no items, whatever the address', () => {
    const data = { items: [], has_more: false, next: '/items?page=2' };
    expect(kinds(saidBy({ response: aResponse({}), data }, ['items'], 0, 3))).toEqual(['last']);
  });

  it('counts pages from 0 where those before show it', () => {
    const numbers = beside({ number: 3, total_pages: 4 });
    expect(kinds(said(numbers, {}, ['items'], 3))).toEqual(['last']);
    expect(kinds(said(numbers, {}, ['items'], 2))).toEqual(['flag']);
  });

  it.each<[string, Headers, readonly string[]]>([
    ['Link', { link: '</items?page=2>; rel="next"' }, ['address']],
    ['Link in single quotes', { link: "</items?page=2>; rel='next'" }, ['address']],
    ['Link that cannot be read', { link: '/items?page=2; rel="next"' }, ['address']],
    ['Link without the next one', { link: '</items?page=1>; rel="first"' }, ['noNext']],
    ['Link about something else', { link: '</help>; rel="help"' }, []],
    ['X-Next-Page', { 'x-next-page': '2' }, ['address']],
    ['X-Next-Page that is blank', { 'x-next-page': '' }, ['noNext']],
    ['X-Has-More', { 'x-has-more': 'true' }, ['flag']],
    ['X-Has-More that says no', { 'x-has-more': '0' }, ['last']],
    ['X-Pagination with numbers', { 'x-pagination': '{"total_pages":4,"page":1}' }, ['flag']],
    ['X-Pagination that is no JSON', { 'x-pagination': '{page 1}' }, []],
    ['X-Total-Count', { 'x-total-count': '35' }, ['total']],
    ['Content-Range', { 'content-range': 'items 0-19/35' }, ['total']],
    ['Content-Range without a number', { 'content-range': 'items 0-19/*' }, []],
  ])('in a header: %s', (_, headers, expected) => {
    expect(kinds(said(beside({}), headers))).toEqual(expected);
  });

  it.each<[string, object, number | undefined]>([
    ['total', { total: 35 }, 35],
    ['as a string', { totalElements: '35' }, 35],
    ['in meta', { meta: { total: 35 } }, 35],
    ['of OData', { '@odata.count': 35 }, 35],
    ['count beside fewer items', { count: 35 }, 35],
    ['count of the items of the page', { count: 20 }, undefined],
    ['found', { found: 35 }, 35],
    ['the better of two words', { count: 99, total: 35 }, 35],
    ['a sum of money', { total: 1234.5 }, undefined],
    ['of an object beside', { user: { total: 900 } }, undefined],
  ])('counts all items: %s', (_, words, expected) => {
    expect(said(beside(words)).total?.value).toBe(expected);
  });

  it.each<[string, string, object | undefined]>([
    ['eq', 'eq', { value: 35, where: '"hits.total"' }],
    ['gte', 'gte', { value: 35, isAtLeast: true, where: '"hits.total"' }],
    ['of another relation', 'lte', undefined],
  ])('counts them in an object with a relation: %s', (_, relation, expected) => {
    const data: Json = { hits: { total: { value: 35, relation }, hits: ITEMS } };
    expect(said(data, {}, ['hits', 'hits']).total).toEqual(expected);
  });

  it.each<[string, object, readonly string[]]>([
    ['an error', { error: 'expired' }, ['error']],
    ['an object', { error: { code: 5, message: 'no' } }, ['error']],
    ['errors', { errors: [{ code: 5 }] }, ['error']],
    ['a fault', { fault: { faultstring: 'quota' } }, ['error']],
    ['success', { success: false }, ['error']],
    ['a sentence', { message: 'The service is busy' }, ['text']],
    ['no error', { error: null, errors: [], ok: true }, []],
    ['a word for no error', { error: 'none', message: 'OK' }, []],
    ['a code of success', { error: { code: 200, message: 'success' } }, []],
    ['other words', { status: 500, code: 1, result: 'error' }, []],
  ])('says that something went wrong: %s', (_, words, expected) => {
    expect(kinds(said(beside(words)))).toEqual(expected);
  });

  it('reads beside entries what a feed says, though it has an id of its own', () => {
    const feed = { id: 'urn:x', link: [{ '@rel': 'next', '@href': '/b' }], entry: ITEMS };
    expect(kinds(said({ feed }, {}, ['feed', 'entry']))).toEqual(['address']);
  });

  it('says that there is a page before', () => {
    expect(kinds(said(beside({ has_previous: true })))).toEqual(['previous']);
    expect(kinds(said(beside({ first: false })))).toEqual(['previous']);
    expect(kinds(said(beside({ has_previous: false, first: true, previous: '/items?page=0' })))).toEqual([]);
  });

  it('a page of HTML is an error', () => {
    expect(said({ html: { body: 'Log in' } }).error).toEqual({ where: 'a page of HTML', value: 'HTML' });
  });

  it.each<[string, Json, readonly string[]]>([
    ['an item', [{ next: 'x', has_more: true, error: 'y', total: 9 }], []],
    ['an item in an object', { items: [{ next: 'x', total: 9 }] }, ['items']],
    [
      'an object with an id above the items',
      { order: { id: 7, next: 'x', total: 99, lines: ITEMS } },
      ['order', 'lines'],
    ],
    ['an object beside', { user: { next: 'x', has_more: true, error: 'y' }, items: ITEMS }, ['items']],
  ])('has no words in %s', (_, data, path) => {
    expect(kinds(said(data, {}, path))).toEqual([]);
  });
});

describe('what stands in place of items', () => {
  it.each<[boolean, Json]>([
    [true, { message: 'overloaded' }],
    [true, { error: 'x', code: 5, trace_id: 'a' }],
    [true, { ok: false }],
    [true, { stat: 'fail', code: 100, message: 'Invalid API Key' }],
    [true, { errcode: 40001, errmsg: 'invalid credential' }],
    [true, { errors: [{ message: 'Cannot query field "ship"', locations: [{ line: 1, column: 3 }] }] }],
    [true, { errors: ['no such ship'] }],
    [false, { errors: [{ id: 1, message: 'a crash' }] }],
    [false, { errors: [{ at: '2024-01-01', stack: 'f()' }] }],
    [false, { id: 1, message: 'hello' }],
    [false, { code: 5 }],
    [false, {}],
    [false, 'overloaded'],
  ])('is a message: %s for %j', (expected, value) => {
    expect(isMessage(value)).toBe(expected);
  });

  it('lists of objects are found where they are', () => {
    expect(listsIn({ data: { rows: [{ id: 1 }] }, errors: [], tags: ['a'] })).toEqual(['data.rows']);
    expect(listsIn({ errors: [{ message: 'no' }], data: { errors: [{ id: 1, message: 'a crash' }] } })).toEqual([
      'data.errors',
    ]);
    expect(listsIn([{ id: 1 }])).toEqual(['.']);
    expect(listsIn(undefined)).toEqual([]);
  });
});
