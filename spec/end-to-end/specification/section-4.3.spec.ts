import { configured, faultPaths, offset, responseUrl, useScript } from './support';

describe('specification 4.3: pagination', () => {
  const play = useScript();
  const page = { rows: [1, 2], next_page: '/users?page=2' };

  it('4.3 method: offset pages by offset, whatever addresses the response holds', async () => {
    await play(configured(offset()), [
      ['GET /users?limit=2&offset=0', page],
      ['GET /users?limit=2&offset=2', { rows: [] }],
    ]);
  });

  it('4.3 method: response.url follows the address in the response', async () => {
    await play(configured(responseUrl()), [
      ['GET /users', page],
      ['GET /users?page=2', { rows: [] }],
    ]);
  });

  it('4.3 method: one that is not known is refused', () => {
    expect(faultPaths(configured({ pagination: { method: 'offsets', limit: 2 } }))).toEqual(['api.pagination.method']);
  });
});
