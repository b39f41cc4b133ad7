/**
 * A small API to try Headwater on: it wants a login, cuts its data into pages and limits the rate of requests.
 *
 *     node examples/api/server.cjs --port 4010 --token let-me-in --log
 */
const { once } = require('node:events');
const { createServer } = require('node:http');
const { text } = require('node:stream/consumers');
const { URLSearchParams } = require('node:url');
const { parseArgs, promisify } = require('node:util');
const { createPages } = require('./pages.cjs');
const { createSessions } = require('./sessions.cjs');

/** JSON text with the digits of a bigint as they are. */
const jsonText = (value) =>
  JSON.stringify(value, (_key, field) => (typeof field === 'bigint' ? `bigint:${field}` : field)).replace(
    /"bigint:(\d+)"/g,
    '$1',
  );

/** The fields of a body, JSON or a form. */
const fieldsOf = (type, body) =>
  type?.startsWith('application/json') ? JSON.parse(body) : Object.fromEntries(new URLSearchParams(body));

/**
 * Starts the API on this machine.
 *
 * @param options.port 0 (the default) takes a free one
 * @param options.tokenSeconds how long a token lasts; default 3
 * @param options.token a token that works without a login and does not expire; default none
 * @param options.limitEvery every n-th request for data is answered with status 429; default 5, 0 for never
 * @param options.retryAfter the header of those answers; default `1`, a second
 * @param options.log takes a line for each request; default none
 * @returns its origin, what it has counted so far, how many connections are open, and how to stop it
 */
async function startServer(options = {}) {
  const { port = 0, tokenSeconds = 3, token, limitEvery = 5, retryAfter = '1', log = () => {} } = options;
  const sessions = createSessions(tokenSeconds, token);
  const pages = createPages();
  const stats = { logins: 0, requests: 0, pages: 0, refused: 0, limited: 0 };

  const login = async (request) => {
    stats.logins += 1;
    const answer = sessions.open(fieldsOf(request.headers['content-type'], await text(request)) ?? {});
    return answer === undefined
      ? { status: 401, body: { message: 'Unknown user or wrong password.' } }
      : { status: 200, body: answer };
  };

  const refusal = (request, url) => {
    if (sessions.allows(request.headers.authorization, url.searchParams.get('signature'))) return undefined;
    stats.refused += 1;
    return { status: 401, body: { message: 'No valid token: log in at POST /session.' } };
  };

  const newMeasurement = async (request) => ({
    status: 201,
    body: pages.addMeasurement(JSON.parse(await text(request))),
  });

  const page = (url) => {
    if (limitEvery > 0 && stats.requests % limitEvery === 0) {
      stats.limited += 1;
      return { status: 429, headers: { 'Retry-After': retryAfter }, body: { message: 'Too many requests.' } };
    }
    const body = pages.at(url);
    if (body === undefined) return { status: 404, body: { message: `There is no ${url.pathname}.` } };
    stats.pages += 1;
    return { status: 200, body };
  };

  const answerTo = (request, url) => {
    if (request.method === 'POST' && url.pathname === '/session') return login(request);
    if (request.method === 'POST' && url.pathname === '/v1/measurements')
      return refusal(request, url) ?? newMeasurement(request);
    if (request.method === 'GET' && url.pathname.startsWith('/v1/')) {
      stats.requests += 1;
      return refusal(request, url) ?? page(url);
    }
    return { status: 404, body: { message: `There is no ${request.method} ${url.pathname}.` } };
  };

  const server = createServer((request, response) => {
    const url = new URL(request.url, `http://${request.headers.host}`);
    Promise.resolve(answerTo(request, url))
      .catch((error) => ({ status: 400, body: { message: `The request cannot be read: ${error.message}` } }))
      .then(({ status, headers, body }) => {
        log(`${status} ${request.method} ${request.url}`);
        response.writeHead(status, { 'Content-Type': 'application/json', ...headers }).end(jsonText(body));
      });
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');

  const close = async () => {
    const closed = once(server, 'close');
    server.close();
    server.closeAllConnections();
    await closed;
  };
  const connections = promisify(server.getConnections.bind(server));
  return { origin: `http://127.0.0.1:${server.address().port}`, stats, connections, close };
}

async function main() {
  const options = { port: { type: 'string', default: '4010' }, token: { type: 'string' }, log: { type: 'boolean' } };
  const { port, token, log } = parseArgs({ options }).values;
  const { origin, close } = await startServer({ port: Number(port), token, log: log ? console.log : undefined });
  console.log(`The example API listens at ${origin}; Ctrl-C stops it.`);
  process.once('SIGINT', close).once('SIGTERM', close);
}

if (require.main === module)
  main().catch((error) => {
    console.error(error.message);
    process.exitCode = 1;
  });

module.exports = { startServer };
