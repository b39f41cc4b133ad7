import { complete, fails } from '../story';
import type { Scenery, Stage, StoryGroup } from '../story';
import { AUTHENTICATION, bodyOfPage, PAGE_SIZE, pageAsked } from '../support/healthy-api';
import type { RawRequest, Wire } from '../support/raw-server';
import { whole } from '../support/wire';

/** What a server does with a token that it does not take, or no more. */
const UNAUTHORIZED = whole('{"error":"log in"}', [], 401);
const FORBIDDEN = whole('{"error":"log in"}', [], 403);
const AS_A_GUEST = whole('{"items":[]}');

interface Session {
  /** How the login says when its token dies; what stands under `expires` in the configuration. */
  readonly expires?: unknown;
  /** The other fields of the answer to the login number `login`, from 1. */
  readonly says?: (login: number) => object;
  /** Whether the token of the login number `login` is taken for the request number `request` since that login. */
  readonly takes: (login: number, request: number) => boolean;
  readonly refuses: Wire;
  /** Happens when a login or a page is asked for, before the answer. */
  readonly meanwhile?: (asked: 'login' | number) => void;
  /** In place of a login that is answered well. */
  readonly login?: (login: number) => Wire | undefined;
  readonly authentication?: object;
}

/** A server that counts its logins and looks at tokens. */
function session({ expires, says, takes, refuses, meanwhile, login, authentication }: Session): Scenery {
  let logins = 0;
  const used = new Map<string, number>();
  const answer = (request: RawRequest): Wire => {
    const page = pageAsked(request);
    if (page === undefined) {
      logins += 1;
      meanwhile?.('login');
      return login?.(logins) ?? whole(JSON.stringify({ token: `token-${logins}`, ...says?.(logins) }));
    }
    const token = request.headers['x-token'] ?? '';
    const requests = (used.get(token) ?? 0) + 1;
    used.set(token, requests);
    const isTaken = takes(Number(token.slice('token-'.length)), requests);
    meanwhile?.(page);
    return isTaken ? whole(bodyOfPage(page)) : refuses;
  };
  const expiry = expires === undefined ? {} : { expires };
  return { answer, api: { authentication: { ...AUTHENTICATION, ...expiry, ...authentication } } };
}

const THREE_AT_ONCE = { method: 'offset', limit: PAGE_SIZE, parallel: 3 };

const RELATIVE = { response: 'expires_in', relative: true };
const ABSOLUTE = { response: 'expires_at' };

/** Tokens that live for a minute from the moment when the server made them; making one and each page take their time. */
function slowServer({ clock }: Stage, refuses: Wire): Scenery {
  const made = new Map<number, number>();
  let logins = 0;
  return session({
    expires: RELATIVE,
    says: () => ({ expires_in: 60 }),
    takes: (login) => Date.now() < (made.get(login) ?? 0) + 60_000,
    refuses,
    meanwhile: (asked) => {
      if (asked === 'login') made.set((logins += 1), Date.now());
      clock.jump(asked === 'login' ? 20 : 15);
    },
  });
}

