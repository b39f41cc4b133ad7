/** What these specs share: an API that follows a script, and a clock that they set. */
import { lastValueFrom, tap, toArray } from 'rxjs';
import { ConfigurationError, extract, IncompleteError, validate } from '../../../src';
import type { Item, Page } from '../../../src';
import { useNock } from '../../support/nock';

export const HOME = 'https://api.example';
export const ELSEWHERE = 'https://auth.example';

/** One request as it arrived. */
export interface Asked {
  /** Method and URL, decoded; without {@link HOME}. */
  readonly line: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** A body that is sent as it is; any other answer is sent as JSON. */
export class Raw {
  constructor(readonly body: string) {}
}

/** An answer that is made when its request has come. */
export class Later {
  constructor(readonly answer: () => unknown) {}
}

/** A request that must come, and its answer. */
export type Exchange = readonly [line: string, answer: unknown];

export interface Outcome {
  readonly items: readonly Item[];
  readonly pages: readonly Page[];
  readonly warnings: readonly string[];
  /** Why the run is incomplete. */
  readonly doubts: readonly string[];
  /** The requests, as many and in the order as the script says. */
  readonly asked: readonly Asked[];
}

/**
 * Lets the specs of a file run extractions against a script: the requests must be exactly those of the script.
 *
 * @example
 * const play = useScript();
 * it('…', async () => expect((await play(config, [['GET /users', [1]]])).items).toEqual([1]));
 */
export function useScript(): (config: object, script: readonly Exchange[]) => Promise<Outcome> {
  const nock = useNock();

  /** Answers every request with the next answer of the script, and keeps what was asked. */
  const follow = (script: readonly Exchange[]): readonly Asked[] => {
    nock.cleanAll();
    const asked: Asked[] = [];
    const answer = async (request: Request): Promise<[number, string]> => {
      const url = decodeURIComponent(request.url.replace(HOME, ''));
      const headers = Object.fromEntries(request.headers);
      asked.push({ line: `${request.method} ${url}`, headers, body: await request.text() });
      const exchange = script[asked.length - 1];
      return exchange === undefined ? [418, 'the script has no more requests'] : [200, bodyOf(exchange[1])];
    };
    for (const origin of [HOME, ELSEWHERE])
      for (const method of ['GET', 'POST'])
        nock(origin)
          .persist()
          .intercept(() => true, method)
          .optionally()
          .reply(answer);
    return asked;
  };

  return async (config, script) => {
    const asked = follow(script);
    const pages: Page[] = [];
    const warnings: string[] = [];
    // As `headwater component` does: what the specification says of the life of credentials holds to the second.
    const run = extract(config, { renewEarly: false }).events$.pipe(
      tap((event) => {
        if (event.type === 'page.extracted') pages.push(event.page);
        if (event.type === 'warning') warnings.push(event.message);
      }),
      toArray(),
    );
    // Where paging stops is one thing, and whether a run is complete is another (docs/completeness.md).
    const doubts = await lastValueFrom(run).then(
      () => [],
      (error: unknown) => {
        if (error instanceof IncompleteError) return error.doubts.map(({ code }) => code);
        throw error;
      },
    );
    expect(asked.map(({ line }) => line)).toEqual(script.map(([line]) => line));
    return { items: pages.flatMap(({ items }) => items), pages, warnings, doubts, asked };
  };
}

function bodyOf(answer: unknown): string {
  if (answer instanceof Later) return bodyOf(answer.answer());
  return answer instanceof Raw ? answer.body : JSON.stringify(answer);
}

/** One job at `users`, below {@link HOME} unless `api` says otherwise. */
export const configured = (api: object = {}, job: object = {}, config: object = {}): object => ({
  api: { baseUrl: HOME, ...api },
  config: { ...config, jobs: [{ endpoint: 'users', ...job }] },
});

/** Authentication by a login at `login`; unless told otherwise, its `token` becomes the header `x-token`. */
export const login = (loginRequest: object = {}, changes: object = {}): object => ({
  authentication: {
    type: 'login',
    loginRequest: { endpoint: 'login', ...loginRequest },
    apiRequest: { headers: { 'x-token': 'token' } },
    ...changes,
  },
});

export const offset = (options: object = {}): object => ({ pagination: { method: 'offset', limit: 2, ...options } });
export const responseUrl = (options: object = {}): object => ({ pagination: { method: 'response.url', ...options } });

/** A login and one page, for {@link configured} with {@link login}. */
export const LOGIN_ONCE: readonly Exchange[] = [
  ['GET /login', { token: 'T' }],
  ['GET /users', [1]],
];

/** A login, and pages of one item: the requests are {@link page} 0, 1, … */
export const onePerPage = (expires?: unknown): object =>
  configured({ ...offset({ limit: 1 }), ...login({}, expires === undefined ? {} : { expires }) });
export const page = (at: number, answer: unknown): Exchange => [`GET /users?limit=1&offset=${at}`, answer];

/** One header of each request but the logins. */
export const sent = ({ asked }: Outcome, header = 'x-token'): (string | undefined)[] =>
  asked.filter(({ line }) => !line.includes('/login')).map(({ headers }) => headers[header]);

/** Where a configuration is wrong. */
export function faultPaths(config: object): string[] {
  try {
    validate(config);
    return [];
  } catch (error) {
    if (error instanceof ConfigurationError) return error.faults.map(({ path }) => path);
    throw error;
  }
}

export interface Clock {
  /** An answer that takes as long as this. */
  readonly taking: (seconds: number, answer: unknown) => Later;
}

/** Stops the clock at a moment, for each spec of the file: it moves only as the answers say. */
export function useClock(start: string): Clock {
  let now = 0;
  beforeEach(() => {
    now = Date.parse(start);
    jest.spyOn(Date, 'now').mockImplementation(() => now);
  });
  afterEach(() => {
    jest.restoreAllMocks();
  });
  return {
    taking: (seconds, answer) =>
      new Later(() => {
        now += seconds * 1000;
        return answer;
      }),
  };
}
