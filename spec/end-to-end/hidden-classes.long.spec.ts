// Takes minutes, and begins first (scripts/jest/sequencer.cjs).
/** No request makes V8 give an object a hidden class of its own (docs/decisions/responses-and-pages.md#objects-of-a-request). */
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';

const LIBRARY = resolve(__dirname, '../../dist/index.js');
const PAGES = [200, 1200] as const;

describe('hidden classes', () => {
  let server: Server;
  let baseUrl: string;
  let pages: number;
  beforeAll(async () => {
    server = createServer(({ url = '' }, response) => {
      const { pathname, searchParams } = new URL(url, 'http://api');
      const at = Number(searchParams.get('page') ?? Number(searchParams.get('offset') ?? 0) / 2 + 1);
      const ids =
        pathname === '/ids' ? pages : pathname.startsWith('/below') || pathname === '/tokens' ? 1 : at > pages ? 0 : 2;
      const items = Array.from({ length: ids }, (_, id) => ({ id: at * 2 + id, name: `n${id}`, tags: ['a'] }));
      const next = pathname === '/tokens' ? { next: at < pages ? at + 1 : null } : {};
      response.setHeader('content-type', 'application/json').end(JSON.stringify({ items, ...next }));
    }).listen(0, '127.0.0.1');
    await new Promise((ready) => server.once('listening', ready));
    baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  });
  afterAll(() => new Promise((closed) => server.close(closed).closeAllConnections()));

  /** Returns how many hidden classes a run of its own process has made. */
  const classesIn = async (number: number, api: object, job: object, to: string | undefined): Promise<number> => {
    pages = number;
    const folder = await mkdtemp(join(tmpdir(), 'headwater-classes-'));
    const config = { api: { baseUrl, ...api }, config: { jobs: [{ endpoint: 'items', dataField: 'items', ...job }] } };
    const run =
      to === undefined
        ? `extract(config).items$.subscribe({ error: fail });`
        : `deliver(config, [sinks.${to}(${JSON.stringify(join(folder, 'out'))})]).catch(fail);`;
    const program = `
      const { extract, deliver, sinks } = require(${JSON.stringify(LIBRARY)});
      const fail = (error) => { console.error(error); process.exitCode = 1; };
      const config = ${JSON.stringify(config)};
      ${run}`;
    const log = join(folder, 'v8.log');
    await promisify(execFile)(process.execPath, [
      ...['--log-maps', `--logfile=${log}`, '--no-logfile-per-isolate', '-e', program],
    ]);
    const lines = (await readFile(log, 'utf8')).split('\n').filter((line) => /^map,(?:Transition|Normal)/.test(line));
    await rm(folder, { recursive: true });
    return lines.length;
  };

  const OFFSET = { pagination: { method: 'offset', limit: 2 } };
  const NEXT = { pagination: { method: 'response.param', responseParam: 'next', queryParam: 'page' } };
  const BELOW = { endpoint: 'below/{id}', dataField: '.', placeholders: { id: 'id' } };
  it.each<[string, object, object, string | undefined]>([
    ['pages by offset', OFFSET, {}, undefined],
    ['pages by a token', NEXT, { endpoint: 'tokens' }, undefined],
    ['several pages at once', { pagination: { ...OFFSET.pagination, parallel: 4 } }, {}, undefined],
    ['items that change', OFFSET, { compute: { x: { function: 'md5', args: ['a'] } } }, undefined],
    ['children', {}, { endpoint: 'ids', concurrency: 8, children: [BELOW] }, undefined],
    ['children into files of NDJSON', {}, { endpoint: 'ids', concurrency: 8, children: [BELOW] }, 'ndjson'],
    ['pages into files of CSV', OFFSET, {}, 'csv'],
  ])('are the same for each of the requests: %s', async (_, api, job, to) => {
    const [few, many] = PAGES;
    const [ofFew, ofMany] = [await classesIn(few, api, job, to), await classesIn(many, api, job, to)];
    expect((ofMany - ofFew) / (many - few)).toBeLessThan(0.5);
  });
});
