// A server in a process of its own that answers offset paging with prepared pages: node bench/page-server.mjs PAGES
import { createServer } from 'node:http';

const ITEMS = 1000;
const pages = Number(process.argv[2]);
const prepared = Array.from({ length: 20 }, (_, page) => JSON.stringify({ items: itemsOf(page) }));

/** Items of about 275 bytes with a list of three. */
function itemsOf(page) {
  return Array.from({ length: ITEMS }, (_, at) => ({
    id: page * ITEMS + at,
    name: `Gauge at kilometre ${at}`,
    river: 'The long river of the north',
    level: at / 7,
    active: at % 2 === 0,
    measured: '2021-06-16T09:30:15Z',
    note: 'Read by hand at noon, checked against the neighbours up and down',
    tags: ['alpha', 'beta', 'gamma'],
  }));
}

const server = createServer((request, response) => {
  const page = Number(new URL(request.url, 'http://localhost').searchParams.get('offset')) / ITEMS;
  const body = page < pages ? prepared[page % prepared.length] : '{"items":[]}';
  // A number of its own, or equal pages would end the paging.
  response.setHeader('content-type', 'application/json').end(body.replace('"id":', `"page":${page},"id":`));
});
server.listen(0, '127.0.0.1', () => process.send?.(server.address().port));
process.on('disconnect', () => process.exit());
