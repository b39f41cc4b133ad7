/** The API of one cell, on a port of its own: it answers as the case says, and keeps what it was asked. */
import { createServer } from 'node:http';

/** Sent with each request, and of no interest unless another value stands there. */
const USUAL = {
  accept: 'application/json, */*;q=0.8',
  'accept-encoding': 'gzip, deflate, br',
  connection: 'keep-alive',
};
const LEFT_OUT = ['host', 'content-length', 'transfer-encoding'];

/** Long enough for the pages before to be safe: those are written 10 ms after they came, at the latest. */
const BEFORE_KILL_MS = 800;

const headersOf = (headers) =>
  Object.fromEntries(
    Object.entries(headers).filter(
      ([name, value]) =>
        !LEFT_OUT.includes(name) &&
        USUAL[name] !== value &&
        !(name === 'user-agent' && /^headwater\/[\d.]+$/.test(value)),
    ),
  );

const bodyOf = async (request) => {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  return Buffer.concat(chunks).toString('utf8');
};

/** One line where there is nothing but an address, so that long lists can be read. */
const entryOf = (request, body) => {
  const line = `${request.method} ${request.url}`;
  const headers = headersOf(request.headers);
  if (Object.keys(headers).length === 0 && body === '') return line;
  return { request: line, ...(Object.keys(headers).length > 0 && { headers }), ...(body !== '' && { body }) };
};

const send = (response, answer) => {
  if (answer.silence) return;
  if (answer.reset) return void response.destroy();
  if (answer.unfinished) {
    // By hand: the server of Node.js would give the body chunks.
    const { socket } = response;
    socket.write(`HTTP/1.1 200 OK\r\ncontent-type: ${answer.type}\r\nconnection: close\r\n\r\n${answer.body}`, () => {
      // The client has to have read the bytes: a reset overtakes what waits in the socket.
      setTimeout(() => (answer.unfinished === 'reset' ? socket.resetAndDestroy() : socket.end()), 200);
    });
    return;
  }
  response.writeHead(answer.status, answer.headers);
  response.end(answer.body);
};

/**
 * `answer` of a case gets `{ method, path, query, headers, body, nth, run, origin, memory }`: `nth` is the number of this
 * request in its run, `memory` an object that lasts as long as the cell.
 */
export const startApi = async ({ answer }) => {
  const memory = {};
  let run = 0;
  let requests = [];
  let kill = { at: Infinity, now: () => {} };
  let origin = '';

  const server = createServer(async (request, response) => {
    const url = new URL(request.url, origin);
    const body = await bodyOf(request).catch(() => '');
    requests.push(entryOf(request, body));
    const nth = requests.length;
    if (nth >= kill.at) {
      if (nth === kill.at) setTimeout(kill.now, BEFORE_KILL_MS);
      return;
    }
    const { method, headers } = request;
    const query = Object.fromEntries(url.searchParams);
    send(response, answer({ method, path: url.pathname, query, headers, body, nth, run, origin, memory }));
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address();
  origin = `http://127.0.0.1:${port}`;

  return {
    origin,
    port,
    memory,
    /** Begins the next run; `killAt` is the number of the request at which `now` is called. */
    begin: (index, killAt = Infinity, now = () => {}) => {
      run = index;
      requests = [];
      kill = { at: killAt, now };
    },
    requests: () => requests,
    stop: () =>
      new Promise((resolve) => {
        server.close(resolve);
        server.closeAllConnections();
      }),
  };
};
