/** Several parent items in one request, over whole runs (docs/extensions/batches.md). */
import { lastValueFrom } from 'rxjs';
import { extract, validate } from '../../../src';
import type { RunEvent } from '../../../src';
import { json } from '../../support/answers';
import { startServer } from '../../support/api-server';
import type { ApiServer } from '../../support/api-server';
import { asked, example, pagesOf } from './support';

const ENCODED = { path: 'id', function: 'rawurlencode', args: [{ placeholder: 'value' }] };
const stations = [
  { id: 1, active: 1 },
  { id: 2, active: 0 },
  { id: 3, active: 1 },
  { id: 4, active: 1 },
];

describe('docs/extensions/batches.md', () => {
  let server: ApiServer;
  beforeEach(async () => {
    server = await startServer(({ url }) => json(url === '/api/stations' ? stations : [{ a: 1 }]));
  });
  afterEach(() => server.close());
  const childOf = (child: object) => ({
    api: {},
    config: {
      jobs: [
        {
          endpoint: 'stations',
          children: [{ endpoint: 'm', placeholders: { id: 'id' }, params: { id: '{id}' }, batch: 3, ...child }],
        },
      ],
    },
  });

  it('batches.json: joined in the endpoint after the filter, and as a repeated parameter', async () => {
    const pages = await pagesOf(server, example('batches.json'));
    expect(asked(server)).toEqual([
      'GET /api/stations',
      'GET /api/levels/1;3',
      'GET /api/levels/4',
      'GET /api/measurements?station=1&station=2&station=3&station=4',
    ]);
    expect(pages.map(({ extra }) => Object.fromEntries(extra))).toEqual([
      {},
      { parent_id: '1;3' },
      { parent_id: '4' },
      { parent_id: '1,2,3,4' },
    ]);
  });

  it.each([
    ['join', '/api/m?id=1,2,3'],
    ['list', '/api/m?id[0]=1&id[1]=2&id[2]=3'],
    ['brackets', '/api/m?id[]=1&id[]=2&id[]=3'],
    ['repeat', '/api/m?id=1&id=2&id=3'],
  ])('batchStyle %s', async (batchStyle, url) => {
    await pagesOf(server, childOf({ batchStyle }));
    expect(asked(server)[1]).toBe(`GET ${url}`);
  });

  it.each([
    ['repeat', '/api/m?id=1&id=2&a[b]=3&a[b]=4'],
    ['brackets', '/api/m?id[]=1&id[]=2&a[b][]=3&a[b][]=4'],
    ['join', '/api/m?id[0]=1&id[1]=2&a[b][0]=3&a[b][1]=4'],
  ])('batchStyle %s of a job without a batch', async (batchStyle, url) => {
    const job = { endpoint: 'm', params: { id: [1, 2], a: { b: [3, 4] } }, batchStyle };
    await pagesOf(server, { api: {}, config: { jobs: [job] } });
    expect(asked(server)).toEqual([`GET ${url}`]);
  });

  it('batchStyle list gives a list in a JSON body, also inside a function', async () => {
    const params = { ids: '{id}', text: { function: 'implode', args: ['+', '{id}'] } };
    await pagesOf(server, childOf({ batchStyle: 'list', method: 'POST', params }));
    expect(server.requests.slice(1).map(({ body }) => body)).toEqual([
      '{"ids":["1","2","3"],"text":"1+2+3"}',
      '{"ids":["4"],"text":"4"}',
    ]);
  });

  it('children of a batch inherit the joined text', async () => {
    const grandchild = { endpoint: 'x/{id}', placeholders: { a: 'a' } };
    await pagesOf(server, childOf({ batch: 4, params: {}, children: [grandchild] }));
    expect(asked(server)).toEqual(['GET /api/stations', 'GET /api/m', 'GET /api/x/1,2,3,4']);
  });

  describe('a value that holds the separator', () => {
    async function warned(ids: readonly unknown[], child: object = {}): Promise<RunEvent[]> {
      const api = await startServer(({ url }) => json(url === '/stations' ? ids.map((id) => ({ id })) : [{ a: 1 }]));
      const events: RunEvent[] = [];
      const config = { ...childOf(child), api: { baseUrl: api.origin } };
      const { pages$ } = extract(config, { onEvent: (event) => events.push(event) });
      await lastValueFrom(pages$);
      await api.close();
      return events.filter(({ type }) => type === 'warning');
    }
    const ids = ['a,b', 'c', 'd,e', 'f', 'g,h'];

    it.each<[string, object]>([
      ['in a parameter', {}],
      ['in an endpoint', { endpoint: 'm/{id}', params: {}, batchStyle: 'repeat' }],
      ['alone', { batch: 1 }],
    ])('is a warning, once: %s', async (_, child) => {
      expect(await warned(ids, child)).toMatchObject([
        {
          code: 'SEPARATOR_IN_VALUE',
          message: expect.stringContaining('config.jobs[0].children[0].batch: a value of {id} has ","') as string,
          job: expect.not.objectContaining({ placeholders: expect.anything() as unknown }) as object,
        },
      ]);
    });

    it.each<[string, object]>([
      ['with another separator', { batchSeparator: ';' }],
      ['as an array', { batchStyle: 'repeat' }],
      ['encoded', { endpoint: 'm/{id}', params: {}, placeholders: { id: ENCODED } }],
      ['without a batch', { batch: 0 }],
    ])('is none %s', async (_, child) => {
      expect(await warned(ids, child)).toEqual([]);
    });
  });

  it('faults: nothing to batch, and a level that is no single item', () => {
    const refused = (child: object) => () => validate({ ...childOf(child), api: { baseUrl: 'https://h.example' } });
    const child = 'config.jobs[0].children[0]';
    expect(refused({ placeholders: {} })).toThrow(
      `${child}.batch: needs a placeholder of the parent item (level 1): there is nothing to batch`,
    );
    const below = { endpoint: 'x', placeholders: { '2:id': 'id', a: 'a' } };
    expect(refused({ children: [below] })).toThrow(
      `${child}.children[0].placeholders.2:id: level 2 is no single item here: the job above is called for a batch`,
    );
    const deeper = { endpoint: 'y', placeholders: { '3:id': 'id' } };
    const between = { endpoint: 'x', placeholders: { a: 'a' }, children: [deeper] };
    expect(refused({ children: [between] })).toThrow('children[0].children[0].placeholders.3:id: level 3 is no single');
  });
});
