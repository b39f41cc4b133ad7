import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { initCommand } from '../../../src/cli/init-command';
import type { InitFlags } from '../../../src/cli/init-command';
import { importedFrom } from '../../../src/cli/init/source';
import { json } from '../../support/answers';
import { startServer } from '../../support/api-server';
import type { ApiServer } from '../../support/api-server';

describe('what init is given', () => {
  let [folder, stdout, stderr] = ['', '', ''];
  let server: ApiServer;
  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'headwater-init-'));
    [stdout, stderr] = ['', ''];
    jest.spyOn(process.stdout, 'write').mockImplementation((text) => ((stdout += String(text)), true));
    jest.spyOn(process.stderr, 'write').mockImplementation((text) => ((stderr += String(text)), true));
    server = await startServer(() => json({ ships: [{ id: 1 }, { id: 2 }] }));
  });
  afterEach(async () => {
    jest.restoreAllMocks();
    rmSync(folder, { recursive: true });
    await server.close();
  });

  const file = (name: string): string => join(folder, name);
  const init = (source: string | undefined, flags: Partial<InitFlags> = {}): Promise<number> =>
    initCommand(source, { yes: true, guess: false, out: file('out.yaml'), ...flags });

  it.each([
    './nonesuch.json',
    '../nonesuch',
    '/nonesuch/openapi',
    '~/openapi.yaml',
    'C:\\docs\\openapi.yaml',
    'c:/docs/openapi',
    '.',
    'openapi.yml',
    'shop.har',
    'docs/openapi.json',
    'calls.http',
  ])('says of %s that there is no such file', async (source) => {
    expect(await init(source)).toBe(1);
    expect(stderr).toContain(`There is no file ${source}. If it is an address, write it with https:// or http://`);
  });

  it('asks for nothing where nothing is named', async () => {
    expect(await init(undefined)).toBe(1);
    expect(stderr).toContain('Name what has the data: headwater init URL');
  });

  it.each(['localhost', '127.0.0.1'])('asks %s without TLS, where no scheme is written', async (host) => {
    expect(await init(`${host}:${new URL(server.origin).port}/data/ships.json`)).toBe(0);
    expect(stdout).toContain(`Requesting GET http://${host}:`);
  });

  it('says that https was assumed, where TLS fails', async () => {
    const { port } = new URL(server.origin);
    // This is 127.0.0.1 for the network, and nothing that a person would write for it.
    expect(await init(`127.1:${port}/ships`)).toBe(1);
    expect(stderr).toContain('https was assumed: if the API has no TLS, write http:// in front of the address.');
    stderr = '';
    expect(await init(`https://127.0.0.1:${port}/ships`)).toBe(1);
    expect(stderr).toContain('TLS');
    expect(stderr).not.toContain('assumed');
  });

  it('reads a document at an address without a scheme', async () => {
    const content = { 'application/json': { schema: { type: 'array', items: { type: 'object' } } } };
    const paths = { '/ships': { get: { responses: { 200: { description: 'x', content } } } } };
    const described = await startServer({
      '/openapi.json': json({ openapi: '3.0.0', info: { title: 'Fleet', version: '1' }, paths }),
      '/ships': json([{ id: 1 }]),
    });
    expect(await init(`127.0.0.1:${new URL(described.origin).port}/openapi.json`)).toBe(0);
    expect(stdout).toContain('Fleet describes 1 list.');
    await described.close();
  });

  it.each([
    ['a file that is there', 'there.yaml', 'is not overwritten: name another file by --out.'],
    ['a folder that is not there', 'none/out.yaml', 'none: make it, or name another file by --out.'],
    ['a folder that is a file', 'there.yaml/out.yaml', 'there.yaml is no folder'],
  ])('refuses %s before the first request', async (_, out, message) => {
    writeFileSync(file('there.yaml'), 'mine');
    expect(await init(`${server.origin}/ships`, { out: file(out) })).toBe(1);
    expect(stderr).toContain(message);
    expect(stderr).not.toContain('ENOENT');
    expect(server.requests).toEqual([]);
  });
});

describe('the document that init reads', () => {
  it('is asked for three times at most, since a person waits', async () => {
    const server = await startServer({
      '/openapi': (response) => void response.writeHead(500, { 'retry-after': '0' }).end(),
    });
    const options = { headers: {}, signal: new AbortController().signal };
    expect(
      await importedFrom({ kind: 'address', text: `${server.origin}/openapi`, isAssumed: false }, options),
    ).toBeUndefined();
    expect(server.requests).toHaveLength(3);
    await server.close();
  });
});
