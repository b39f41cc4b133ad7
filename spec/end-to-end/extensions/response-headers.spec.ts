/** Pagination by headers over whole runs (docs/extensions/response-headers.md). */
import { json } from '../../support/answers';
import { startServer } from '../../support/api-server';
import type { ApiServer, Handler } from '../../support/api-server';
import { asked, example, pagesOf } from './support';

/** Three pages of stations; the header leads from one to the next by the parameter `page` or `cursor`. */
const pages =
  (headerAfter: (page: number) => Record<string, string>): Handler =>
  ({ url }) => {
    const { searchParams } = new URL(url, 'http://localhost');
    const page = Number((searchParams.get('page') ?? searchParams.get('cursor') ?? '1').replace('c', ''));
    return json([{ id: page }], 200, page < 3 ? headerAfter(page) : {});
  };

describe('docs/extensions/response-headers.md', () => {
  let server: ApiServer;
  afterEach(() => server.close());

  it('link-header.json: follows the Link header, relative to the request', async () => {
    server = await startServer(
      pages((page) => ({ Link: `<?page=${page + 1}&per_page=2>; rel="next", </>; rel=first` })),
    );
    const found = await pagesOf(server, example('link-header.json'));
    expect(found.flatMap(({ items }) => items)).toEqual([{ id: 1 }, { id: 2 }, { id: 3 }]);
    expect(asked(server)).toEqual([
      'GET /api/stations?per_page=2',
      'GET /api/stations?page=2&per_page=2',
      'GET /api/stations?page=3&per_page=2',
    ]);
  });

  it('a link to another host is refused', async () => {
    server = await startServer(pages(() => ({ Link: '<http://elsewhere.example/>; rel="next"' })));
    await expect(pagesOf(server, example('link-header.json'))).rejects.toMatchObject({ code: 'ORIGIN_REFUSED' });
  });

  it('a link from another host cannot be followed without a scheme either', async () => {
    server = await startServer(pages(() => ({ Link: '<//elsewhere.example/>; rel="next"' })));
    await expect(pagesOf(server, example('link-header.json'))).rejects.toMatchObject({ code: 'ORIGIN_REFUSED' });
  });

  it('cursor-in-header.json: sends the value of the header as a parameter', async () => {
    server = await startServer(pages((page) => ({ 'x-next-cursor': `c${page + 1}` })));
    await pagesOf(server, example('cursor-in-header.json'));
    expect(asked(server)).toEqual([
      'GET /api/stations?per_page=2',
      'GET /api/stations?per_page=2&cursor=c2',
      'GET /api/stations?per_page=2&cursor=c3',
    ]);
  });
});
