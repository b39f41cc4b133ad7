import { fails } from '../story';
import type { StoryGroup } from '../story';
import { bodyOfPage, idsUpTo, PAGE_SIZE, pageAsked } from '../support/healthy-api';
import { whole } from '../support/wire';

const pageWith = (next: string, page: number): string =>
  bodyOfPage(page).replace(/"next":.*\}$/, `"next":${JSON.stringify(next)}}`);
const byLinks = { pagination: { method: 'response.url', urlKey: 'next' } };

const byKeys = { pagination: { method: 'keyset', key: 'id', param: 'after', limit: PAGE_SIZE } };

export const misleading: StoryGroup = {
  title: 'An API that misleads, or is misunderstood',
  intro:
    'Every answer is in good order, and the run would end too early or never. What stands here is an error; ' +
    '`config.completeness` turns it down.',
  stories: [
    {
      summary: 'The API ignores the position: every page is the first',
      set: () => ({ answer: () => whole(bodyOfPage(0)) }),
      ends: fails('INCOMPLETE', PAGE_SIZE),
    },
    {
      summary: 'The next pages form a ring: after the third comes the first',
      set: () => ({
        answer: (request) => {
          const page = pageAsked(request) ?? 0;
          return whole(pageWith(`/items?offset=${((page + 1) % 3) * PAGE_SIZE}`, page));
        },
        api: byLinks,
      }),
      ends: fails('INCOMPLETE', 3 * PAGE_SIZE),
    },
    {
      summary: 'The address of the next page is there, but not where the configuration says',
      set: () => ({
        answer: (request) => whole(bodyOfPage(pageAsked(request) ?? 0)),
        api: { pagination: { method: 'response.url', urlKey: 'next_page' } },
      }),
      ends: fails('INCOMPLETE', PAGE_SIZE),
    },
    {
      summary: 'The items are there, but not where the configuration says',
      set: () => ({
        answer: (request) => whole(bodyOfPage(pageAsked(request) ?? 0).replace('"items"', '"results"')),
      }),
      ends: fails('INCOMPLETE'),
    },
    {
      summary: 'The API ignores the key behind which a page begins: every page is the first',
      set: () => ({ answer: () => whole(bodyOfPage(0)), api: byKeys }),
      ends: fails('API_SHAPE', PAGE_SIZE),
    },
    {
      summary: 'The API begins a page at the key, and the configuration says behind it',
      set: () => ({
        answer: ({ target }) => {
          const after = Number(new URL(target, 'http://localhost').searchParams.get('after') ?? 0);
          return whole(JSON.stringify({ items: idsUpTo(PAGE_SIZE).map((id) => ({ id: after + id })) }));
        },
        api: byKeys,
      }),
      ends: fails('API_SHAPE', PAGE_SIZE),
    },
  ],
};
