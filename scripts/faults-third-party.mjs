// node scripts/faults-third-party.mjs PATH_OF_TOXIPROXY: runs through toxiproxy with each of its faults. Every item must arrive
// exactly once, or the run must end with an error that has a code.
import { spawn } from 'node:child_process';
import { createServer } from 'node:http';
import { createServer as createListener } from 'node:net';
import { createRequire } from 'node:module';
import { once } from 'node:events';
import { setTimeout as wait } from 'node:timers/promises';

const { extract, HeadwaterError } = createRequire(import.meta.url)('../dist/index.js');

const PAGES = 20;
const PAGE_SIZE = 50;
const LIMIT_MS = 60_000;

/** What toxiproxy calls toxics, by our names; `toxicity` is the share of connections that get them. */
const ROWS = [
  ['no fault', []],
  ['latency of 50 ms, more or less', [{ type: 'latency', attributes: { latency: 50, jitter: 50 } }]],
  ['latency beyond the time-out', [{ type: 'latency', attributes: { latency: 5000 } }]],
  ['a narrow line', [{ type: 'bandwidth', attributes: { rate: 100 } }]],
  ['pieces of 100 bytes', [{ type: 'slicer', attributes: { average_size: 100, size_variation: 50, delay: 200 } }]],
  ['connections that close slowly', [{ type: 'slow_close', attributes: { delay: 500 } }]],
  ['connections that end after 300 ms, without a word', [{ type: 'timeout', attributes: { timeout: 300 } }]],
  ['one connection in two that ends so', [{ type: 'timeout', toxicity: 0.5, attributes: { timeout: 300 } }]],
  ['a reset of every connection', [{ type: 'reset_peer', attributes: { timeout: 20 } }]],
  ['a reset of one connection in two', [{ type: 'reset_peer', toxicity: 0.5, attributes: { timeout: 20 } }]],
  ['connections that end after 10,000 bytes', [{ type: 'limit_data', attributes: { bytes: 10_000 } }]],
  ['connections that end after 1,000 bytes', [{ type: 'limit_data', attributes: { bytes: 1000 } }]],
  ['requests that are cut after 100 bytes', [{ type: 'limit_data', stream: 'upstream', attributes: { bytes: 100 } }]],
];

async function startApi() {
  const server = createServer((request, response) => {
    const offset = Number(new URL(request.url, 'http://localhost').searchParams.get('offset') ?? 0);
    const count = Math.max(0, Math.min(PAGE_SIZE, PAGES * PAGE_SIZE - offset));
    const items = Array.from({ length: count }, (_, at) => ({ id: offset + at, name: `item ${offset + at}` }));
    const body = JSON.stringify({ items });
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': body.length }).end(body);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return server;
}

async function freePort() {
  const listener = createListener();
  await once(listener.listen(0, '127.0.0.1'), 'listening');
  const { port } = listener.address();
  listener.close();
  await once(listener, 'close');
  return port;
}

async function startToxiproxy(path) {
  const port = await freePort();
  const child = spawn(path, ['-host', '127.0.0.1', '-port', String(port)], { stdio: 'ignore' });
  const call = async (method, place, body) => {
    const answer = await fetch(`http://127.0.0.1:${port}${place}`, { method, body: body && JSON.stringify(body) });
    if (!answer.ok) throw new Error(`toxiproxy: ${answer.status} ${await answer.text()}`);
  };
  for (let tries = 100; ; tries -= 1) {
    try {
      await call('GET', '/version');
      break;
    } catch (error) {
      if (tries === 0) throw error;
      await wait(100);
    }
  }
  return { call, close: () => child.kill() };
}

/** A run through a proxy of its own with these toxics. */
async function runThrough(toxiproxy, upstream, toxics) {
  const listen = `127.0.0.1:${await freePort()}`;
  await toxiproxy.call('POST', '/proxies', { name: 'api', listen, upstream, enabled: true });
  for (const toxic of toxics) await toxiproxy.call('POST', '/proxies/api/toxics', { stream: 'downstream', ...toxic });
  let retries = 0;
  const ids = [];
  const extraction = extract(
    {
      api: {
        baseUrl: `http://${listen}`,
        pagination: { method: 'offset', limit: PAGE_SIZE },
        retryConfig: { maxRetries: 3 },
        http: { requestTimeout: 3 },
      },
      config: { jobs: [{ endpoint: 'items', dataField: 'items' }] },
    },
    {
      ownConnections: true,
      signal: AbortSignal.timeout(LIMIT_MS),
      onEvent: ({ type }) => (retries += type === 'retry.scheduled' ? 1 : 0),
    },
  );
  try {
    for await (const { id } of extraction) ids.push(id);
    return { ids, retries, end: 'all items', isNamed: ids.length === PAGES * PAGE_SIZE };
  } catch (error) {
    return { ids, retries, end: error.code ?? String(error), isNamed: error instanceof HeadwaterError };
  } finally {
    await toxiproxy.call('DELETE', '/proxies/api');
  }
}

const api = await startApi();
const toxiproxy = await startToxiproxy(process.argv[2]);
let wrong = 0;
try {
  for (const [fault, toxics] of ROWS) {
    const startedAt = performance.now();
    const { ids, retries, end, isNamed } = await runThrough(toxiproxy, `127.0.0.1:${api.address().port}`, toxics);
    const isRight = isNamed && ids.every((id, at) => id === at);
    if (!isRight) wrong += 1;
    const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
    console.log(
      `${isRight ? 'right' : 'WRONG'}  ${fault.padEnd(52)} ${String(ids.length).padStart(5)} items  ${retries} retries  ${seconds.padStart(5)} s  ${end}`,
    );
  }
} finally {
  toxiproxy.close();
  api.close();
  api.closeAllConnections();
}
console.log(wrong === 0 ? 'Every run was right.' : `${wrong} runs were wrong.`);
process.exitCode = wrong === 0 ? 0 : 1;
