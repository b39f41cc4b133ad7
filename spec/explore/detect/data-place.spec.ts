/** Items that are arrays, and whose values are named beside them. */
import { firstValueFrom, toArray } from 'rxjs';
import { extract } from '../../../src';
import { discover, type DiscoverOptions } from '../../../src/explore/discover/discover';
import { SHIPS } from './apis';
import { serve, type Serving } from './serve';

const COLUMNS = ['id', 'name', 'updated_at'];
const ROWS = SHIPS.map(({ id, name, updated_at }) => [id, name, updated_at]);

describe('items that are arrays', () => {
  let serving: Serving;
  afterEach(() => serving.close());

  const found = (options: DiscoverOptions = {}) =>
    discover({ method: 'GET', url: `${serving.origin}/fleet/ships.json`, headers: {} }, { guess: false, ...options });
  const reasonOf = ({ findings }: Awaited<ReturnType<typeof found>>) => findings.find(({ about }) => about === 'data');

  /** As datasette does before 1.0; `knows`: whether it gives objects. */
  const datasette = (knows: boolean) =>
    serve({
      path: '/fleet/ships.json',
      answer: ({ url }) => {
        const from = Number(url.searchParams.get('_next') ?? 0);
        const isShaped = knows && url.searchParams.get('_shape') === 'objects';
        const next = from + 3 < SHIPS.length ? String(from + 3) : null;
        const address = new URL(url);
        address.searchParams.set('_next', next ?? '');
        const body = { database: 'fleet', rows: (isShaped ? SHIPS : ROWS).slice(from, from + 3), truncated: false };
        return { body: { ...body, columns: COLUMNS, next, next_url: next === null ? null : address.href } };
      },
    });

  it('are asked for as objects where the API is datasette', async () => {
    serving = await datasette(true);
    const discovery = await found();
    expect(discovery.requests).toBe(serving.requests());
    expect(discovery.configuration).toMatchObject({ config: { jobs: [{ params: { _shape: 'objects' } }] } });
    expect(discovery.comments['config/jobs/0/params']).toEqual([expect.stringContaining('columns have no names')]);
    expect(reasonOf(discovery)).toMatchObject({ value: 'rows', confidence: 'sure' });
    expect(await firstValueFrom(extract(discovery.configuration).items$.pipe(toArray()))).toEqual(SHIPS);
  });

  it('are unsure where datasette gives no objects, or no more may be asked', async () => {
    serving = await datasette(false);
    for (const options of [{}, { maxRequests: 1 }])
      expect(reasonOf(await found(options))).toEqual({
        ...{ about: 'data', value: 'rows', confidence: 'unsure' },
        reason:
          'The array "rows" has 3 values. The items are arrays, and "columns" names their values: id, name, updated_at. ' +
          'A table has them without these names. This looks like datasette, which gives objects by the parameter _shape=objects.',
      });
  });

  it('are unsure at another API, with the names that were found', async () => {
    serving = await serve({
      path: '/fleet/ships.json',
      answer: () => ({ body: { result: { head: COLUMNS, kinds: ['a'], rows: ROWS } } }),
    });
    const discovery = await found();
    expect(serving.requests()).toBe(discovery.requests);
    expect(reasonOf(discovery)).toMatchObject({
      ...{ value: 'result.rows', confidence: 'unsure' },
      reason: expect.stringContaining('"head" names their values: id, name, updated_at.') as string,
    });
    expect(discovery.comments['config/jobs/0/dataField']?.[0]).toContain('UNSURE: ');
  });

  it.each([
    ['nothing beside them has as many strings', { columns: ['id'], rows: ROWS }],
    ['they differ in their lengths', { columns: COLUMNS, rows: [...ROWS, [1]] }],
    ['they are the response', ROWS],
  ])('are as they are where %s', async (_, body) => {
    serving = await serve({ path: '/fleet/ships.json', answer: () => ({ body }) });
    expect(reasonOf(await found())?.reason).not.toContain('names their values');
  });
});
