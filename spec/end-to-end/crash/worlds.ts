/** APIs to be read while the reader is killed: every way of pagination, children, pages and calls at once. */
import { bytes } from '../../support/answers';
import type { Answer } from '../../support/answers';
import type { ReceivedRequest } from '../../support/api-server';

export interface World {
  readonly name: string;
  readonly pagination: object;
  readonly config: object;
}

const PER_PAGE = 5;
const TOTAL = 62;
const OFFSET = { method: 'offset', limit: PER_PAGE, firstPageParams: true };
const job = (changes: object = {}): object => ({ endpoint: 'orders', dataField: 'items', ...changes });

const CHILDREN = {
  concurrency: 3,
  children: [
    {
      endpoint: 'orders/{id}/lines',
      dataType: 'lines',
      dataField: 'items',
      placeholders: { id: 'id' },
      recursionFilter: 'id<22',
      children: [
        {
          endpoint: 'lines/{2:order}/{id}',
          dataType: 'parts',
          dataField: 'items',
          placeholders: { '2:order': 'id', id: 'id' },
          recursionFilter: 'id<3',
        },
      ],
    },
  ],
};

/** Four items a day, of which the API gives no more than CAP of a window. */
const CAP = 12;
const CAPPED = {
  params: { from: { window: 'from' }, to: { window: 'to' } },
  window: { from: '2024-02-01', to: '2024-02-17', step: '8 days', cap: CAP },
};
const dayOf = (date: string): number => (Date.parse(date) - Date.parse('2024-02-01')) / 86_400_000;

const one = (name: string, pagination: object, changes: object = {}): World => ({
  name,
  pagination,
  config: { jobs: [job(changes)] },
});

export const WORLDS: readonly World[] = [
  one('offset', OFFSET),
  one('offset, 4 at once', { ...OFFSET, parallel: 4 }),
  one('offset, with children', OFFSET, CHILDREN),
  one('offset, 4 at once, with children', { ...OFFSET, parallel: 4 }, CHILDREN),
  one('pagenum', { method: 'pagenum', limit: PER_PAGE, firstPageParams: true }),
  one('response.url', { method: 'response.url', urlKey: 'next' }, CHILDREN),
  one('response.param', { method: 'response.param', responseParam: 'token', queryParam: 'token' }),
  one('response.param with a scroll request', {
    method: 'response.param',
    responseParam: 'token',
    queryParam: 'token',
    scrollRequest: { endpoint: 'scroll' },
  }),
  one('cursor', { method: 'cursor', idKey: 'id', param: 'after' }),
  one('capped windows', OFFSET, CAPPED),
  one('capped windows at once, 4 pages at once', { ...OFFSET, parallel: 4 }, { ...CAPPED, concurrency: 3 }),
  {
    name: 'several methods, jobs at once',
    pagination: {
      method: 'multiple',
      scrollers: { a: OFFSET, b: { method: 'cursor', idKey: 'id', param: 'after' } },
      default: 'a',
    },
    config: {
      concurrency: 2,
      jobs: [job(), job({ endpoint: 'events', scroller: 'b' }), job({ endpoint: 'small' })],
    },
  },
];

/** One digit more than a number of JavaScript can hold. */
const BIG = '9007199254740993';

/** Values of all kinds, the same for the same number. */
const item = (path: string, id: number): object => ({
  id,
  path,
  big: BIG,
  price: id / 4,
  isOpen: id % 2 === 0,
  at: `2024-01-${String((id % 28) + 1).padStart(2, '0')}T10:00:00Z`,
  note: id % 3 === 0 ? null : `a "note",\nwith é and 漢 ${id}`,
  tags: ['x', `t${id % 4}`],
});

/** Five items a page, however a page is asked for. */
export function answer({ url }: ReceivedRequest): Answer {
  const { pathname, searchParams } = new URL(url, 'http://api');
  const number = (name: string): number => Number(searchParams.get(name) ?? 0);
  const total = pathname.split('/').length > 3 ? 7 : TOTAL;
  const from = searchParams.has('page')
    ? (number('page') - 1) * PER_PAGE
    : number('offset') + number('token') + number('after');
  const [first, last] = ['from', 'to'].map((name) => dayOf(searchParams.get(name) ?? '') * 4);
  const isWindow = searchParams.has('from') && first !== undefined && last !== undefined;
  const begin = isWindow ? first : 0;
  const most = isWindow ? Math.min(total - first, last - first, CAP) : total;
  const items = Array.from({ length: Math.max(0, Math.min(PER_PAGE, most - from)) }, (_, at) =>
    item(pathname === '/scroll' ? '/orders' : pathname, begin + from + at + 1),
  );
  const next = from + PER_PAGE;
  const page = { items, ...(next < total ? { token: next, next: `${pathname}?offset=${next}` } : {}) };
  return bytes(JSON.stringify(page).replaceAll(`"${BIG}"`, BIG), { 'content-type': 'application/json' });
}
