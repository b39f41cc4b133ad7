/** What Ctrl-C and SIGTERM do to a run that has no terminal. */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ROOT } from '../../support/build';
import { runToEnd, startCommand } from '../../support/command';

/** A destination that is never closed: the run does not end by itself. */
const STUCK = `const { sinks } = require(${JSON.stringify(ROOT)});
module.exports = {
  kind: 'sink', name: 'stuck', summary: 'Is never closed.', use: 'In this spec.', schemes: ['stuck'], address: ['stuck:NAME'],
  example: 'stuck:x', rules: [], makes: undefined,
  create: (_, { outputs }) => {
    const sink = sinks.transient('stuck', { write: () => Promise.resolve() })(outputs);
    const close = () => {
      process.stderr.write('closing\\n');
      return new Promise(() => setInterval(() => undefined, 1000));
    };
    return { ...sink, close };
  },
};
`;
const HINT = /What has arrived is safe\. Go on with: (?<command>headwater run .* --resume)$/m;

describe('signals to headwater run', () => {
  let isReleased = false;
  /** Resolves when the second page is asked for: the first one is safe then. */
  let asked: () => void = () => undefined;
  const server = createServer((request, response) => {
    const offset = Number(new URL(request.url ?? '', 'http://api').searchParams.get('offset'));
    const send = (items: readonly object[]) =>
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(items));
    if (offset === 0) send([{ id: 0 }, { id: 1 }]);
    else if (isReleased) send([{ id: 2 }]);
    else asked();
  });
  let folder = '';
  let config = '';
  beforeEach(async () => {
    isReleased = false;
    folder = await mkdtemp(join(tmpdir(), 'headwater-signals-'));
    config = join(folder, 'rivers.json');
    await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
    const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const api = { baseUrl, pagination: { method: 'offset', limit: 2 } };
    await writeFile(config, JSON.stringify({ api, config: { jobs: [{ endpoint: 'rivers' }] } }));
  });
  afterEach(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
    await rm(folder, { recursive: true });
  });

  it.each<[NodeJS.Signals, number, string]>([
    ['SIGINT', 130, 'Interrupted.'],
    ['SIGTERM', 143, 'Terminated.'],
  ])('%s once ends it in order, with status %i and the command that goes on', async (signal, status, said) => {
    const to = `ndjson:${join(folder, 'out')}`;
    const second = new Promise<void>((resolve) => (asked = resolve));
    const run = startCommand(['run', config, '--to', to]);
    const ended = run.ended();
    await second;
    run.child.kill(signal);
    const { stderr, ...end } = await ended;
    expect(end).toMatchObject({ status, stdout: '' });
    expect(stderr).toContain(said);
    expect(stderr).not.toContain('\u001b');
    expect(stderr).not.toMatch(/\n +at /);
    const command = HINT.exec(stderr)?.groups?.['command'] ?? '';
    expect(command).toContain(` --to ${to} `);

    isReleased = true;
    const [, ...words] = command.split(' ');
    expect(await runToEnd(words)).toMatchObject({ status: 0 });
    expect(await readFile(join(folder, 'out', 'rivers.ndjson'), 'utf8')).toBe('{"id":0}\n{"id":1}\n{"id":2}\n');
  });

  it.each<[NodeJS.Signals, number]>([
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ])('%s twice ends it at once, with status %i, whatever still waits', async (signal, status) => {
    const module = join(folder, 'stuck.cjs');
    await writeFile(module, STUCK);
    const second = new Promise<void>((resolve) => (asked = resolve));
    const run = startCommand(['run', config, '--components', module, '--to', 'stuck:x']);
    let stderr = '';
    run.child.stderr.on('data', (data: Buffer) => {
      if (stderr.includes('closing\n')) return;
      stderr += data.toString();
      if (stderr.includes('closing\n')) run.child.kill(signal);
    });
    run.child.stdout.resume();
    // It ends before only where it fails, and says why.
    await Promise.race([second, run.closed]);
    run.child.kill(signal);
    expect({ status: await run.closed, stderr }).toEqual({
      status,
      stderr: expect.stringContaining('closing\n') as string,
    });
  });
});
