import { Agent } from 'undici';
import { bodyOfPage, MAX_RETRIES, MIDDLE, PAGE_SIZE, pageAsked } from '../support/healthy-api';
import { END } from '../support/raw-server';
import type { RawRequest, RawServer, Wire } from '../support/raw-server';
import { whole } from '../support/wire';
import { complete, fails } from '../story';
import type { StoryGroup } from '../story';

const BEFORE = MIDDLE * PAGE_SIZE;

/** Answers, and closes each connection: every request needs a new one. */
const closing = (request: RawRequest): Wire => [
  ...whole(bodyOfPage(pageAsked(request) ?? 0), [['Connection', 'close']]),
  END,
];

/** Listens no more when the second page has been asked for. */
const leaving = (server: () => RawServer) => {
  let hasLeft = false;
  return (request: RawRequest): Wire => {
    if (pageAsked(request) === MIDDLE - 1 && !hasLeft) {
      hasLeft = true;
      server().stopListening();
    }
    return closing(request);
  };
};

/** A way to the server that knows names only so often. */
const forgetful = (lookups: number, failing: number) => {
  let asked = 0;
  return new Agent({
    connect: {
      lookup: (name, _, callback) => {
        asked += 1;
        if (asked <= lookups || asked > lookups + failing) callback(null, [{ address: '127.0.0.1', family: 4 }]);
        else callback(Object.assign(new Error(`getaddrinfo ENOTFOUND ${name}`), { code: 'ENOTFOUND' }), []);
      },
    },
  });
};

export const surroundings: StoryGroup = {
  title: 'Hosts and names',
  intro: 'A host that cannot be reached, at the beginning of a run and later.',
  stories: [
    {
      summary: 'Nobody listens at the address',
      set: ({ server }) => ({ baseUrl: () => 'http://localhost:1', answer: () => (server(), []) }),
      ends: fails('NETWORK_CONNECT'),
    },
    {
      summary: 'The host name does not exist',
      set: () => ({ baseUrl: () => 'http://no-such-host.invalid' }),
      ends: fails('NETWORK_RESOLVE'),
    },
    {
      summary: 'The server goes away in the middle of pagination, and does not come back',
      set: ({ server }) => ({ answer: leaving(server) }),
      ends: fails(['NETWORK_CONNECT', 'NETWORK_RESET', 'NETWORK_EMPTY'], BEFORE),
    },
    {
      summary: 'The server goes away in the middle of pagination, and comes back before the second retry',
      set: ({ server }) => ({
        answer: leaving(server),
        options: {
          onEvent: (event) => {
            if (event.type === 'retry.scheduled' && event.retry === 2) void server().comeBack();
          },
        },
      }),
      ends: complete(MAX_RETRIES),
    },
    {
      summary: 'The name server fails in the middle of pagination, and recovers',
      set: () => ({ answer: closing, options: { ownConnections: false, dispatcher: forgetful(MIDDLE, 2) } }),
      ends: complete(MAX_RETRIES),
    },
    {
      summary: 'The name server fails in the middle of pagination, and stays away',
      set: () => ({ answer: closing, options: { ownConnections: false, dispatcher: forgetful(MIDDLE, 100) } }),
      ends: fails('NETWORK_RESOLVE', BEFORE),
    },
  ],
};
