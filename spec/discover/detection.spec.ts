/** What `discover` finds at APIs of many kinds, by runs of the configurations that it writes. */
import { firstValueFrom, toArray } from 'rxjs';
import { extract } from '../../src';
import { discover, type Discovery, type DiscoveryFinding } from '../../src/discover';
import { APIS, COUNT, SHIPS, type Api } from './apis';
import { serve, type Serving } from './serve';

describe('detection', () => {
  let serving: Serving;
  afterEach(() => serving.close());

  const found = async (api: Api) => {
    serving = await serve(api);
    return discover({
      method: api.method ?? 'GET',
      url: `${serving.origin}${api.path}`,
      headers: {},
      ...(api.body === undefined ? {} : { body: JSON.stringify(api.body) }),
    });
  };

  it.each(APIS.map((api) => [api.name, api] as const))('%s', async (_, api) => {
    const discovery = await found(api);
    expect(discovery.requests).toBe(serving.requests());
    expect(discovery.requests).toBeLessThanOrEqual(60);
    const { confidence } = pagingOf(discovery);
    const isFound = confidence !== 'unsure';
    expect(isFound ? 'found' : 'unsure').toBe(api.expected);
    if (isFound) expect(new Set((await itemsOf(discovery)).map((item) => JSON.stringify(item))).size).toBe(COUNT);
  });

  it.each([
    ['gives smaller pages later', (from: number) => SHIPS.slice(from, from + (from === 0 ? 3 : 2))],
    ['leaves items out of a page', (from: number) => SHIPS.slice(from, from + 3).filter((_, at) => from + at !== 4)],
  ])('does not page by an offset where the API %s: a run would end there', async (_, shipsFrom) => {
    const path = '/ships';
    serving = await serve({
      path,
      answer: ({ url }) => ({ body: { data: shipsFrom(Number(url.searchParams.get('offset') ?? 0)) } }),
    });
    const discovery = await discover({ method: 'GET', url: serving.origin + path, headers: {} });
    expect(pagingOf(discovery)).toMatchObject({ value: 'none', confidence: 'unsure' });
  });

  it('pages by an offset where the API gives its last page for all that is too far', async () => {
    serving = await serve({
      path: '/ships',
      answer: ({ url }) => {
        const from = Math.min(Number(url.searchParams.get('offset') ?? 0), 3);
        return { body: { data: SHIPS.slice(from, Math.min(from + 3, 5)) } };
      },
    });
    const discovery = await discover({ method: 'GET', url: `${serving.origin}/ships`, headers: {} });
    expect(pagingOf(discovery)).toMatchObject({ value: 'offset' });
  });

  it('is not sure of an offset where nothing counts the items: its third page may be short, and more may follow', async () => {
    const rivers = Array.from({ length: 12 }, (_, id) => ({ id: id + 1, name: `River ${id}` }));
    serving = await serve({
      path: '/ships',
      answer: ({ url }) => {
        const from = Number(url.searchParams.get('offset') ?? 0);
        return { body: { data: rivers.slice(from, from + (from === 6 ? 1 : 3)) } };
      },
    });
    const discovery = await discover({ method: 'GET', url: `${serving.origin}/ships`, headers: {} });
    expect(pagingOf(discovery)).toMatchObject({ value: 'offset', confidence: 'unsure' });
    expect(pagingOf(discovery).reason).toContain('a run ends at the first page that is not full');
    expect(JSON.stringify(discovery.comments)).toContain('UNSURE');
  });
});

const pagingOf = ({ findings }: Discovery): DiscoveryFinding => {
  const paging = findings.find(({ about }) => about === 'paging');
  if (paging === undefined) throw new Error('nothing is said of paging');
  return paging;
};

/** All items of a run; it fails where they are not as many as the API counts. */
async function itemsOf({ configuration }: Discovery): Promise<readonly unknown[]> {
  const items = await firstValueFrom(extract(configuration).items$.pipe(toArray()));
  expect(items).toHaveLength(COUNT);
  return items;
}
