import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { closedInTheEnd } from './opened';

const ROOT = join(__dirname, '..', '..');

describe('what specs open', () => {
  it('is closed once, however often that is asked for', async () => {
    let times = 0;
    const close = closedInTheEnd(() => (times += 1));
    await Promise.all([close(), close()]);
    await close();
    expect(times).toBe(1);
  });

  it('does not keep a run of jest from its end when a spec fails', async () => {
    const jest = join(ROOT, 'node_modules', 'jest', 'bin', 'jest.js');
    const args = [jest, '--runInBand', '--testMatch', '**/red.fixture.ts'];
    const child = spawn(process.execPath, args, { cwd: ROOT, stdio: ['ignore', 'ignore', 'pipe'] });
    const patience = setTimeout(() => child.kill('SIGKILL'), 30_000);
    const ended = once(child, 'exit') as Promise<[number | null, NodeJS.Signals | null]>;
    const [said, [status, signal]] = await Promise.all([text(child.stderr), ended]);
    clearTimeout(patience);
    expect({ status, signal }).toEqual({ status: 1, signal: null });
    expect(said).toContain('1 failed, 1 total');
    expect(said).not.toContain('did not exit');
  });
});
