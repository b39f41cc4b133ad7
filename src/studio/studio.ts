/** The server of a page on this machine, where a configuration is written, tried and run, and its data shown. */
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { interval, startWith } from 'rxjs';
import { HeadwaterError, stringifyJson } from '..';
import type { EnvironmentOptions, Json, Part, ProxyVariables } from '..';
import { createCalls } from './calls';
import type { Calls } from './calls';
import type { WatchedCluster, Runs } from './runs';
import {
  createToken,
  refusalOfCall,
  refusalOfPage,
  RefusedRequest,
  bodyOf,
  createNonce,
  headersWith,
  reply,
} from './replies';
import { NOTHING_SEEN } from './timeline';
import type { StudioEvents } from './wire';

export interface StudioOptions extends EnvironmentOptions {
  /** The file of the configuration: the only one that is read or written; it may not exist yet. */
  readonly path: string;
  /** The folder with the files of the page. */
  readonly page: string;
  /** The file of the program that runs a query: what the build makes of `query-process.ts`. */
  readonly queries: string;
  /** The port on 127.0.0.1; 0: any free port. */
  readonly port?: number;
  readonly lenient?: boolean;
  readonly components?: readonly Part[];
  /** Replaces the network, for specs. */
  readonly fetch?: typeof globalThis.fetch;
  /** As in `extract`. */
  readonly proxies?: ProxyVariables;
  /** A cluster whose runs are shown; absent: none is. */
  readonly cluster?: WatchedCluster;
}

/** An open studio. */
export interface Studio {
  /** The address to open. Its token is after `#`, which browsers do not send. */
  readonly url: string;
  /** Cancels the current run, and closes the studio. */
  readonly close: () => Promise<void>;
}

/** Each takes a file descriptor of this process, which runs need as well. */
const MOST_CONNECTIONS = 256;
const JSON_TYPE = 'application/json; charset=utf-8';

/**
 * Opens a studio on 127.0.0.1.
 *
 * @example const { url, close } = await openStudio({ path: 'rivers.json', page: 'dist/studio', queries: 'dist/cli/query-process.js' });
 */
