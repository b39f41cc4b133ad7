/** What is so with each pagination method, whatever the run: its options, its ends, and what it cannot go on with. */
import type { Json, JsonObject } from '../../../src/core/model';
import type { Reply } from '../../support/pagination';
import { ships } from './rows';

/** What ends the pagination, or makes it fail: with these options more, this answer. */
export interface Ending {
  readonly options?: JsonObject;
  readonly data: Json;
  readonly headers?: Reply['headers'];
}

export interface Facts {
  readonly method: string;
  /** The options that it needs. */
  readonly options: JsonObject;
  /** The same with all defaults, as a configuration is read. */
  readonly decoded: JsonObject;
  /** A slip, and the option that was meant. */
  readonly slip: readonly [written: string, meant: string];
  /** Options alone, and the faults for which they are refused, without `api.pagination.`. */
  readonly refused: readonly (readonly [options: JsonObject, faults: readonly string[]])[];
  readonly job?: JsonObject;
  /** An answer behind which another page follows. */
  readonly more: Json;
  readonly moreHeaders?: Reply['headers'];
  /** Why it stops, by the answers that make it stop. */
  readonly ends: readonly (readonly [because: string, answers: readonly Ending[]])[];
  /** The message of the error, by the answers that it cannot go on from. */
  readonly wrong: readonly (readonly [code: string, message: string, answers: readonly Ending[]])[];
  /** Options that are places of values, and the value in the request behind the first one. */
  readonly places: readonly (readonly [option: string, value: Json, more?: JsonObject])[];
}

const SMALL = 'Pagination stopped, response is smaller than limit.';
const EMPTY = 'Pagination stopped, response is empty.';
const NO_MORE = 'No more pages, stopping pagination.';
const NOT_FOUND = 'No more pages found, stopping pagination.';
const ends = (...all: readonly Json[]): readonly Ending[] => all.map((data) => ({ data }));
const ids = (...all: readonly Json[]): JsonObject[] => all.map((id) => ({ id }));
const NO_LIMIT = 'limit: required: the page size; offset pagination counts with it';
const sizeFault = (found: number): string =>
  `limit: expected an integer of 1 or more, found ${found}; with such a page size pagination could never advance`;
const url = { paramIsQuery: false, includeParams: false, relativeTo: 'endpoint' };
const badUrl = (found: string): string =>
  `config.jobs[0]: api.pagination.urlKey "next_page" should lead to the address of the next page, found ${found}`;
const keyFault = (found: string): string =>
  `config.jobs[0]: an item has no key to page by: at pagination.key "id" it has ${found}, where a string or a number is needed.`;
const withKeyset = (data: Json): readonly Ending[] =>
  [{}, { inclusive: true }, { limit: 9 }].map((options) => ({ options, data }));
const token = (value: Json): Json => ({ scroll: { token: value } });
const next = (value: Json): Json => ({ next_page: value });
const notNumeric = (shown: string): string =>
  `config.jobs[0]: Cursor value '${shown}' is not numeric. Every item needs a number at pagination.idKey "id".`;

