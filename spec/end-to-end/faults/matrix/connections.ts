import { HARMLESS, HARMLESS_OR_REPEATED, refused, retried } from '../fault';
import type { FaultGroup } from '../fault';
import { END, RESET } from '../support/raw-server';
import { halfOf, head, lengthHeader, under, whole } from '../support/wire';

/** The engine's seconds; the fast clock makes little of them. */
const IMPATIENT = { http: { requestTimeout: 40 } };
const LONG_MS = 400;

export const connections: FaultGroup = {
  title: 'Connections',
  pagings: 'all',
  intro:
    'A connection that breaks, stalls or says nothing. `requestTimeout` covers the whole of a request, from the connection ' +
    'to the last byte of the body.',
  faults: [
    {
      does: 'closes the connection without an answer',
      wire: () => [END],
      page: retried('NETWORK_EMPTY'),
    },
    {
      does: 'resets the connection before the headers',
      wire: () => [RESET],
      page: retried('NETWORK_RESET'),
    },
    {
      does: 'resets the connection in the headers',
      wire: () => ['HTTP/1.1 200 OK\r\nContent-Ty', RESET],
      page: retried('NETWORK_RESET'),
    },
    {
      does: 'closes the connection in the headers',
      wire: () => ['HTTP/1.1 200 OK\r\nContent-Ty', END],
      page: retried('NETWORK_EMPTY'),
    },
    {
      does: 'resets the connection in the body',
      wire: ({ body }) => [...under(lengthHeader(body.length), halfOf(body)), RESET],
      page: retried('NETWORK_RESET'),
    },
    {
      does: 'closes the connection in the body',
      wire: ({ body }) => [...under(lengthHeader(body.length), halfOf(body)), END],
      page: retried('NETWORK_RESET'),
    },
    {
      does: 'closes the connection right after a good answer',
      wire: ({ body }) => [...whole(body), END],
      page: HARMLESS_OR_REPEATED,
    },
    {
      does: 'closes the connection after an answer that promised to keep it',
      wire: ({ body }) => [...whole(body, [['Connection', 'keep-alive']]), { waitMs: 1 }, END],
      page: HARMLESS_OR_REPEATED,
    },
    {
      does: 'resets the connection after a good answer, when the next request may be under way',
      wire: ({ body }) => [...whole(body), RESET],
      page: HARMLESS_OR_REPEATED,
    },
    {
      does: 'takes the request and says nothing',
      wire: () => [{ waitMs: LONG_MS }],
      page: retried('NETWORK_TIMEOUT'),
      api: IMPATIENT,
      slow: true,
    },
    {
      does: 'stalls in the headers',
      wire: () => ['HTTP/1.1 200 OK\r\nContent-Ty', { waitMs: LONG_MS }],
      page: retried('NETWORK_TIMEOUT'),
      api: IMPATIENT,
      slow: true,
    },
    {
      does: 'stalls in the body',
      wire: ({ body }) => [...under(lengthHeader(body.length), halfOf(body)), { waitMs: LONG_MS }],
      page: retried('NETWORK_TIMEOUT'),
      api: IMPATIENT,
      slow: true,
    },
    {
      does: 'sends the body so slowly that the time-out comes first',
      wire: ({ body }) => [
        head(200, lengthHeader(body.length)),
        ...body.split('').flatMap((letter) => [letter, { waitMs: 10 }]),
      ],
      page: retried('NETWORK_TIMEOUT'),
      api: IMPATIENT,
      slow: true,
    },
    {
      does: 'sends the answer one byte at a time',
      wire: ({ body }) =>
        Buffer.concat(whole(body) as Buffer[])
          .toString('latin1')
          .split(''),
      page: HARMLESS,
      slow: true,
    },
    {
      does: 'writes what is no HTTP',
      wire: () => ['What is this?\r\n\r\n', END],
      page: refused('NETWORK_PROTOCOL'),
    },
  ],
};
