/** Pages that are requested ahead, of APIs whose cookies change (docs/extensions/flow.md#parallel-pages). */
import { lastValueFrom, toArray } from 'rxjs';
import { extract } from '../../src';
import { afterDelay, json } from '../support/answers';
import type { Answer } from '../support/answers';
import { startServer } from '../support/api-server';
import type { ApiServer, ReceivedRequest } from '../support/api-server';

const ALL = Array.from({ length: 21 }, (_, at) => ({ id: at + 1 }));

describe('api.http.cookies with parallel', () => {
  let server: ApiServer;
  afterEach(() => server.close());

  const offsetOf = ({ url }: ReceivedRequest): number =>
    Number(new URL(url, 'http://api').searchParams.get('offset') ?? 0);
  const cookieOf = ({ headers }: ReceivedRequest, name: string): string | undefined =>
    new RegExp(`(?:^|; )${name}=([^;]*)`).exec(headers.cookie ?? '')?.[1];
  const page = (from: number, cookie?: string): Answer =>
    json(ALL.slice(from, from + 3), 200, cookie === undefined ? {} : { 'set-cookie': `${cookie}; Path=/` });

  async function itemsOf(answer: (request: ReceivedRequest) => Answer): Promise<unknown[]> {
    // The sooner a page was asked for, the later it comes.
    server = await startServer((request) => afterDelay(10 + (offsetOf(request) % 4), answer(request)));
    const pagination = { method: 'offset', limit: 3, parallel: 4 };
    const { items$ } = extract({
      api: { baseUrl: server.origin, pagination, http: { cookies: true }, retryConfig: { maxRetries: 0 } },
      config: { jobs: [{ endpoint: 'items' }] },
    });
    return lastValueFrom(items$.pipe(toArray()));
  }

  it('gives all items of an API whose place stands in a cookie', async () => {
    const items = await itemsOf((request) => {
      const from = Number(cookieOf(request, 'cursor') ?? 0);
      return page(from, `cursor=${from + 3}`);
    });
    expect(items).toEqual(ALL);
  });

  it('gives all items of an API whose cookie changes with each response', async () => {
    let given = 0;
    expect(await itemsOf((request) => page(offsetOf(request), `visit=${(given += 1)}`))).toEqual(ALL);
  });

  it('begins the session with the first page alone, and requests the others at once', async () => {
    let sessions = 0;
    const items = await itemsOf((request) =>
      page(offsetOf(request), cookieOf(request, 'sid') === undefined ? `sid=${(sessions += 1)}` : undefined),
    );
    expect(items).toEqual(ALL);
    expect(sessions).toBe(1);
    expect(
      server.requests
        .map(offsetOf)
        .slice(0, 5)
        .sort((a, b) => a - b),
    ).toEqual([0, 3, 6, 9, 12]);
    expect(new Set(server.requests.map(({ url }) => url)).size).toBe(server.requests.length);
  });

  it('gives all items of an API that refuses all cookies but the last', async () => {
    let last = 0;
    const items = await itemsOf((request) => {
      const isLast = last === 0 || cookieOf(request, 'visit') === String(last);
      return isLast ? page(offsetOf(request), `visit=${(last += 1)}`) : json({ error: 'stale' }, 401);
    });
    expect(items).toEqual(ALL);
  });
});
