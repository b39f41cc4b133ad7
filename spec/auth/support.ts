/** What these specs share: one job at `items`, run against a real server. */
import { lastValueFrom, toArray } from 'rxjs';
import { extract } from '../../src';
import type { RunEvent } from '../../src';
import { json } from '../support/answers';
import type { Answer } from '../support/answers';
import { startServer } from '../support/api-server';
import type { ApiServer, ReceivedRequest } from '../support/api-server';

export interface Configured {
  readonly authentication?: object;
  readonly config?: object;
  readonly job?: object;
  readonly api?: object;
  /** What stands beside `api` and `config`. */
  readonly root?: object;
  /** Name and password in the base URL. */
  readonly userinfo?: string;
}

export interface Ran {
  readonly requests: readonly ReceivedRequest[];
  /** The URLs of all requests as the events show them, decoded; without the origin. */
  readonly shown: readonly string[];
}

export interface Runner {
  readonly run: (configured: Configured, answer?: (request: ReceivedRequest) => Answer) => Promise<Ran>;
  /** The message of a run that fails. */
  readonly failure: (configured: Configured, answer: (request: ReceivedRequest) => Answer) => Promise<string>;
  readonly server: () => ApiServer;
}

/**
 * Starts a server for each run of a spec, and closes it afterwards.
 *
 * @example
 * const { run } = useRunner();
 * it('…', async () => expect((await run({ authentication: { type: 'basic' } })).requests).toHaveLength(1));
 */
export function useRunner(): Runner {
  let server: ApiServer;
  afterEach(() => server.close());

  const run: Runner['run'] = async (
    { authentication, config, job, api, root, userinfo = '' },
    answer = () => json([1]),
  ) => {
    server = await startServer(answer);
    const events: RunEvent[] = [];
    const configuration = {
      api: { baseUrl: server.origin.replace('://', `://${userinfo}`), authentication, ...api },
      config: { ...config, jobs: [{ endpoint: 'items', ...job }] },
      ...root,
    };
    const { items$ } = extract(configuration, { onEvent: (event) => events.push(event) });
    await lastValueFrom(items$.pipe(toArray()));
    const shown = events.flatMap((event) =>
      event.type === 'request.sent' ? [decodeURIComponent(event.url).replace(server.origin, '')] : [],
    );
    return { requests: server.requests, shown };
  };
  const failure: Runner['failure'] = (configured, answer) =>
    run(configured, answer).then(
      () => 'it did not fail',
      (error: unknown) => String(error),
    );
  return { run, failure, server: () => server };
}

export const urls = (requests: readonly ReceivedRequest[]): string[] =>
  requests.map(({ url }) => decodeURIComponent(url));

export const header = (requests: readonly ReceivedRequest[], name = 'authorization'): unknown[] =>
  requests.map(({ headers }) => headers[name]);

/** The credentials that an OAuth type needs, beside `api` and `config`. */
export const oauth = (data: string, changes: object = {}): object => ({
  authorization: {
    oauth_api: { credentials: { '#data': data, appKey: 'client-1', '#appSecret': 'app-secret', ...changes } },
  },
});

/** Answers 503 once, then as told. */
export function onceUnavailable(answer: Answer = json([1])): () => Answer {
  let calls = 0;
  const now = json({}, 503, { 'retry-after': 'Thu, 01 Jan 2015 00:00:00 GMT' });
  return () => ((calls += 1) === 1 ? now : answer);
}
