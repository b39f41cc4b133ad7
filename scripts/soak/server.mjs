// The API of a soak, in a process of its own: node scripts/soak/server.mjs, started by main.mjs.
//
// One request in a hundred fails, once: a connection that is reset, a body that is cut, 503 and 429 with a Retry-After in
// the past, so that no pause adds up, and 401. Which of them is a matter of their addresses, so every run meets the same.
// Tokens die after a few seconds, and every fifth long before its time.
import { createServer } from 'node:http';
import { CHILDREN, hasSecondPage, ITEMS_PER_PAGE, PARENTS_PER_PAGE, shapeOf } from './shape.mjs';

const TOKEN_SECONDS = 5;
const SHORT_SECONDS = 2;
/** In 10,000 requests. The first two cost a pause of a second each. */
const FAULTS = [
  ['reset', 8],
  ['cut', 7],
  ['503', 41],
  ['429', 41],
  ['401', 3],
];
const IN_THE_PAST = 'Thu, 01 Jan 2015 00:00:00 GMT';

let lists = new Map();
let children = new Map();
let counts = {};
/** Requests that have failed and were not repeated yet. */
const failed = new Set();
const tokens = new Map();
const sockets = new Set();
let issued = 0;
let salt = 0;

function begin({ requests, run }) {
  const { flat, trees } = shapeOf(requests);
  const listOf = (perPage) => (job) => [`/${job.name}`, { ...job, perPage }];
  lists = new Map([...flat.map(listOf(ITEMS_PER_PAGE)), ...trees.map(listOf(PARENTS_PER_PAGE))]);
  children = new Map(trees.map((job) => [job.name, job]));
  counts = { requests: 0, logins: 0, dead: 0, reset: 0, cut: 0, 503: 0, 429: 0, 401: 0 };
  salt = run;
  failed.clear();
}

const server = createServer((request, response) => {
  counts.requests += 1;
  const { url } = request;
  if (url === '/login') return login(response);
  const expiry = tokens.get(request.headers['x-token']);
  if (expiry === undefined || expiry <= Date.now()) {
    counts.dead += 1;
    // A request is repeated once after a 401: it must not meet another one that has nothing to do with its token.
    if (kindOf(url) === '401') failed.add(url);
    return refuse(response, 401);
  }
  const fault = faultOf(url);
  const body = bodyOf(url);
  if (body === undefined) return refuse(response, 404);
  if (fault === undefined) return answer(response, body);
  counts[fault] += 1;
  if (fault === 'reset') return response.socket.resetAndDestroy();
  if (fault !== 'cut') return refuse(response, Number(fault));
  response.writeHead(200, { 'content-length': body.length });
  response.write(body.slice(0, body.length >> 1), () => response.socket.destroy());
});

function login(response) {
  counts.logins += 1;
  const now = Date.now();
  for (const [token, expiry] of tokens) if (expiry <= now) tokens.delete(token);
  const token = `token-${(issued += 1)}`;
  tokens.set(token, now + (issued % 5 === 0 ? SHORT_SECONDS : TOKEN_SECONDS) * 1000);
  answer(response, JSON.stringify({ token, expires_in: TOKEN_SECONDS }));
}

/** Each address fails at most once, so that what the client repeats arrives. */
function faultOf(url) {
  const fault = kindOf(url);
  if (fault === undefined || failed.delete(url)) return undefined;
  failed.add(url);
  return fault;
}

function kindOf(url) {
  let dice = hashOf(url) % 10_000;
  return FAULTS.find(([, share]) => (dice -= share) < 0)?.[0];
}

/** FNV-1a, and a run of its own has faults of its own. */
function hashOf(url) {
  let hash = 0x811c9dc5 ^ salt;
  for (let at = 0; at < url.length; at += 1) hash = Math.imul(hash ^ url.charCodeAt(at), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d);
  return (hash ^ (hash >>> 13)) >>> 0;
}

function bodyOf(url) {
  const [path, query] = url.split('?', 2);
  const page = query === undefined ? 0 : Number(query.slice('page='.length));
  const list = lists.get(path);
  if (list !== undefined) return listPage(path, list, page);
  const [, name, parent] = path.split('/');
  const tree = children.get(name);
  return tree === undefined ? undefined : childPage(path, tree, Number(parent) - tree.first, page);
}

function listPage(path, { first, pages, perPage }, page) {
  const items = Array.from({ length: perPage }, (_, at) => ({ id: first + page * perPage + at, name: `item ${at}` }));
  return pageOf(items, page + 1 < pages ? `${path}?page=${page + 1}` : null);
}

function childPage(path, { firstChild }, parent, page) {
  const first = firstChild + parent * (CHILDREN[0] + CHILDREN[1]) + (page === 0 ? 0 : CHILDREN[0]);
  const items = Array.from({ length: CHILDREN[page] }, (_, at) => ({ id: first + at }));
  return pageOf(items, page === 0 && hasSecondPage(parent) ? `${path}?page=1` : null);
}

const pageOf = (items, next) => JSON.stringify({ items, next });

function answer(response, body) {
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': body.length }).end(body);
}

function refuse(response, status) {
  response.writeHead(status, { 'retry-after': IN_THE_PAST, 'content-length': 0 }).end();
}

server.on('connection', (socket) => {
  sockets.add(socket);
  socket.on('close', () => sockets.delete(socket));
  socket.on('error', () => undefined);
});
server.keepAliveTimeout = 120_000;
server.listen(0, '127.0.0.1', () => process.send({ port: server.address().port }));
process.on('message', (message) => {
  if (message.begin !== undefined) begin(message.begin);
  process.send({ counts, openConnections: sockets.size, unrepeated: failed.size });
});
process.on('disconnect', () => process.exit());