export const credentials: StoryGroup = {
  title: 'Credentials and clocks',
  intro:
    'A server that takes a token no more should say 401. One that treats its bearer as a guest and answers 200 with an ' +
    'empty list cannot be told from one that has no more items: credentials are renewed before that can happen.',
  stories: [
    {
      summary: 'A token dies after two pages, without a word before; the server answers 401',
      set: () => session({ takes: (_, request) => request <= 2, refuses: UNAUTHORIZED }),
      ends: complete(),
    },
    {
      summary: 'No token is ever taken; the server answers 401',
      set: () => session({ takes: () => false, refuses: UNAUTHORIZED }),
      ends: fails('API_STATUS'),
    },
    {
      summary: 'After two pages no token is taken any more; the server answers 401',
      set: () => session({ takes: (login, request) => login === 1 && request <= 2, refuses: UNAUTHORIZED }),
      ends: fails('API_STATUS', 2 * PAGE_SIZE),
    },
    {
      summary: 'A token dies after two pages; the server answers 403, and the configuration does not name that status',
      set: () => session({ takes: (_, request) => request <= 2, refuses: FORBIDDEN }),
      ends: fails('API_STATUS', 2 * PAGE_SIZE),
    },
    {
      summary: 'A token dies after two pages; the server answers 403, which `refusedStatusCodes` names',
      set: () =>
        session({
          takes: (_, request) => request <= 2,
          refuses: FORBIDDEN,
          authentication: { refusedStatusCodes: [401, 403] },
        }),
      ends: complete(),
    },
    {
      summary: 'The login takes 20 of the 60 seconds that its token lives; the server answers 401',
      set: (stage) => slowServer(stage, UNAUTHORIZED),
      ends: complete(),
    },
    {
      summary: 'The login takes 20 of the 60 seconds that its token lives; the server answers a dead one as a guest',
      set: (stage) => slowServer(stage, AS_A_GUEST),
      ends: complete(),
    },
    {
      summary: 'The login is refused',
      set: () => session({ takes: () => true, refuses: UNAUTHORIZED, login: () => UNAUTHORIZED }),
      ends: fails('API_STATUS'),
    },
    {
      summary: 'A login in the middle of pagination fails twice with 503',
      set: () =>
        session({
          takes: (_, request) => request <= 2,
          refuses: UNAUTHORIZED,
          login: (login) => (login === 2 || login === 3 ? whole('', [], 503) : undefined),
        }),
      ends: complete(2),
    },
    {
      summary: 'A login in the middle of pagination fails for ever with 503',
      set: () =>
        session({
          takes: (_, request) => request <= 2,
          refuses: UNAUTHORIZED,
          login: (login) => (login > 1 ? whole('', [], 503) : undefined),
        }),
      ends: fails('API_STATUS', 2 * PAGE_SIZE),
    },
    {
      summary: 'A login in the middle of pagination says nothing of a token',
      set: () =>
        session({
          takes: (_, request) => request <= 2,
          refuses: UNAUTHORIZED,
          login: (login) => (login > 1 ? whole('{"error":"try again"}') : undefined),
        }),
      ends: fails('EXPRESSION_FAILED', 2 * PAGE_SIZE),
    },
    {
      summary: 'The token is said to have died in the past: the engine logs in before every request',
      set: () =>
        session({
          expires: ABSOLUTE,
          says: () => ({ expires_at: Math.floor(Date.now() / 1000) - 3600 }),
          takes: (_, request) => request === 1,
          refuses: AS_A_GUEST,
        }),
      ends: complete(),
    },
    {
      summary: 'The clock of the machine jumps an hour forward in the middle of pagination',
      set: ({ clock }) =>
        session({
          expires: RELATIVE,
          says: () => ({ expires_in: 1800 }),
          takes: (_, request) => request <= 2,
          refuses: AS_A_GUEST,
          meanwhile: (asked) => asked === 1 && clock.jump(3600),
        }),
      ends: complete(),
    },
    {
      summary: 'The clock jumps a day back, so that a dead token looks alive; the server answers 401',
      set: ({ clock }) =>
        session({
          expires: RELATIVE,
          says: () => ({ expires_in: 1800 }),
          takes: (_, request) => request <= 2,
          refuses: UNAUTHORIZED,
          meanwhile: (asked) => asked === 1 && clock.jump(-86_400),
        }),
      ends: complete(),
    },
    {
      summary: 'The clock jumps to and fro with every page',
      set: ({ clock }) =>
        session({
          expires: RELATIVE,
          says: () => ({ expires_in: 60 }),
          takes: () => true,
          refuses: UNAUTHORIZED,
          meanwhile: (asked) => asked !== 'login' && clock.jump(asked % 2 === 0 ? 5000 : -9000),
        }),
      ends: complete(),
    },
    {
      summary: 'Each page sets another cookie, and no other is taken; three pages are asked for at once',
      set: () => {
        let last = '';
        const answer = (request: RawRequest): Wire => {
          const page = pageAsked(request) ?? 0;
          if (last !== '' && request.headers['cookie'] !== last) return UNAUTHORIZED;
          last = `session=of-page-${page}`;
          return whole(bodyOfPage(page), [['Set-Cookie', `${last}; Path=/`]]);
        };
        return { answer, api: { http: { cookies: true }, pagination: THREE_AT_ONCE } };
      },
      ends: complete(),
    },
  ],
};
