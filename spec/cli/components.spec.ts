/** Parts of the user's own in the command: the bundle, and parts that the package as a library has made. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bytes, json } from '../support/answers';
import { startServer } from '../support/api-server';
import type { ReceivedRequest } from '../support/api-server';
import { needsBuild } from '../support/build';
import { runApart, runToEnd } from '../support/command';
import { closedInTheEnd } from '../support/opened';
import { signatureOf } from '../docs/show/hmac-signature';
import { createStore } from '../docs/show/webhook-sink';

needsBuild('components.js');
const COMMON = join(__dirname, '../docs/show/parts.cjs');
const MODULE = join(__dirname, '../docs/show/parts.mjs');
const SECRET = 'brown-trout';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'headwater-spec-'));
});
afterEach(() => rm(folder, { recursive: true }));

const written = async (name: string, content: string): Promise<string> => {
  const path = join(folder, name);
  await writeFile(path, content);
  return path;
};
const configuration = (baseUrl: string, sinks: readonly string[] = []) => ({
  api: {
    baseUrl,
    authentication: { type: 'hmac' },
    pagination: { method: 'marker', param: 'after' },
  },
  config: {
    keyId: 'k1',
    '#hmacSecret': SECRET,
    ...(sinks.length === 0 ? {} : { sinks }),
    jobs: [{ endpoint: 'rivers', params: { q: { function: 'slug', args: ['Mill Weir'] } } }],
  },
});

describe('--components', () => {
  const isSigned = ({ method, url, headers }: ReceivedRequest): boolean =>
    headers['x-signature'] === signatureOf('sha256', SECRET, method, url, String(headers['x-time']));
  const answer = (request: ReceivedRequest) => {
    if (!isSigned(request)) return json({}, 403);
    if (request.url === '/rivers?q=mill-weir') return bytes('[{"id": 1}, {"id": 9007199254740993}]');
    return request.url === '/rivers?q=mill-weir&after=9007199254740993' ? json([]) : json({}, 400);
  };

  it.each([COMMON, MODULE])('%s: a method, a signature, a function and a sink, in a run', async (path) => {
    const server = await startServer(answer);
    const { listener, visible } = createStore();
    const store = createServer(listener).listen(0, '127.0.0.1');
    closedInTheEnd(() => store.close());
    await once(store, 'listening');
    const sink = `webhook:http://127.0.0.1:${(store.address() as AddressInfo).port}`;
    process.env['WEBHOOK_FOLDER'] = join(folder, 'journal');
    const config = await written('config.json', JSON.stringify(configuration(server.origin, [sink])));
    const run = ['run', config, '--components', path];
    const { status, stderr } = await runToEnd(run);
    delete process.env['WEBHOOK_FOLDER'];
    expect(stderr).toContain('rivers: 2 rows');
    expect(status).toBe(0);
    expect(visible('rivers')).toEqual([{ id: 1 }, { id: 9007199254740993n }]);
    expect(stderr).not.toContain(SECRET);
    const timed = stderr.match(/^timing: GET in \d+ ms$/gm) ?? [];
    expect(timed).toHaveLength(path === MODULE ? 2 : 0);
    await server.close();
  });

  it('validates what the parts say, and addresses of their sinks', async () => {
    const valid = JSON.stringify(configuration('https://api.example', ['webhook:http://127.0.0.1:1']));
    const given = ['validate', '-', '--components', COMMON];
    expect(await runToEnd(given, valid)).toEqual({
      status: 0,
      stdout: 'The configuration is valid: 1 job.\n',
      stderr: '',
    });
    const wrong = valid
      .replace('"after"', '""')
      .replace('"hmac"', '"hmac","algorithm":"sha265"')
      .replace('slug', 'slg');
    const { status, stderr } = await runToEnd(given, wrong);
    expect(stderr).toContain('did you mean "sha256"?');
    expect(stderr).toContain('api.pagination.param: required: the name of the parameter that carries the key');
    expect(status).toBe(1);
    expect((await runToEnd(['validate', '-'], valid)).stderr).toContain('api.pagination.method: expected one of');
  });

  it('is never a key of a configuration', async () => {
    const loaded = await written('loaded.cjs', 'process.stderr.write("LOADED\\n");');
    const jobs = [{ endpoint: 'a', components: [loaded] }];
    const base = { api: { baseUrl: 'https://a.example', components: [loaded] }, components: [loaded] };
    const { stderr } = await runToEnd(['validate', '--lenient', '-'], JSON.stringify({ ...base, config: { jobs } }));
    expect(stderr.split('\n')).toEqual(
      expect.arrayContaining(
        ['components', 'api.components', 'config.jobs[0].components'].map(
          (place) =>
            expect.stringMatching(`^warning: ${place.replace(/[[\]]/g, '\\$&')}: has no effect: unknown key`) as string,
        ),
      ),
    );
    expect(stderr).not.toContain('LOADED');
  });

  it('runs what is incomplete again with the same parts, as the log says', async () => {
    const server = await startServer(() => json([{ id: 1 }], 200));
    const broken = await written(
      'broken.cjs',
      `const { defineMiddleware } = require(${JSON.stringify(needsBuild('components.js'))});
let sent = 0;
exports.broken = defineMiddleware({
  name: 'broken', summary: 'Fails.', around: 'attempt',
  middleware: (send) => (request) => { if (sent++ > 0) throw new TypeError('it is broken'); return send(request); },
});`,
    );
    const config = { api: { baseUrl: server.origin }, config: { jobs: [{ endpoint: 'a' }, { endpoint: 'b' }] } };
    const path = await written('config.json', JSON.stringify(config));
    const to = `ndjson:${join(folder, 'out')}`;
    const { status, stderr } = await runToEnd(['run', path, '--components', broken, '--to', to]);
    expect(stderr).toContain('Program error: PartError: middleware "broken": middleware(…) threw: it is broken');
    expect(stderr).toContain(`headwater run ${path} --to ${to} --components ${broken} --resume`);
    expect(status).toBe(2);
    await server.close();
  });

  it.each<[string, string, string]>([
    ['throws.cjs', 'throw new Error("no key");', 'cannot be loaded. Error: no key'],
    ['word.cjs', 'throw "no key";', 'cannot be loaded. It throws: no key'],
    ['syntax.mjs', 'export default [', 'cannot be loaded. SyntaxError: '],
    [
      'imports.mjs',
      'import "nowhere-at-all";',
      "cannot be loaded. Error [ERR_MODULE_NOT_FOUND]: Cannot find package 'nowhere-at-all'",
    ],
    ['nothing.cjs', '', 'exports no part. Export what defineFunction and the like of headwater/components give.'],
    ['helpers.mjs', 'export const help = () => 1; export default { a: 1 };', 'exports no part.'],
    ['kind.cjs', 'exports.part = { kind: "paginator" };', 'cannot be used: expected a definition whose kind is one of'],
    ['array.mjs', 'export const parts = [1];', 'cannot be used: expected a definition, as definePagination'],
    [
      'lacks.cjs',
      'module.exports = { kind: "function", name: "f" };',
      'cannot be used: the function "f" lacks "arguments"',
    ],
  ])('%s is refused with a sentence', async (name, content, message) => {
    const path = await written(name, content);
    const { status, stdout, stderr } = await runApart(['explain', '--components', path]);
    expect(stderr).toContain(`--components: ${path} ${message}`);
    expect(stderr).not.toContain('Program error');
    expect([status, stdout]).toEqual([1, '']);
  });

  it.each([
    ['words.cjs', '\nthis is none', "Unexpected identifier 'is' (", 'words.cjs:2)'],
    ['line.cjs', '\nthrow new Error("no key");', 'Error: no key (', 'line.cjs:2:7)'],
    [
      'parts.foo',
      '',
      'Unknown file extension',
      'Name a JavaScript module (.js, .cjs, .mjs): TypeScript is compiled first.',
    ],
  ])('%s is refused with its line, or what to do', async (name, content, reason, more) => {
    const { status, stderr } = await runApart(['explain', '--components', await written(name, content)]);
    expect(stderr).toContain(reason);
    expect(stderr).toContain(more);
    expect(status).toBe(1);
  });

  it('names a file that is not there, or is no file', async () => {
    const nowhere = await runToEnd(['explain', '--components', join(folder, 'x.cjs')]);
    expect(nowhere).toMatchObject({ status: 1, stderr: expect.stringContaining('there is no such file.') as string });
    const noFile = await runToEnd(['explain', '--components', folder]);
    expect(noFile).toMatchObject({ status: 1, stderr: expect.stringContaining('it is no file.') as string });
  });

  it('finds parts in several modules, and names that are taken', async () => {
    const both = await runToEnd(['explain', '--components', COMMON, '--components', MODULE]);
    expect(both.stderr).toContain(`--components: ${MODULE} cannot be used: the name "marker" is taken`);
    expect(both.status).toBe(1);
  });
});
