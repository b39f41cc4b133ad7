/** APIs that refuse parameters that they do not know, and give all of their items where there are none. */
import { firstValueFrom, toArray } from 'rxjs';
import { extract } from '../../../src';
import { discover } from '../../../src/explore/discover/discover';
import { SHIPS } from './apis';
import { serve, type Serving } from './serve';

describe('a list that is whole', () => {
  let serving: Serving;
  afterEach(() => serving.close());

  it.each([
    ['offset', { start: 0, total_size: SHIPS.length }],
    ['page number', { page: 1, total_pages: 1 }],
  ])('is not asked for by a parameter that the API refuses, though the response has its %s', async (_, around) => {
    const refused: string[] = [];
    serving = await serve({
      path: '/ships',
      answer: ({ url }) => {
        const unknown = [...url.searchParams.keys()].filter((name) => !['count', 'number'].includes(name));
        refused.push(...unknown);
        return unknown.length > 0
          ? { status: 400, body: { title: `Unexpected parameters: ${unknown.join()}` } }
          : { body: { ...around, entries: SHIPS } };
      },
    });
    const { configuration, findings } = await discover({ method: 'GET', url: `${serving.origin}/ships`, headers: {} });
    expect(refused).not.toEqual([]);
    refused.length = 0;
    expect(await firstValueFrom(extract(configuration).items$.pipe(toArray()))).toEqual(SHIPS);
    expect(refused).toEqual([]);
    expect(findings.find(({ about }) => about === 'paging')?.value).toBe('none');
  });
});
