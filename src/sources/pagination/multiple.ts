import type { ComponentManual } from '../../language/codec/component';

/**
 * The manual page of `multiple` (docs/language/pagination/multiple.md). It is no method by itself: it lets jobs choose among several
 * methods, so the codec of the configuration reads it.
 */
export const multiple: ComponentManual & { readonly name: string } = {
  name: 'multiple',
  summary: 'Names several methods, of which each job chooses one.',
  use: 'Use it if endpoints of one API page in different ways.',
  rules: [
    '`scroller` of a job names an entry of `scrollers`. An unknown name is an error. With other methods, `scroller` has no effect.',
    'An entry has a method, its options and its stops. It cannot be `multiple`.',
    'Stops beside `scrollers` apply to all jobs, together with those of the entry.',
  ],
  example: {
    about: 'Stations page by offset, alerts by the highest number so far:',
    config: {
      api: {
        pagination: {
          method: 'multiple',
          default: 'plain',
          scrollers: {
            plain: { method: 'offset', limit: 2 },
            feed: { method: 'cursor', idKey: 'seq', param: 'after' },
          },
        },
      },
      config: { jobs: [{ endpoint: 'stations' }, { endpoint: 'alerts', scroller: 'feed' }] },
    },
    exchanges: [
      { request: 'GET /stations?limit=2&offset=0', response: [{ id: 1 }] },
      { request: 'GET /alerts', response: [{ seq: 8 }] },
      { request: 'GET /alerts?after=8', response: [] },
    ],
    items: [{ id: 1 }, { seq: 8 }],
  },
};
