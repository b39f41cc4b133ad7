import type { Json, Reply } from '../../../src/core/model';
import { nextPageSign } from '../../../src/sources/completeness/page-signs';
import { aResponse } from '../../support/requests';

const reply = (data: Json, headers: Record<string, string> = {}): Reply => ({
  response: { ...aResponse(), headers },
  data,
});
const sign = (data: Json, path: readonly string[] = ['items']): string | undefined =>
  nextPageSign(reply(data), path)?.where;

describe('nextPageSign: the shapes of APIs that have another page', () => {
  it.each<[string, Json, string]>([
    ['Django REST framework', { count: 9, next: 'https://h/?page=2', previous: null, results: [] }, '"next"'],
    ['JSON:API', { data: [], links: { self: '/a', next: '/a?page=2' } }, '"links.next"'],
    ['JSON:API with objects', { data: [], links: { next: { href: '/a?page=2' } } }, '"links.next"'],
    ['HAL', { _links: { next: { href: '/a?page=2' } } }, '"_links.next"'],
    ['OData', { '@odata.nextLink': 'https://h/x', value: [] }, '"@odata.nextLink"'],
    ['Google', { nextPageToken: 'CAU', items: [] }, '"nextPageToken"'],
    ['Slack', { members: [], response_metadata: { next_cursor: 'dXNlcg==' } }, '"response_metadata.next_cursor"'],
    ['Stripe', { object: 'list', has_more: true, data: [] }, '"has_more"'],
    ['Salesforce', { done: false, nextRecordsUrl: '/q/2', records: [] }, '"nextRecordsUrl"'],
    ['Spring', { content: [], last: false, totalPages: 3 }, '"last"'],
    [
      'Pipedrive',
      { additional_data: { pagination: { more_items_in_collection: true } } },
      '"additional_data.pagination.more_items_in_collection"',
    ],
    ['FHIR', { resourceType: 'Bundle', link: [{ relation: 'next', url: 'https://h' }] }, '"link"'],
    ['a flag as a string', { has_more: 'true' }, '"has_more"'],
    ['Flickr', { photos: { page: 1, pages: 7, photo: [] } }, '"photos.pages"'],
    ['Kubernetes that counts', { metadata: { remainingItemCount: 10 } }, '"metadata.remainingItemCount"'],
    ['a cursor in an object', { next: { cursor: 'abc' } }, '"next"'],
    ['Laravel', { current_page: 1, last_page: 3, data: [] }, '"last_page"'],
    ['HubSpot', { results: [], paging: { next: { after: '100', link: 'https://h' } } }, '"paging.next"'],
    ['Twilio', { next_page_uri: '/p?Page=1', calls: [] }, '"next_page_uri"'],
    ['Kubernetes', { metadata: { continue: 'abc' }, items: [] }, '"metadata.continue"'],
    ['DynamoDB', { Items: [], LastEvaluatedKey: { page: 4 } }, '"LastEvaluatedKey"'],
    ['Relay', { data: { users: { edges: [], pageInfo: { hasNextPage: true } } } }, '"data.users.pageInfo.hasNextPage"'],
    ['Hydra', { 'hydra:view': { 'hydra:next': '/x?page=2' } }, '"hydra:view.hydra:next"'],
    ['a view', { member: [], view: { next: '/x?page=2' } }, '"view.next"'],
    ['Algolia', { hits: [], page: 3, nbPages: 5 }, '"nbPages"'],
    ['Lighthouse', { items: [], paginatorInfo: { hasMorePages: true } }, '"paginatorInfo.hasMorePages"'],
    ['GBIF', { endOfRecords: false }, '"endOfRecords"'],
    ['an end of a list', { end_of_list: false }, '"end_of_list"'],
    ['Atom with one link', { feed: { link: { '@rel': 'next', '@href': '/x?page=2' } } }, '"feed.link"'],
    [
      'Atom',
      {
        feed: {
          link: [
            { '@rel': 'self', '@href': '/x' },
            { '@rel': 'next', '@href': '/x?page=2' },
          ],
        },
      },
      '"feed.link"',
    ],
    ['Atom within RSS', { feed: { 'atom:link': { '@rel': 'next', '@href': '/2' } } }, '"feed.atom:link"'],
    ['OAI-PMH', { feed: { resumptionToken: 'abc' } }, '"feed.resumptionToken"'],
    [
      'OAI-PMH with attributes',
      { feed: { resumptionToken: { '@completeListSize': '9', '#text': 'abc' } } },
      '"feed.resumptionToken"',
    ],
    ['OAI-PMH in JSON', { resumptionToken: 'abc', items: [] }, '"resumptionToken"'],
    ['a list of links', { links: [{ rel: 'next', href: '/2' }], items: [] }, '"links"'],
  ])('%s', (name, data, place) => {
    if (name.startsWith('Atom') || name.startsWith('OAI-PMH')) {
      expect(sign(data, ['feed', 'entry'])).toBe(`${place} in the body`);
      return;
    }
    const path = name === 'Relay' ? ['data', 'users', 'edges'] : name === 'Flickr' ? ['photos', 'photo'] : ['items'];
    expect(sign(data, path)).toBe(`${place} in the body`);
  });

  it.each(['link', 'x-next-page', 'next-page', 'x-ms-continuationtoken', 'x-ms-continuation'])(
    'the header %s',
    (name) => {
      const value = name === 'link' ? '<https://h/?page=2>; rel="next"' : '2';
      expect(nextPageSign(reply([], { [name]: value }), [])?.where).toContain(name === 'link' ? 'Link' : name);
    },
  );
});