export const FACTS: readonly Facts[] = [
  {
    method: 'offset',
    options: { limit: 2 },
    decoded: {
      ...{ limit: 2, limitParam: 'limit', offsetParam: 'offset', firstPageParams: true, offsetFromJob: false },
      ...{ shortPage: 'last', parallel: 1, sendLimit: true, advance: 'limit' },
    },
    slip: ['limitPram', 'limitParam'],
    refused: [
      ...[{}, ...[null, '', 0, '0'].map((limit) => ({ limit }))].map((options) => [options, [NO_LIMIT]] as const),
      [{ limit: 'many' }, ['limit: expected an integer, found a string of 4 characters']],
      [{ limit: [1] }, ['limit: expected an integer, found an array']],
      [{ limit: 2.5 }, ['limit: expected an integer, found 2.5']],
      [{ limit: -5 }, [sizeFault(-5)]],
      [
        { limit: 1, advance: 'items', parallel: 2 },
        ['parallel: cannot be more than 1 where pages begin behind the items that came'],
      ],
      [{ limit: 1, limitParam: ['a'], offsetParam: ['a', 'b'] }, ['offsetParam: takes the same place as limitParam']],
    ],
    more: [1, 2],
    ends: [
      ['Offset limit reached, stopping scrolling.', ends([], [9])],
      [EMPTY, ['capped', 'filtered'].map((shortPage) => ({ options: { shortPage }, data: [] }))],
    ],
    wrong: [],
    places: [
      ['offsetParam', 2],
      ['limitParam', 2],
    ],
  },
  {
    method: 'jinja',
    options: { next: '{{ response.next }}', param: 'token' },
    decoded: {
      ...{ next: '{{ response.next }}', param: 'token' },
      ...{ params: {}, with: {}, zeroEnds: true, sendNext: true },
    },
    slip: ['parm', 'param'],
    refused: [
      [{}, ['next: required: the template whose value the next request has']],
      [{ next: '{{ a }}' }, ['next: the name \'a\' has no value: give it one in "with"']],
      [{ next: 'a', stop: '{{ 1 +' }, ['stop: is no template of Jinja: expected "}}"']],
      [{ next: 'a', params: { b: '{{ c }}' } }, ['params: the name \'c\' has no value: give it one in "with"']],
    ],
    more: { items: [1], next: 'a' },
    job: { dataField: 'items' },
    ends: [
      [
        'The template of "next" has no value: there is no next page.',
        ends({ items: [1], next: '' }, { items: [1], next: 0 }, { items: [1] }),
      ],
      [
        'The template of "stop" says that this is the last page.',
        [{ options: { stop: '{{ response.over }}' }, data: { items: [1], next: 'a', over: true } }],
      ],
    ],
    wrong: [
      [
        'NEXT_PAGE',
        'config.jobs[0]: the next page cannot be computed: integer division or modulo by zero',
        [{ options: { next: '{{ 1 // response.next }}' }, data: { items: [1], next: 0 } }],
      ],
    ],
    places: [['param', 'a']],
  },
  {
    method: 'pagenum',
    options: {},
    decoded: {
      ...{ pageParam: 'page', limitParam: 'limit', firstPage: 1, firstPageParams: true, shortPage: 'last' },
      sendLimit: true,
      parallel: 1,
    },
    slip: ['pagParam', 'pageParam'],
    refused: [
      [{ firstPage: 'one' }, ['firstPage: expected an integer, found a string of 3 characters']],
      [{ limit: -5 }, [sizeFault(-5)]],
      [{ pageParam: ['a'], limitParam: ['a', 'b'] }, ['limitParam: takes the same place as pageParam']],
    ],
    more: [1, 2],
    ends: [
      [
        EMPTY,
        [...ends([]), ...['capped', 'filtered'].map((shortPage) => ({ options: { limit: 2, shortPage }, data: [] }))],
      ],
      [SMALL, [[], [9]].map((data) => ({ options: { limit: 2 }, data }))],
    ],
    wrong: [],
    places: [
      ['pageParam', 2],
      ['limitParam', 2, { limit: 2 }],
    ],
  },
  {
    method: 'cursor',
    options: { idKey: 'id', param: 'after' },
    decoded: { idKey: 'id', param: 'after', increment: 0, reverse: false },
    slip: ['revers', 'reverse'],
    refused: [
      [
        {},
        [
          'idKey: required: the path in an item of the value to count by',
          'param: required: the name of the parameter that carries the cursor',
        ],
      ],
    ],
    more: ids(1, 2),
    ends: [['No data in response, stopping scrolling.', ends([])]],
    wrong: [
      ...(
        [
          ['abc', '"abc"'],
          ['', '""'],
          [null, 'null'],
          [true, 'true'],
          [[1], '[1]'],
          [{ a: 9007199254740993n }, '{"a":9007199254740993}'],
        ] as const
      ).map(([id, shown]) => ['API_SHAPE', notNumeric(shown), ends(ids(3, id))] as const),
      ['API_SHAPE', notNumeric('null'), ends([{ id: 3 }, {}], [{ id: 3 }, 5])],
    ],
    places: [['param', 2]],
  },
  {
    method: 'keyset',
    options: { key: 'id', param: 'after' },
    decoded: { key: ['id'], param: 'after', inclusive: false, limitParam: 'limit', shortPage: 'last' },
    slip: ['inclusiv', 'inclusive'],
    refused: [
      [
        {},
        [
          'key: required: the path in an item of the value that the API sorts by',
          'param: required: where the next request has the key',
        ],
      ],
      [
        { key: ['a', 'b'], param: ['x', 'y', 'z'] },
        ['param: has to be a place, or as many as there are paths in key, which are 2'],
      ],
      [
        { key: 'id', param: [['x'], 'y'] },
        ['param: has to be a place, or as many as there are paths in key, which are 1'],
      ],
      [{ key: ['a', 'b'], param: [['x'], ['x', 'y']] }, ['param: takes the same place as place 1 of param']],
      [
        { key: 'id', param: 'after', inclusive: true, limit: 1 },
        ['limit: has to be 2 or more with inclusive: a page of one item could only repeat it'],
      ],
    ],
    more: ids(1, 2),
    ends: [
      [EMPTY, [...ends([]), { options: { limit: 2 }, data: [] }, { options: { inclusive: true }, data: [] }]],
      [SMALL, [{ options: { limit: 2 }, data: ids(3) }]],
    ],
    wrong: [
      ...(
        [
          [{}, 'nothing'],
          [{ id: null }, 'null'],
          [{ id: true }, 'boolean'],
          [{ id: {} }, 'object'],
          [{ id: [] }, 'array'],
          [5, 'nothing'],
        ] as const
      ).map(([item, found]) => ['API_SHAPE', keyFault(found), withKeyset([item, { id: 3 }])] as const),
    ],
    places: [
      ['param', 2],
      ['limitParam', 2, { limit: 2 }],
    ],
  },
  {
    method: 'response.url',
    options: {},
    decoded: { urlKey: 'next_page', delimiter: '.', ...url },
    slip: ['urlKye', 'urlKey'],
    refused: [
      [
        { relativeTo: 'bas' },
        ['relativeTo: expected one of endpoint, base, request, found "bas"; did you mean "base"?'],
      ],
    ],
    more: next('/p2'),
    ends: [
      [
        NO_MORE,
        [
          ...ends({}, next(null), next(''), next(false), next({}), [1]),
          { options: { urlKey: 'nextpage' }, data: next('/p3') },
          { options: { urlHeader: 'Next-Page' }, data: next('/p3') },
        ],
      ],
    ],
    wrong: [
      ['NEXT_PAGE', badUrl('a value of type number'), ends(next(7))],
      ['NEXT_PAGE', badUrl('a value of type boolean'), ends(next(true))],
      ['NEXT_PAGE', badUrl('a value of type array'), ends(next(['/p2']))],
      ['NEXT_PAGE', badUrl('the text "https://[broken", which leads to none: '), ends(next('https://[broken'))],
      [
        'NEXT_PAGE',
        'config.jobs[0]: api.pagination.urlHeader "Next-Page" should lead to the address of the next page, found',
        [{ options: { urlHeader: 'Next-Page' }, data: {}, headers: { 'next-page': 'https://[broken' } }],
      ],
    ],
    places: [],
  },
  {
    method: 'zendesk.response.url',
    options: {},
    decoded: { urlKey: 'next_page', ...url },
    slip: ['urlKye', 'urlKey'],
    refused: [
      [
        { relativeTo: 'bas' },
        ['relativeTo: expected one of endpoint, base, request, found "bas"; did you mean "base"?'],
      ],
    ],
    more: next('/p2'),
    ends: [
      [
        'No more pages to scroll.',
        [
          ...ends({}, next(null), next(''), next(false), next({}), [1]),
          { options: { urlKey: 'nextpage' }, data: next('/p3') },
        ],
      ],
    ],
    wrong: [
      ['NEXT_PAGE', badUrl('a value of type number'), ends(next(7))],
      ['NEXT_PAGE', badUrl('a value of type boolean'), ends(next(true))],
      ['NEXT_PAGE', badUrl('a value of type array'), ends(next(['/p2']))],
      ['NEXT_PAGE', badUrl('the text "https://[broken", which leads to none: '), ends(next('https://[broken'))],
    ],
    places: [],
  },
  {
    method: 'response.link',
    options: {},
    decoded: { rel: 'next', includeParams: false, relativeTo: 'request' },
    slip: ['includeParms', 'includeParams'],
    refused: [
      [
        { relativeTo: 'bas' },
        ['relativeTo: expected one of endpoint, base, request, found "bas"; did you mean "base"?'],
      ],
    ],
    more: [1],
    moreHeaders: { link: '</p2>; rel="next"' },
    ends: [[NO_MORE, [...ends([9]), { data: [9], headers: { link: '<https://api.example/p>; rel="last"' } }]]],
    wrong: [
      [
        'NEXT_PAGE',
        'config.jobs[0]: the header Link leads to "https://" with rel="next", which is no address to follow: ' +
          'an address has to begin with http:// or https:// and a host',
        [{ data: [9], headers: { link: '<https://>; rel="next"' } }],
      ],
    ],
    places: [],
  },
  {
    method: 'response.param',
    options: { responseParam: 'scroll.token', queryParam: 'token' },
    decoded: { responseParam: 'scroll.token', queryParam: 'token' },
    slip: ['queryPram', 'queryParam'],
    refused: [
      [
        {},
        [
          'responseParam: required: the path in the response of the value for the next page; or responseHeader, the name of the header that has it',
          'queryParam: required: the name of the parameter that carries this value',
        ],
      ],
      [
        { queryParam: 'page', responseHeader: 'X-Next', responseParam: 'next' },
        ['responseHeader: cannot stand beside responseParam: the value for the next page comes from one of them'],
      ],
      [
        { responseHeader: ['X-Next'] },
        [
          'responseHeader: expected a string, found an array',
          'queryParam: required: the name of the parameter that carries this value',
        ],
      ],
      [
        { responseParam: 'next', queryParam: 'page', scrollRequest: 'scroll' },
        [
          'scrollRequest: expected an object like a job, with endpoint, method or params, found a string of 6 characters',
        ],
      ],
    ],
    more: token('t1'),
    ends: [
      [
        NOT_FOUND,
        [
          ...ends({}, token(null), token(false), token(0), token('0'), token(''), token([]), [1]),
          ...[{}, { 'x-cursor': '' }, { 'x-cursor': '0' }].map((headers: Reply['headers'] & object) => ({
            ...{ options: { responseParam: null, responseHeader: 'X-Cursor' }, data: token('t2'), headers },
          })),
        ],
      ],
    ],
    wrong: [
      [
        'NEXT_PAGE',
        'config.jobs[0]: the value for the next page cannot be sent in the header x-token: it has a character that HTTP does not allow there',
        [{ options: { queryParam: { header: 'X-Token' } }, data: token('a\nb') }],
      ],
    ],
    places: [['queryParam', 't1']],
  },
  {
    method: 'connection',
    options: {},
    decoded: { afterParam: ['variables', 'after'] },
    slip: ['pageInf', 'pageInfo'],
    refused: [],
    job: { dataField: 'data.ships.nodes', method: 'POST', body: {} },
    more: ships([1], { hasNextPage: true, endCursor: 'c1' }),
    ends: [
      [
        'The connection has no next page, stopping pagination.',
        ends(ships([], { hasNextPage: false }), ships([9], { hasNextPage: false, endCursor: 'c1' })),
      ],
    ],
    wrong: [
      [
        'NEXT_PAGE',
        'config.jobs[0]: "hasNextPage" is true, but "pageInfo" has no "endCursor" that leads to the next page. Ask for it in the query.',
        ends(...[null, '', true, [1]].map((endCursor) => ships([9], { hasNextPage: true, endCursor }))),
      ],
      [
        'API_SHAPE',
        'config.jobs[0]: "pageInfo" has no "hasNextPage". Ask for it in the query.',
        ends(...[null, 1, 'true'].map((hasNextPage) => ships([9], { hasNextPage, endCursor: 'c1' })), ships([9], {})),
      ],
      ['API_SHAPE', 'found no such object', ends({ data: { ships: null } }, { data: { ships: { nodes: [9] } } })],
      [
        'API_ERROR',
        'the API answers with errors: Denied (at ships.0.id); an error without a message',
        ends(ships([9], { hasNextPage: false }, { errors: [{ message: 'Denied', path: ['ships', 0, 'id'] }, {}] })),
      ],
    ],
    places: [['afterParam', 'c1']],
  },
];
