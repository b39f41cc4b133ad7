/** Runs against an API that answers a dead token with an empty list: every row must arrive (docs/language/authentication.md#renewal). Tokens die in real time. */
import { lastValueFrom, toArray } from 'rxjs';
import { extract } from '../../../src';
import { json, redirectTo } from '../../support/answers';
import type { ReceivedRequest } from '../../support/api-server';
import { jobsAt, tokenLogin } from '../../support/configurations';
import { startGuestServer } from '../../support/guest-server';
import type { GuestServer, GuestServerOptions } from '../../support/guest-server';

const RELATIVE = { response: 'ttl', relative: true };
const idsOf = (items: readonly unknown[]): number[] =>
  items.map((item) => (item as { readonly id: number }).id).sort((a, b) => a - b);
const all = (rows: number): number[] => Array.from({ length: rows }, (_, at) => at);

describe('an API that takes a dead token for a guest', () => {
  let api: GuestServer;
  afterEach(() => api.server.close());

  /** The items of jobs at these endpoints, with the API around them. */
  const itemsOf = async (options: GuestServerOptions, changes: object, endpoints = ['items']): Promise<unknown[]> => {
    api = await startGuestServer(options);
    const config = jobsAt(api.server.origin, endpoints, changes, { concurrency: endpoints.length, ordered: false });
    return lastValueFrom(extract(config).items$.pipe(toArray()));
  };
  const paged = { pagination: { method: 'offset', limit: 10 } };

  it.each<[string, unknown]>([
    ['a number of seconds', 2],
    ['seconds in the login response', RELATIVE],
    ['milliseconds in the login response', { response: 'milliseconds', relative: true, unit: 'ms' }],
    ['a moment in the login response', { response: 'ends' }],
  ])(
    'all rows arrive when logins take their time; expires is %s',
    async (_, expires) => {
      const options = { lives: 2000, loginTakes: 700, pageTakes: 50, rows: 400 };
      const items = await itemsOf(options, { ...tokenLogin(expires), ...paged });
      expect(idsOf(items)).toEqual(all(400));
      expect(api.guests()).toBe(0);
      expect(api.logins()).toBeGreaterThan(1);
    },
    30_000,
  );

  it('all rows arrive when many pages and jobs are requested at once', async () => {
    const options = { lives: 2000, loginTakes: 400, pageTakes: 100, rows: 1000 };
    const endpoints = ['a', 'b', 'c', 'd'];
    const pagination = { method: 'offset', limit: 10, parallel: 3 };
    const items = await itemsOf(options, { ...tokenLogin(2), pagination }, endpoints);
    expect(idsOf(items)).toEqual(all(1000).flatMap((id) => endpoints.map(() => id)));
    expect(api.guests()).toBe(0);
    expect(api.logins()).toBeGreaterThan(1);
  });

  it('a token that dies while a redirect waits for the rate limit is not sent', async () => {
    const http = { rateLimit: { requests: 1, seconds: 0.6 } };
    const instead = ({ url }: { url: string }) => (url === '/items' ? redirectTo('/moved') : undefined);
    const items = await itemsOf({ lives: 500, rows: 3, instead }, { http, ...tokenLogin(RELATIVE) });
    expect(idsOf(items)).toEqual(all(3));
    expect(api.server.requests.map(({ url }) => url)).toEqual(['/login', '/items', '/login', '/moved']);
  });

  it('a repetition after a refusal takes its token when the rate limit lets it pass', async () => {
    const http = { rateLimit: { requests: 1, seconds: 0.6 } };
    let refusals = 0;
    const instead = () => ((refusals += 1) === 1 ? json({}, 401) : undefined);
    const items = await itemsOf({ lives: 500, rows: 3, instead }, { http, ...tokenLogin(RELATIVE) });
    expect(idsOf(items)).toEqual(all(3));
    expect(api.guests()).toBe(0);
  });

  it('a retry takes a new token after its pause', async () => {
    let calls = 0;
    const instead = () => ((calls += 1) === 1 ? json({}, 503, { 'retry-after': '1' }) : undefined);
    const items = await itemsOf({ lives: 500, rows: 3, instead }, tokenLogin(RELATIVE));
    expect(idsOf(items)).toEqual(all(3));
    expect(api.logins()).toBe(2);
  });

  it('a guest who gets 403 renews the token where the configuration says so, and all rows arrive', async () => {
    const instead = ({ headers }: ReceivedRequest) =>
      headers['x-token'] === 'token-1' ? json({ error: 'guests may not' }, 403) : undefined;
    const login = tokenLogin();
    const authentication = { ...login.authentication, refusedStatusCodes: [401, 403] };
    const items = await itemsOf({ lives: 60_000, rows: 25, instead }, { authentication, ...paged });
    expect(idsOf(items)).toEqual(all(25));
    expect(api.logins()).toBe(2);
  });

  it('a guest who gets 403 ends the run where it does not: there is no short result', async () => {
    const instead = () => json({ error: 'guests may not' }, 403);
    await expect(itemsOf({ lives: 60_000, rows: 25, instead }, { ...tokenLogin(), ...paged })).rejects.toMatchObject({
      code: 'API_STATUS',
    });
  });
});
