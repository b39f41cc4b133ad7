/** docs/extensions/credentials.md over whole runs. The clock stands still unless an answer moves it. */
import { lastValueFrom, toArray } from 'rxjs';
import { extract } from '../../../src';
import type { ExtractOptions } from '../../../src';
import { json } from '../../support/answers';
import { startServer } from '../../support/api-server';
import type { ApiServer } from '../../support/api-server';
import { asked, example } from './support';

interface Written {
  readonly api: { readonly authentication: { readonly expires: object } };
  readonly config: object;
}

describe('when credentials are renewed', () => {
  const START = Date.UTC(2030, 0, 1);
  let now = START;
  let server: ApiServer;
  beforeEach(() => {
    now = START;
    jest.spyOn(Date, 'now').mockImplementation(() => now);
  });
  afterEach(async () => {
    jest.restoreAllMocks();
    await server.close();
  });

  /** Lives `ttl` seconds; the logins take as long as this, and the pages come at these seconds after the start. */
  async function play(ttl: number, loginTakes: number, moments: readonly number[]): Promise<void> {
    let pages = 0;
    server = await startServer(({ url }) => {
      if (url === '/login') {
        const ends = now / 1000 + ttl;
        now += loginTakes * 1000;
        return json({ token: 't', ttl, ends });
      }
      now = START + (moments[pages] ?? 0) * 1000;
      pages += 1;
      return json(Array.from({ length: pages > moments.length ? 0 : 100 }, () => ({ page: pages })));
    });
  }
  /** Runs the example; gives what was asked, `login` and `page`. */
  async function run(changes: object, options: ExtractOptions = {}): Promise<readonly string[]> {
    const { api, config } = example('credentials.json') as unknown as Written;
    const authentication = { ...api.authentication, ...changes };
    const moved = { api: { ...api, baseUrl: server.origin, authentication }, config };
    await lastValueFrom(extract(moved, options).items$.pipe(toArray()));
    return asked(server).map((line) => (line.includes('/login') ? 'login' : 'page'));
  }
  const relative = { response: 'ttl', relative: true };

  it('examples/extensions/credentials.json names a margin of its own', async () => {
    await play(60, 0, [49.9, 50]);
    expect(await run({})).toEqual(['login', 'page', 'page', 'login', 'page']);
  });

  it.each<[string, object, number, number, number]>([
    ['a number', { expires: 60 }, 60, 53.9, 54],
    ['seconds in the response', { expires: relative }, 60, 53.9, 54],
    ['a moment', { expires: { response: 'ends' } }, 60, 53.9, 54],
    ['an hour', { expires: 3600 }, 3600, 3569, 3570],
    ['a margin of 0', { expires: 60, margin: 0 }, 60, 59.9, 60],
    ['a margin beside the object', { expires: relative, margin: 20 }, 60, 39.9, 40],
    ['a margin that is too long', { expires: relative, margin: 200 }, 60, 29.9, 30],
  ])('%s: at the end less the margin, and not before', async (_, changes, ttl, before, then) => {
    await play(ttl, 0, [before, then]);
    expect(await run(changes)).toEqual(['login', 'page', 'page', 'login', 'page']);
  });

  it.each<[string, object]>([
    ['a number', { expires: 60 }],
    ['seconds in the response', { expires: relative }],
    ['a moment', { expires: { response: 'ends' } }],
  ])('%s: a lifetime counts from the moment the login was sent', async (_, changes) => {
    await play(60, 20, [53.9, 54]);
    expect(await run(changes)).toEqual(['login', 'page', 'page', 'login', 'page']);
  });

  it('with renewEarly false, as in headwater component: when the lifetime has passed', async () => {
    await play(60, 0, [59.9, 60]);
    expect(await run({ expires: 60 }, { renewEarly: false })).toEqual(['login', 'page', 'page', 'login', 'page']);
  });

  it('a login that takes longer than its credentials live: each request logs in, with one warning', async () => {
    await play(60, 61, [100, 200]);
    const messages: string[] = [];
    const onEvent: ExtractOptions['onEvent'] = (event) => {
      if (event.type === 'warning' && event.code === 'CREDENTIALS_EXPIRED') messages.push(event.message);
    };
    expect(await run({}, { onEvent })).toEqual(['login', 'page', 'login', 'page', 'login', 'page']);
    expect(messages).toEqual([
      'A login took 61.0 s; its credentials are good for 50.0 s. ' +
        'Headwater logs in before every request; check the clocks and api.authentication.expires.',
    ]);
  });
});
