// A server in a process of its own that answers with prepared pages:
// node bench/page-server.mjs [--pages N] [--items N] [--last N] [--latency MS] [--ids N] [--total]
//
//   /items?offset=&limit=   pages of --items items, the last one of --last; then empty ones
//   /ids                    one page of --ids parents
//   /children/ID            one small item
//   /stats                  what has been asked since the start, or since the last message that began a run
//
// A parent process gets the port as the first message. {"begin": {…}} sets options and forgets the counts, "stats"
// asks for the counts. Options cannot make pages longer, nor more than were prepared.
import { createServer } from 'node:http';
import { parseArgs } from 'node:util';
import { itemsFrom, PREPARED } from './support/items.mjs';
import { requestLog } from './support/request-log.mjs';

const text = { type: 'string' };
const { values } = parseArgs({
  options: { pages: text, items: text, last: text, latency: text, ids: text, port: text, total: { type: 'boolean' } },
});
const perPage = Number(values.items ?? 1000);
let options = {
  pages: Number(values.pages ?? 1000),
  last: Number(values.last ?? perPage),
  latency: Number(values.latency ?? 0),
};
const count = (options.pages - 1) * perPage + options.last;
const total = values.total ? `"total":${count},` : '';
const wrapped = (items) => Buffer.from(`{${total}"items":${JSON.stringify(items)}}`);

const prepared = Array.from({ length: Math.min(options.pages, PREPARED) }, (_, page) =>
  wrapped(itemsFrom(page * perPage, perPage)),
);
const lastPage = wrapped(itemsFrom(((options.pages - 1) % PREPARED) * perPage, options.last));
const shortEnd = options.last < perPage;
const nothing = wrapped([]);
const ids = wrapped(Array.from({ length: Number(values.ids ?? 0) }, (_, id) => ({ id })));
let log = requestLog();

const server = createServer((request, response) => {
  const { url } = request;
  if (url.startsWith('/items')) {
    const page = offsetIn(url) / perPage;
    log.begin(response, page < options.pages ? 'page' : 'beyond');
    send(response, pageAt(page));
  } else if (url.startsWith('/children/')) {
    log.begin(response, 'child');
    send(response, Buffer.from(`{"parent":${Number(url.slice(10).split('?', 1)[0])},"value":"small"}`));
  } else if (url.startsWith('/ids')) {
    log.begin(response, 'parents');
    send(response, ids);
  } else if (url === '/stats') answer(response, Buffer.from(JSON.stringify(log.stats())));
  else response.writeHead(404, { 'content-length': 0 }).end();
});

function pageAt(page) {
  if (page >= options.pages) return nothing;
  return shortEnd && page === options.pages - 1 ? lastPage : prepared[page % PREPARED];
}

/** Some clients leave the parameter out on the first page. */
function offsetIn(url) {
  const at = url.indexOf('offset=');
  return at < 0 ? 0 : Number.parseInt(url.slice(at + 7), 10);
}

function send(response, body) {
  if (options.latency === 0) answer(response, body);
  else setTimeout(answer, options.latency, response, body);
}

function answer(response, body) {
  log.answered(response);
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': body.length }).end(body);
}

// Longer than any pause of a benchmark: no client shall meet a closed connection.
server.keepAliveTimeout = 120_000;
server.listen(Number(values.port ?? 0), '127.0.0.1', () => {
  const { port } = server.address();
  if (process.send) process.send(port);
  else console.log(`http://127.0.0.1:${port}/items?offset=0`);
});
process.on('message', (message) => {
  if (message !== 'stats') {
    options = { ...options, ...message.begin };
    log = requestLog();
  }
  process.send(log.stats());
});
process.on('disconnect', () => process.exit());
