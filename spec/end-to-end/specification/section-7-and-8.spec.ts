import { configured, faultPaths, login, offset, responseUrl, sent, useClock, useScript } from './support';

describe('specification 7: errors', () => {
  const play = useScript();

  it('7 empty array: offset paging stops, with a warning and without an error', async () => {
    const { items, warnings } = await play(configured(offset(), { dataField: 'rows' }), [
      ['GET /users?limit=2&offset=0', { rows: [], total: 0 }],
    ]);
    expect(items).toEqual([]);
    expect(warnings).toEqual(['dataField rows contains no data!']);
  });

  it.each([{}, { next: null }, { next: '' }, { next: false }])(
    '7 next page blank: paging stops at %j, without a warning',
    async (end) => {
      const { items, warnings } = await play(configured(responseUrl({ urlKey: 'next' })), [
        ['GET /users', { rows: [1], ...end }],
      ]);
      expect(items).toEqual([1]);
      expect(warnings).toEqual([]);
    },
  );

  it('7 misspelled urlKey: only the first page is extracted', async () => {
    const { items } = await play(configured(responseUrl({ urlKey: 'nxet' })), [
      ['GET /users', { rows: [1], next: '/users?page=2' }],
    ]);
    expect(items).toEqual([1]);
  });
});

describe('specification 8: limits', () => {
  const play = useScript();
  const clock = useClock('2030-01-01T00:00:00Z');

  it('8 page size: is required', () => {
    expect(faultPaths(configured({ pagination: { method: 'offset' } }))).toEqual(['api.pagination.limit']);
  });

  it('8 page size: the param that limitParam names overrides it for a job', async () => {
    await play(configured(offset({ limitParam: 'count' }), { params: { count: 1 } }), [
      ['GET /users?count=1&offset=0', [1]],
      ['GET /users?count=1&offset=1', []],
    ]);
  });

  it.each([10, { response: 'ttl', relative: true }])('8 credential lifetime: is %j', async (expires) => {
    const outcome = await play(configured({ ...offset({ limit: 1 }), ...login({}, { expires }) }), [
      ['GET /login', { token: 'T1', ttl: 10 }],
      ['GET /users?limit=1&offset=0', clock.taking(10, [1])],
      ['GET /login', { token: 'T2', ttl: 10 }],
      ['GET /users?limit=1&offset=1', []],
    ]);
    expect(sent(outcome)).toEqual(['T1', 'T2']);
  });
});
