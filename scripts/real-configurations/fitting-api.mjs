/** A loopback API whose responses fit a configuration: one item for each address that is asked, and then none. */
import { createServer } from 'node:http';
import { once } from 'node:events';
import { connect } from 'node:net';
import { Agent } from 'undici';

/**
 * Starts the API.
 *
 * @returns the dispatcher that leads every request here, whatever host and scheme it names; how many requests came; a
 *   function that says which configuration is served next; and one that stops the API
 */
export async function startFittingApi() {
  let answer = () => ({});
  let requests = 0;
  const server = createServer((request, response) => {
    requests += 1;
    request.resume();
    request.on('end', () => {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(JSON.stringify(answer(request.url)));
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address();
  const dispatcher = new Agent({
    connect: (_, done) => {
      const socket = connect(port, '127.0.0.1');
      socket.once('connect', () => done(null, socket));
      socket.once('error', (error) => done(error, null));
    },
  });
  return {
    dispatcher,
    requests: () => requests,
    serve: (configuration) => {
      requests = 0;
      answer = answersFor(configuration);
    },
    close: async () => {
      await dispatcher.destroy();
      server.closeAllConnections();
      server.close();
    },
  };
}

/** What to answer to each URL; the same path is answered with an item once, then without any. */
function answersFor(configuration) {
  const { api, config } = configuration.parameters ?? configuration;
  const jobs = listOf(config.jobs).flatMap(withChildren).map(responder(api.pagination));
  const login = lastText(api.authentication?.loginRequest?.endpoint);
  const isLogin = typeof login === 'string' ? pathTest(login) : () => false;
  const seen = new Set();
  return (url) => {
    const path = decoded(url.split('?', 1)[0]);
    if (isLogin(path)) return loginResponse(api.authentication);
    const job = jobs.find(({ matches }) => matches(path)) ?? UNKNOWN_JOB;
    const isFirst = !seen.has(path);
    seen.add(path);
    return job.respond(isFirst);
  };
}

/** The text itself, or the last one among the arguments of a function. */
const lastText = (value) =>
  typeof value === 'object' ? listOf(value?.args).findLast((argument) => typeof argument === 'string') : value;

const UNKNOWN_JOB = { respond: () => ({ items: [] }) };

const listOf = (value) => (Array.isArray(value) ? value : []);
const withChildren = (job) => [job, ...listOf(job.children).flatMap(withChildren)];
const decoded = (path) => {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
};

/** Whether a path ends as an endpoint does, with anything where it has placeholders. */
function pathTest(endpoint) {
  const [path] = endpoint.replace(/^https?:\/\/[^/]*/, '').split('?');
  const pattern = path
    .split(/\{[^{}]*\}/)
    .map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'))
    .join('[^/]*');
  const regex = new RegExp(`(^|/)${pattern.replace(/^\/+|\/+$/g, '')}/?$`);
  return (asked) => regex.test(decoded(asked)) || regex.test(asked);
}

/** How one job is answered: with one item that holds all that its children, filters and scrollers read. */
function responder(pagination) {
  const scrollers = [pagination, ...Object.values(pagination?.scrollers ?? {})].filter(Boolean);
  return (job) => ({
    matches: pathTest(String(job.endpoint)),
    respond: (isFirst) => {
      const item = itemFor(job, scrollers);
      const items = isFirst ? [item] : [];
      const path = typeof job.dataField === 'object' ? job.dataField?.path : job.dataField;
      const delimiter = job.dataField?.delimiter ?? '.';
      if (!path) return withNextPage({ items }, scrollers, isFirst);
      if (path === delimiter) return isFirst ? item : [];
      return withNextPage(put({}, path.split(delimiter), items), scrollers, isFirst);
    },
  });
}

function itemFor(job, scrollers) {
  const item = {};
  for (const child of listOf(job.children).flatMap(withChildren))
    for (const field of Object.values(child.placeholders ?? {}))
      put(item, String(field?.path ?? field).split('.'), '1');
  for (const { idKey } of scrollers) if (idKey) put(item, idKey.split('.'), 1);
  for (const path of [job.responseFilter ?? []].flat())
    put(item, path.replaceAll('[]', '.0').split(job.responseFilterDelimiter ?? '.'), { deep: [1] });
  return put(item, ['id'], '1');
}

/** The address or the parameter of a next page: on the first page only. */
function withNextPage(response, scrollers, isFirst) {
  if (!isFirst) return response;
  for (const { method, urlKey = 'next_page', delimiter = '.', responseParam } of scrollers) {
    if (String(method).endsWith('response.url')) put(response, urlKey.split(delimiter), '?page=2');
    if (method === 'response.param' && responseParam) put(response, responseParam.split('.'), 'p2');
  }
  return response;
}

/** All that the requests read of the login response. */
function loginResponse({ apiRequest = {}, expires }) {
  const response = {};
  for (const path of referencesIn([apiRequest.headers, apiRequest.query])) put(response, path.split('.'), 'token');
  if (expires?.response) put(response, expires.response.split('.'), expires.relative ? 3600 : '2100-01-01 00:00:00');
  return response;
}

function referencesIn(value) {
  if (typeof value === 'string') return [value];
  if (Array.isArray(value)) return value.flatMap((inner) => (typeof inner === 'object' ? referencesIn(inner) : []));
  if (typeof value !== 'object' || value === null) return [];
  if ('function' in value) return referencesIn(listOf(value.args));
  return typeof value.response === 'string' ? [value.response] : Object.values(value).flatMap(referencesIn);
}

/** Puts a value at a path where nothing stands yet; numbers in the path are indexes of lists. */
function put(target, [key, ...rest], value) {
  if (rest.length === 0) {
    target[key] ??= value;
    return target;
  }
  const inner = (target[key] ??= /^\d+$/.test(rest[0]) ? [] : {});
  if (typeof inner === 'object') put(inner, rest, value);
  return target;
}
