import type { ComponentManual } from '../../language/codec/component';

/**
 * The manual page of `multiple` (docs/language/pagination/multiple.md). It is no method by itself: it lets jobs choose among several
 * methods, so the codec of the configuration reads it.
 */
export const multiple: ComponentManual & { readonly name: string; readonly answer: string } = {
  name: 'multiple',
  summary: 'Gives names to several ways of pagination, from which each job chooses one.',
  use: 'The endpoints of one API page in different ways.',
  answer: 'What the way of pagination expects that a job has chosen.',
  rules: [
    'A job pages as the entry of `scrollers` says that its `scroller` names, else as the one that `default` names. Without either it makes one request.',
    'An entry has a method, its options, and stops of its own. It cannot be `multiple` again.',
    'Stops beside `scrollers` apply to all jobs, together with those of the entry.',
    'A name that `scrollers` does not have is an error. `scroller` has no effect with any other method.',
  ],
  example: {
    about: 'Stations page by offset, alerts by the highest number so far.',
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
