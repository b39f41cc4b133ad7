/** Whoever is no page of the studio, and pages that send what no page would: raw sockets, where a client of HTTP would be too polite. */
import { chmod, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import type { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text as textOf } from 'node:stream/consumers';
import { needsBuild } from '../support/build';
import { openStudio } from '../../src/studio/studio';
import type { Studio } from '../../src/studio/studio';
import { scriptedApi } from '../../src/testing';

const SECRET = 'k-71f-secret-93';
const CONFIG = {
  api: { baseUrl: 'http://api.example' },
  config: { '#token': SECRET, jobs: [{ endpoint: 'rivers' }] },
};

describe('attacks on the studio', () => {
  let folder: string;
  let path: string;
  let studio: Studio;
  let port: string;
  let origin: string;
  let token: string;
  const sockets: Socket[] = [];
  const api = scriptedApi([
    { path: '/rivers', answer: () => ({ text: '[{"id": 9007199254740993, "deep": {"n": -12345678901234567890}}]' }) },
  ]);

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'headwater-studio-'));
    path = join(folder, 'rivers.json');
    await writeFile(path, JSON.stringify(CONFIG));
    await writeFile(join(folder, 'index.html'), '<html></html>');
    studio = await openStudio({ path, page: folder, queries: needsBuild('cli/query-process.js'), fetch: api.fetch });
    ({ port, origin } = new URL(studio.url));
    token = new URL(studio.url).hash.slice(1);
  });
  afterEach(async () => {
    for (const socket of sockets.splice(0)) socket.destroy();
    await studio.close();
    await rm(folder, { recursive: true });
  });

  const opened = async (): Promise<Socket> => {
    const socket = connect(Number(port), '127.0.0.1');
    sockets.push(socket);
    socket.on('error', () => undefined);
    await new Promise((resolve) => socket.once('connect', resolve).once('error', resolve));
    return socket;
  };
  /** What comes back until the server closes. */
  const raw = async (lines: readonly string[], body = ''): Promise<string> => {
    const socket = await opened();
    socket.write(`${lines.join('\r\n')}\r\n\r\n${body}`);
    return textOf(socket);
  };
  const headers = (more: Readonly<Record<string, string>> = {}): readonly string[] =>
    Object.entries({
      ...{ Host: `127.0.0.1:${port}`, Origin: origin, Authorization: `Bearer ${token}` },
      ...{ 'Content-Type': 'application/json', Connection: 'close', ...more },
    }).map(([name, value]) => `${name}: ${value}`);
  const call = async (name: string, given: object): Promise<readonly [number, string]> => {
    const response = await fetch(`${origin}/api/${name}`, {
      method: 'POST',
      headers: { origin, authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify(given),
    });
    return [response.status, await response.text()];
  };
  const statusOf = (answer: string): string => answer.split(' ')[1] ?? 'closed';
  interface Opened {
    readonly text: string;
    readonly version: string;
  }
  const open = async (): Promise<Opened> => JSON.parse((await call('open', {}))[1]) as Opened;

  it('answers its own page by raw sockets, so that what is refused below is refused for its own sake', async () => {
    const answer = await raw(['POST /api/open HTTP/1.1', ...headers(), 'Content-Length: 2'], '{}');
    expect(statusOf(answer)).toBe('200');
  });

  it.each<readonly [string, (port: string) => Readonly<Record<string, string>>, string]>([
    ['a host without its port', () => ({ Host: '127.0.0.1' }), '421'],
    ['a port with a zero before it', (at) => ({ Host: `127.0.0.1:0${at}` }), '421'],
    ['a port and more', (at) => ({ Host: `127.0.0.1:${at}.evil.example` }), '421'],
    ['a user before the host', (at) => ({ Host: `x@127.0.0.1:${at}` }), '421'],
    ['a name that ends as ours', (at) => ({ Host: `evil-127.0.0.1:${at}` }), '421'],
    ['a name below localhost', (at) => ({ Host: `evil.localhost:${at}` }), '421'],
    ['a host with a dot at its end', (at) => ({ Host: `localhost.:${at}` }), '421'],
    ['the same machine by another address', (at) => ({ Host: `127.1:${at}` }), '421'],
    ['all addresses', (at) => ({ Host: `0.0.0.0:${at}` }), '421'],
    ['an address of version 6', (at) => ({ Host: `[::1]:${at}` }), '421'],
    ['the other name of this machine as origin', (at) => ({ Origin: `http://localhost:${at}` }), '403'],
    ['another scheme', (at) => ({ Origin: `https://127.0.0.1:${at}` }), '403'],
    ['two origins', (at) => ({ Origin: `http://127.0.0.1:${at} http://evil.example` }), '403'],
    ['an origin with a path', (at) => ({ Origin: `http://127.0.0.1:${at}/` }), '403'],
    ['a token in the address it came from', () => ({ Authorization: '', Referer: 'http://h/#TOKEN' }), '401'],
    ['a token by another scheme', () => ({ Authorization: 'Basic TOKEN' }), '401'],
    ['half of a token', () => ({ Authorization: 'Bearer HALF' }), '401'],
    ['a type with parameters, as forms can send', () => ({ 'Content-Type': 'text/plain; application/json' }), '415'],
  ])('refuses %s', async (_, changed, status) => {
    const given = Object.entries(changed(port)).map(([name, value]) => [
      name,
      value.replace('TOKEN', token).replace('HALF', token.slice(0, 20)),
    ]);
    const lines = headers(Object.fromEntries(given) as Readonly<Record<string, string>>);
    for (const name of ['open', 'events', 'query']) {
      const answer = await raw([`POST /api/${name} HTTP/1.1`, ...lines, 'Content-Length: 2'], '{}');
      expect(statusOf(answer)).toBe(status);
      expect(answer.toLowerCase()).not.toContain('access-control');
    }
  });

  it.each([
    ['no host', ['POST /api/open HTTP/1.0', 'Content-Type: application/json'], '421'],
    ['two hosts', ['POST /api/open HTTP/1.1', 'Host: evil.example'], '421'],
    ['an address of another host', ['GET http://evil.example/ HTTP/1.1'], '404'],
    ['a tunnel', ['CONNECT 127.0.0.1:22 HTTP/1.1'], 'closed'],
    ['what is no HTTP', ['hello'], '400'],
  ])('refuses %s', async (_, [first = '', ...more], status) => {
    const own = first.includes('1.0') ? more : [...more, ...headers()];
    expect(statusOf(await raw([first, ...own]))).toBe(status);
  });

  it('opens no WebSocket, whoever asks', async () => {
    for (const from of ['http://evil.example', origin]) {
      const upgrade = { Origin: from, Connection: 'Upgrade', Upgrade: 'websocket', 'Sec-WebSocket-Version': '13' };
      const lines = headers({ ...upgrade, 'Sec-WebSocket-Key': 'dGhlIHNhbXBsZSBub25jZQ==' });
      const socket = await opened();
      socket.write(`${['GET /api/events HTTP/1.1', ...lines].join('\r\n')}\r\n\r\n`);
      const first = await new Promise<string>((resolve) => socket.once('data', (chunk) => resolve(String(chunk))));
      expect(statusOf(first)).toMatch(/^40[35]$/);
    }
  });

  it('lets one request be no two', async () => {
    const smuggled = 'POST /api/open HTTP/1.1\r\nHost: x\r\n\r\n';
    const lines = [...headers(), 'Content-Length: 2', 'Transfer-Encoding: chunked'];
    expect(statusOf(await raw(['POST /api/open HTTP/1.1', ...lines], `0\r\n\r\n${smuggled}`))).toBe('400');
  });

  it('ends a body that has no end, and goes on answering', async () => {
    const socket = await opened();
    const chunk = `10000\r\n${' '.repeat(0x10000)}\r\n`;
    socket.write(`${['POST /api/check HTTP/1.1', ...headers(), 'Transfer-Encoding: chunked'].join('\r\n')}\r\n\r\n`);
    const ended = textOf(socket).catch(() => '');
    for (let times = 0; times < 200 && socket.writable; times += 1) socket.write(chunk);
    expect(['413', 'closed']).toContain(statusOf(await ended));
    expect((await open()).text).toContain('rivers');
  });

  it('goes on answering while many connections say nothing, and takes no more than it has room for', async () => {
    const idle = await Promise.all(Array.from({ length: 200 }, opened));
    expect((await open()).text).toContain('rivers');
    const more = await Promise.all(Array.from({ length: 150 }, opened));
    await Promise.race(more.map((socket) => new Promise((resolve) => socket.once('close', resolve))));
    idle.forEach((socket) => socket.destroy());
    await Promise.all(idle.map((socket) => new Promise((resolve) => socket.once('close', resolve))));
    await expect(open()).resolves.toMatchObject({ text: expect.stringContaining('rivers') as unknown });
  });

  it.each([
    ['lists', '['.repeat(100_000)],
    ['objects', '{"a":'.repeat(20_000)],
    ['secrets', `${'{"#a":'.repeat(20_000)}"${SECRET}"`],
  ])('refuses a text of too many nested %s, and writes none', async (_, text) => {
    const { version } = await open();
    const before = await readFile(path, 'utf8');
    const [status, body] = await call('check', { text });
    expect([status, JSON.parse(body)]).toMatchObject([200, { jobs: 0, faults: [{ path: '' }] }]);
    for (const name of ['preview', 'run', 'save'])
      expect(await call(name, { text, version })).toMatchObject([422, expect.stringContaining('NOT_READABLE')]);
    expect(await readFile(path, 'utf8')).toBe(before);
    await writeFile(path, text);
    const shown = await call('open', {});
    expect(shown[0]).toBe(422);
    expect(shown[1]).not.toContain(SECRET);
  });

  it('writes through no link that somebody has put beside the file, keeps its mode, and leaves nothing behind', async () => {
    await writeFile(join(folder, 'victim'), 'mine');
    await symlink(join(folder, 'victim'), join(folder, `.rivers.json.${process.pid}.new`));
    await chmod(path, 0o666);
    const before = await readdir(folder);
    const saved = await open();
    expect((await call('save', saved))[0]).toBe(200);
    expect(await readFile(join(folder, 'victim'), 'utf8')).toBe('mine');
    expect((await stat(path)).mode & 0o777).toBe(0o666);
    expect(await readdir(folder)).toEqual(before);
  });

  it('shows all digits of large integers', async () => {
    const { text } = await open();
    const [, body] = await call('preview', { text });
    expect(JSON.parse(body)).toMatchObject({
      jobs: [{ tables: [{ rows: [['9007199254740993', '-12345678901234567890']] }] }],
    });
  });
});
