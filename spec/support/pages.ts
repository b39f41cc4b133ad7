/** Pages with defaults, for specs. */
import type { Item, Page } from '../../src/core/model';
import { itemsOf } from '../../src/sources/items';
import { aResponse } from './requests';

/** The first page of a job `j`, with these items. */
export function aPage(items: readonly Item[], changes: Partial<Page> = {}): Page {
  const reply = { response: aResponse(), data: items };
  return {
    iteration: 0,
    job: { id: 'j', path: 'config.jobs[0]', endpoint: 'users', dataType: 'user' },
    table: changes.job?.dataType ?? 'user',
    index: 0,
    ...itemsOf({ path: '.', delimiter: '.' }, reply, 'users'),
    extra: new Map(),
    reply,
    checkpoint: { call: [0, 0], job: 'j', pages: 1, items: items.length, volume: 0 },
    ...changes,
  };
}
