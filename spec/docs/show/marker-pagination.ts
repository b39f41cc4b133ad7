/** A pagination method of an application: the same definition as those of Headwater. */
import {
  definePagination,
  exactValueAt,
  goOn,
  required,
  stop,
  text,
  withDefault,
  withParams,
} from '../../../src/components';
import type { Step } from '../../../src/components';

/** Paging by a key: each request carries the key of the last item before. The position is that key. */
export const marker = definePagination({
  name: 'marker',
  summary: 'Asks for the items behind the last one, by its key.',
  use: 'The API sorts its items by a key of any kind, and takes the key of the last item.',
  answer: 'Any answer with an array of items, each of which has the key. An empty array is the end.',
  options: {
    key: withDefault(text, 'id', { about: 'The path in an item of its key.', example: 'name' }),
    param: required(text, 'the name of the parameter that carries the key', {
      about: 'The parameter of later requests that has the key of the last item.',
      example: 'after',
    }),
  },
  rules: [
    'The first request has no key.',
    'Each later one has the key of the last item of the page before; numbers keep all their digits.',
    'Pagination ends at a page without items, or whose last item has no key.',
  ],
  example: {
    about: 'Three rivers by name, two a page.',
    config: {
      api: { pagination: { method: 'marker', key: 'name', param: 'after' } },
      config: { jobs: [{ endpoint: 'rivers' }] },
    },
    exchanges: [
      { request: 'GET /rivers', response: [{ name: 'Ald' }, { name: 'Esk' }] },
      { request: 'GET /rivers?after=Esk', response: [{ name: 'Wye' }] },
      { request: 'GET /rivers?after=Wye', response: [] },
    ],
    items: [{ name: 'Ald' }, { name: 'Esk' }, { name: 'Wye' }],
  },
  paginator: ({ key, param }, { params }) => {
    const first: Step = { change: { params }, position: null };
    const behind = (last: Step['position']): Step => ({
      change: { params: withParams(params, [[param, last]]) },
      position: last,
    });
    return {
      by: 'position',
      first,
      at: (position) => (position === null ? first : behind(position)),
      next: ({ items }) => {
        const last = exactValueAt(items.at(-1), key);
        return last === undefined || last === null ? stop('No further key, stopping scrolling.') : goOn(behind(last));
      },
    };
  },
});