describe('nextPageSign: flags in headers, and what may mean something else', () => {
  it('a header says that there is more', () => {
    expect(nextPageSign(reply([], { 'x-has-more': 'true' }), [])).toEqual({
      where: 'a header x-has-more',
      isFlag: true,
    });
    expect(nextPageSign(reply([], { 'x-has-more': 'false' }), [])).toBeUndefined();
  });

  it('a task that is not done', () => {
    expect(nextPageSign(reply({ done: false, items: [] }), ['items'])).toMatchObject({ isWeak: true });
  });
});

describe('nextPageSign: numbers of pages', () => {
  it.each<[number, number, number | undefined, boolean]>([
    [0, 3, 0, true],
    [1, 3, 1, true],
    [2, 3, 2, false],
    [1, 3, 0, true],
    [3, 3, 2, false],
    [0, 1, 0, false],
    [2, 3, undefined, false],
    [2, 4, undefined, true],
    [5, 6, 0, false],
    [5, 7, 0, true],
  ])('page %i of %i, after %s pages', (page, total_pages, before, expected) => {
    expect(nextPageSign(reply({ page, total_pages }), [], before) !== undefined).toBe(expected);
  });

  it('count for nothing beside a flag that says no', () => {
    const spring = { content: [], number: 0, totalPages: 3 };
    expect(nextPageSign(reply({ ...spring, last: true }), ['content'], 0)).toBeUndefined();
    expect(nextPageSign(reply({ ...spring, last: false }), ['content'], 0)).toMatchObject({ isFlag: true });
  });
});

describe('nextPageSign: the shapes of APIs that have no other page', () => {
  it.each<[string, Json]>([
    ['next is null', { next: null, results: [] }],
    ['next is empty', { next: '', links: { next: null }, _links: { self: { href: '/a' } } }],
    ['no token', { nextPageToken: '', response_metadata: { next_cursor: '' } }],
    ['flags', { has_more: false, done: true, last: true, is_last: true }],
    ['the last page of Algolia', { hits: [], page: 4, nbPages: 5 }],
    ['one page', { page: 1, last_page: 1, totalPages: 1 }],
    ['the last page', { page: 3, pages: 3 }],
    ['the pages of a book', { title: 'x', page_count: 320, items: [] }],
    ['a date', { next: '2030-01-01', items: [] }],
    ['the end of OAI-PMH', { resumptionToken: { '@completeListSize': '9', '@cursor': '6' }, items: [] }],
    ['the end of OAI-PMH in JSON', { resumptionToken: '', items: [] }],
    ['a link of another kind', { link: { '@rel': 'self', '@href': '/x' } }],
    ['a link without address', { _links: { next: { href: '' } } }],
    [
      'links of other kinds',
      {
        links: [
          { rel: 'self', href: '/1' },
          { rel: 'prev', href: '/0' },
        ],
      },
    ],
    ['the names of data', { nextMeeting: '2030-01-01', nextsync: 'x', items: [] }],
    ['an object that is no description of pages', { user: { next: 'x', has_more: true } }],
    ['a list', [{ next: 'x' }]],
    ['nothing', null],
  ])('%s', (_, data) => {
    expect(sign(data)).toBeUndefined();
  });

  it.each([
    ['link', '<https://h/?page=1>; rel="prev", <https://h/?page=9>; rel="last"'],
    ['x-next-page', ''],
  ])('the header %s: %s', (name, value) => {
    expect(nextPageSign(reply([], { [name]: value }), [])).toBeUndefined();
  });
});