export async function openStudio(options: StudioOptions): Promise<Studio> {
  const { page, port = 0, lenient = false, components = [] } = options;
  const token = createToken();
  const calls = createCalls({ ...options, lenient, components });
  const server = createServer({ maxHeaderSize: 16_384, requestTimeout: 30_000 }, (request, response) => {
    const own = (server.address() as AddressInfo).port;
    // The path is literal: nothing is resolved in it.
    const [pathname = '/'] = (request.url ?? '/').split('?');
    const isCall = pathname.startsWith('/api/');
    const refusal = isCall ? refusalOfCall(request, own, token) : refusalOfPage(request, own);
    if (refusal !== undefined) {
      reply(response, refusal.status, JSON_TYPE, JSON.stringify({ error: { code: 'REFUSED', ...refusal } }));
      return;
    }
    const answered = isCall
      ? answer(pathname.slice('/api/'.length), request, response, calls)
      : give(page, pathname, response);
    void answered.catch((error: unknown) => fail(response, calls, error));
  });
  server.maxConnections = MOST_CONNECTIONS;
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/#${token}`,
    close: async () => {
      calls.runs.cancel();
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

async function give(page: string, pathname: string, response: ServerResponse): Promise<void> {
  const nonce = createNonce();
  const file = await staticFile(page, pathname, nonce);
  if (file === undefined) throw new RefusedRequest(404, 'NOT_FOUND', 'There is no such page.');
  reply(response, 200, file.type, file.content, nonce);
}

async function answer(name: string, request: IncomingMessage, response: ServerResponse, calls: Calls): Promise<void> {
  const given = await bodyOf(request, name);
  if (name === 'events') {
    response.writeHead(200, { ...headersWith(''), 'content-type': 'application/x-ndjson; charset=utf-8' });
    response.on(
      'close',
      sendEvents(response, calls.runs, (events) => textOf(calls, events)),
    );
    return;
  }
  const call = Object.hasOwn(calls.call, name) ? calls.call[name] : undefined;
  if (call === undefined) throw new RefusedRequest(404, 'NOT_FOUND', 'There is no such call.');
  const gone = new AbortController();
  response.on('close', () => gone.abort());
  const result: unknown = await call(given, gone.signal);
  reply(response, 200, JSON_TYPE, textOf(calls, result));
}

/** All data for the page pass here. */
const textOf = ({ mask: mask }: Calls, value: unknown): string => stringifyJson(mask.masked(value) as Json);

function fail(response: ServerResponse, calls: Calls, error: unknown): void {
  if (response.headersSent || response.destroyed) {
    response.destroy();
    return;
  }
  const body = (code: string, message: string, more = {}): string =>
    textOf(calls, { error: { code, message, ...more } });
  if (error instanceof RefusedRequest) {
    // The rest of such a body is not read.
    if (error.status === 413) response.setHeader('connection', 'close');
    reply(response, error.status, JSON_TYPE, body(error.code, error.message));
  } else if (error instanceof HeadwaterError) {
    reply(response, 422, JSON_TYPE, body(error.code, error.message, error.toJSON()));
  } else {
    process.stderr.write(`studio: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
    reply(response, 500, JSON_TYPE, body('DEFECT', 'The studio failed; its terminal says how.'));
  }
}

/** Milliseconds between two updates of a page about a run; it is never updated faster than it reads. */
const EVERY_MILLISECONDS = 100;
/** The number of quiet intervals after which something is sent, so that a page notices when the server has ended. */
const QUIET_TURNS = 50;

/**
 * Writes lines until the page is closed. While it does not read, nothing is buffered for it: it gets the sums later, and the number of
 * requests that were left out.
 *
 * @returns a function that ends it
 */
function sendEvents(response: ServerResponse, runs: Runs, write: (events: StudioEvents) => string): () => void {
  let number = -1;
  let seen = NOTHING_SEEN;
  let last = '';
  let quiet = 0;
  const subscription = interval(EVERY_MILLISECONDS)
    .pipe(startWith(0))
    .subscribe(() => {
      if (response.writableNeedDrain) return;
      const run = runs.current();
      if (run.number !== number) seen = NOTHING_SEEN;
      number = run.number;
      const timeline = runs.timeline();
      const { seen: next, ...fresh } = timeline.after(seen);
      seen = next;
      const events = { run, jobs: timeline.jobs(), ...fresh };
      const line = JSON.stringify(events);
      quiet = line === last ? quiet + 1 : 0;
      last = line;
      if (quiet % QUIET_TURNS !== 0) return;
      const at = run.startedAt === undefined ? 0 : (run.endedAt ?? Date.now()) - run.startedAt;
      response.write(`${write({ ...events, at })}\n`);
    });
  return () => subscription.unsubscribe();
}

/** The files of the page, which the build makes: a fixed list, so that no path leads elsewhere. */
const TYPES: Readonly<Record<string, string>> = {
  '/': 'text/html; charset=utf-8',
  '/studio.js': 'text/javascript; charset=utf-8',
  '/studio.css': 'text/css; charset=utf-8',
  '/icon.svg': 'image/svg+xml',
};
const NONCE = '{{nonce}}';

/** A file, and its content type. */
export interface StaticFile {
  readonly type: string;
  readonly content: Buffer | string;
}

/**
 * @param path the path of the address, without its query
 * @param nonce the nonce in the page, for the editor
 * @returns `undefined` for an unknown path
 * @example await staticFile(folder, '/studio.css', '')
 */
async function staticFile(folder: string, path: string, nonce: string): Promise<StaticFile | undefined> {
  const type = Object.hasOwn(TYPES, path) ? TYPES[path] : undefined;
  if (type === undefined) return undefined;
  const content = await readFile(join(folder, path === '/' ? 'index.html' : path.slice(1)));
  return { type, content: path === '/' ? content.toString('utf8').replaceAll(NONCE, nonce) : content };
}
