import { configured, HOME, login, offset, responseUrl, useScript } from './support';

describe('specification 1: what the service does', () => {
  const play = useScript();

  it('1 login: temporary credentials are obtained before any other request', async () => {
    const { asked } = await play(configured({ ...login(), ...offset() }), [
      ['GET /login', { token: 'T' }],
      ['GET /users?limit=2&offset=0', []],
    ]);
    expect(asked.map(({ headers }) => headers['x-token'])).toEqual([undefined, 'T']);
  });

  it('1 login: there is none without a login authentication', async () => {
    await play(configured(), [['GET /users', [1]]]);
  });

  it('1 pages: each job is requested page by page, in the order of the configuration', async () => {
    const config = {
      api: { baseUrl: HOME, ...responseUrl() },
      config: { jobs: [{ endpoint: 'users' }, { endpoint: 'groups' }] },
    };
    const { items, pages } = await play(config, [
      ['GET /users', { rows: [1, 2], next_page: '/users?page=2' }],
      ['GET /users?page=2', { rows: [3] }],
      ['GET /groups', { rows: [4], next_page: '/groups?page=2' }],
      ['GET /groups?page=2', { rows: [5, 6] }],
    ]);
    expect(items).toEqual([1, 2, 3, 4, 5, 6]);
    expect(pages.map(({ job, index }) => [job.endpoint, index])).toEqual([
      ['users', 0],
      ['users', 1],
      ['groups', 0],
      ['groups', 1],
    ]);
  });

  it('1 items: the array is named by dataField', async () => {
    const { items } = await play(configured({}, { dataField: 'rows' }), [['GET /users', { rows: [1], links: ['a'] }]]);
    expect(items).toEqual([1]);
  });

  it('1 items: the array is detected when dataField is absent', async () => {
    expect((await play(configured(), [['GET /users', { total: 1, rows: [1] }]])).items).toEqual([1]);
  });
});
