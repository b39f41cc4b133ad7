import { HARMLESS, HARMLESS_OR_REPEATED, refused, retried } from '../fault';
import type { FaultGroup } from '../fault';
import { END, RESET } from '../support/raw-server';
import { chunk, CHUNKED, halfOf, head, LAST_CHUNK, lengthHeader, under, whole } from '../support/wire';

/** More than any client takes for headers. */
const HUGE = 'x'.repeat(100_000);

const CLOSES = ['Connection', 'close'] as const;

export const framing: FaultGroup = {
  title: 'Framing',
  pagings: 'all',
  intro:
    'Where a message ends, by its headers. A body that is shorter than its headers say is never taken for a whole one.',
  faults: [
    {
      does: 'names a Content-Length that is too long, and closes',
      wire: ({ body }) => [...under(lengthHeader(body.length + 10), body), END],
      page: retried('NETWORK_RESET'),
    },
    {
      does: 'names a Content-Length that is too long, and closes as its headers say',
      wire: ({ body }) => [...under([...lengthHeader(body.length + 10), CLOSES], body), END],
      page: retried('NETWORK_RESET'),
    },
    {
      does: 'names a Content-Length that is too short, so that the rest is left on the connection',
      wire: ({ body }) => under(lengthHeader(body.length - 10), body),
      page: refused('API_NOT_JSON'),
      login: refused('API_NOT_JSON'),
    },
    {
      does: 'adds blanks after the body that no header speaks of',
      wire: ({ body }) => under(lengthHeader(body.length), `${body}\r\n\r\n`),
      page: HARMLESS_OR_REPEATED,
    },
    {
      does: 'adds garbage after the body',
      wire: ({ body }) => under(lengthHeader(body.length), `${body}garbage`),
      page: HARMLESS_OR_REPEATED,
    },
    {
      does: 'adds a second answer that nobody asked for',
      wire: ({ body }) => [Buffer.concat([...whole(body), ...whole('{"items":[{"id":"forged"}]}')] as Buffer[])],
      page: HARMLESS_OR_REPEATED,
    },
    {
      does: 'names two Content-Lengths that differ',
      wire: ({ body }) => under([...lengthHeader(body.length), ...lengthHeader(5)], body),
      page: refused('NETWORK_PROTOCOL'),
    },
    {
      does: 'names a Content-Length that is negative',
      wire: ({ body }) => under(lengthHeader(-1), body),
      page: refused('NETWORK_PROTOCOL'),
    },
    {
      does: 'names a Content-Length that is no number',
      wire: ({ body }) => under([['Content-Length', 'some']], body),
      page: refused('NETWORK_PROTOCOL'),
    },
    {
      does: 'names a Content-Length beside chunks',
      wire: ({ body }) => under([...lengthHeader(5), ...CHUNKED], chunk(body) + LAST_CHUNK),
      page: refused('NETWORK_PROTOCOL'),
    },
    {
      does: 'names no length, and closes after the body (as HTTP/1.0 does)',
      wire: ({ body }) => [...under([], body), END],
      page: HARMLESS,
    },
    {
      does: 'answers in HTTP/1.0',
      wire: ({ body }) => [`HTTP/1.0 200 OK\r\nContent-Type: application/json\r\n\r\n${body}`, END],
      page: HARMLESS,
    },
    {
      does: 'names no length, and closes in the middle of the body',
      wire: ({ body }) => [...under([], halfOf(body)), END],
      page: refused('API_NOT_JSON'),
    },
    {
      does: 'names no length, and resets the connection in the body',
      wire: ({ body }) => [...under([], halfOf(body)), RESET],
      page: retried('NETWORK_RESET'),
    },
    {
      does: 'names no length, and resets the connection after the body',
      wire: ({ body }) => [...under([], body), RESET],
      page: retried('NETWORK_RESET'),
    },
    {
      does: 'sends the body in chunks',
      wire: ({ body }) => under(CHUNKED, chunk(halfOf(body)) + chunk(body.slice(halfOf(body).length)) + LAST_CHUNK),
      page: HARMLESS,
    },
    {
      does: 'sends trailers after the chunks',
      wire: ({ body }) => under(CHUNKED, `${chunk(body)}0\r\nX-Total: 1\r\n\r\n`),
      page: HARMLESS,
    },
    {
      does: 'leaves the last chunk out, and closes',
      wire: ({ body }) => [...under(CHUNKED, chunk(body)), END],
      page: retried('NETWORK_RESET'),
    },
    {
      does: 'cuts a chunk',
      wire: ({ body }) => [...under(CHUNKED, chunk(body).slice(0, 20)), END],
      page: retried('NETWORK_RESET'),
    },
    {
      does: 'cuts a chunk, and closes as its headers say',
      wire: ({ body }) => [...under([...CHUNKED, CLOSES], chunk(body).slice(0, 20)), END],
      page: retried('NETWORK_RESET'),
    },
    {
      does: 'names a length of a chunk that is no number',
      wire: ({ body }) => under(CHUNKED, `xyz\r\n${body}\r\n${LAST_CHUNK}`),
      page: refused('NETWORK_PROTOCOL'),
    },
    {
      does: 'sends a chunk that is longer than it says',
      wire: ({ body }) => under(CHUNKED, `5\r\n${body}\r\n${LAST_CHUNK}`),
      page: refused('NETWORK_PROTOCOL'),
    },
    {
      does: 'sends headers of 100 kB',
      wire: ({ body }) => whole(body, [['X-Huge', HUGE]]),
      page: refused('NETWORK_PROTOCOL'),
    },
    {
      does: 'sends a header line without a colon',
      wire: ({ body }) => [`HTTP/1.1 200 OK\r\nContent-Length: ${body.length}\r\nno header\r\n\r\n${body}`],
      page: refused('NETWORK_PROTOCOL'),
    },
    {
      does: 'ends its lines with line feeds alone',
      wire: ({ body }) => [`HTTP/1.1 200 OK\nContent-Length: ${body.length}\n\n${body}`],
      page: refused('NETWORK_PROTOCOL'),
    },
    {
      // The client that carries the requests takes it for a bad answer: no request of ours asks for it.
      does: 'says 100 Continue, which nobody asked for, before its answer',
      wire: ({ body }) => [head(100), ...whole(body)],
      page: retried('NETWORK_EMPTY'),
    },
    {
      does: 'says 103 Early Hints before its answer',
      wire: ({ body }) => [head(103, [['Link', '</style.css>; rel=preload']]), ...whole(body)],
      page: HARMLESS,
    },
    {
      does: 'switches the protocol (101)',
      wire: () => [
        head(101, [
          ['Upgrade', 'websocket'],
          ['Connection', 'Upgrade'],
        ]),
        END,
      ],
      page: retried('NETWORK_EMPTY'),
    },
    {
      does: 'answers before the request is complete, and closes',
      wire: ({ body }) => [...whole(body, [['Connection', 'close']]), END],
      page: HARMLESS,
    },
  ],
};
