/** Locks of folders that several containers share. */
import { execFileSync, spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { lockFolder } from '../../../src/sinks/files/folder-lock';
import { compiled } from '../../support/durable';

/** A process in a numbering of its own, as a container has one: it is number 1 there. */
const CONTAINER = ['--pid', '--fork', '--kill-child', '--mount-proc'];
const canContain = ((): boolean => {
  try {
    execFileSync('unshare', [...CONTAINER, 'true'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
})();

describe('lockFolder', () => {
  let root: string;
  let folder: string;
  let source: string;
  const children: ChildProcess[] = [];
  beforeEach(async () => {
    root = await mkdtemp(join(tmpdir(), 'headwater-lock-'));
    folder = join(root, 'a folder with a name that is longer than the path of a socket may be '.repeat(2));
    await mkdir(folder);
    source = await compiled('sinks/files/folder-lock', join(root, 'js'));
  });
  afterEach(async () => {
    for (const child of children.splice(0)) child.kill('SIGKILL');
    await rm(root, { recursive: true });
  });

  /** Takes the lock in another process, and keeps it until its input ends; the first line of what it says. */
  const taken = async (command: string, ...args: readonly string[]): Promise<[ChildProcess, string]> => {
    const program = `require(${JSON.stringify(source)}).lockFolder(${JSON.stringify(folder)}).then(
      (unlock) => { console.log('has it ' + process.pid); process.stdin.on('end', unlock).resume(); },
      (error) => console.log(error.code + ' ' + error.message));`;
    const child = spawn(command, [...args, '-e', program], { stdio: ['pipe', 'pipe', 'inherit'] });
    children.push(child);
    const [said] = (await once(child.stdout as NodeJS.ReadableStream, 'data')) as [Buffer];
    return [child, said.toString().trim()];
  };
  const contained = (): Promise<[ChildProcess, string]> => taken('unshare', ...CONTAINER, process.execPath);
  const plain = (): Promise<[ChildProcess, string]> => taken(process.execPath);
  const text = (changes: Readonly<Record<number, string>> = {}): string => {
    const parts = ['1', '5', 'boot', 'pid:[1]', encodeURIComponent(hostname()), '-', 'x'];
    return parts.map((part, at) => changes[at] ?? part).join(' ');
  };

  (canContain ? describe : describe.skip)('between containers (needs unshare and the right to use it)', () => {
    it('keeps a process out that has the same number as the holder', async () => {
      expect((await contained())[1]).toBe('has it 1');
      expect((await contained())[1]).toMatch(/^DESTINATION_LOCKED Another run \(process 1 on /);
      await expect(lockFolder(folder)).rejects.toMatchObject({ code: 'DESTINATION_LOCKED' });
    });

    it('lets the next one in when the holder was killed', async () => {
      const [child] = await contained();
      child.kill('SIGKILL');
      await once(child, 'close');
      const [next, said] = await contained();
      expect(said).toBe('has it 1');
      next.stdin?.end();
      await once(next, 'close');
      expect(await readdir(folder)).toEqual([]);
    });
  });

  it('lets one process in at a time, when many start at once behind one that was killed', async () => {
    const [killed] = await plain();
    killed.kill('SIGKILL');
    await once(killed, 'close');
    const program = `const { rmSync, writeFileSync } = require('node:fs');
      const held = ${JSON.stringify(join(root, 'held'))};
      const { lockFolder } = require(${JSON.stringify(source)});
      const turn = async () => {
        const unlock = await lockFolder(${JSON.stringify(folder)}).catch((error) => {
          if (error.code !== 'DESTINATION_LOCKED') throw error;
        });
        if (unlock === undefined) return 0;
        try { writeFileSync(held, '', { flag: 'wx' }); } catch { console.log('two have it'); }
        await new Promise((resolve) => setTimeout(resolve, 3));
        rmSync(held, { force: true });
        await unlock();
        console.log('one');
        return 1;
      };
      (async () => { for (let had = 0; had < 5; ) had += await turn(); })();`;
    const said = await Promise.all(
      Array.from({ length: 8 }, async () => {
        const child = spawn(process.execPath, ['-e', program], { stdio: ['ignore', 'pipe', 'inherit'] });
        children.push(child);
        let text = '';
        child.stdout.on('data', (chunk: Buffer) => (text += chunk.toString()));
        await once(child, 'close');
        return text;
      }),
    );
    expect(said).toEqual(said.map(() => 'one\n'.repeat(5)));
    expect(await readdir(folder)).toEqual([]);
  });

  it('keeps other processes out, as long as this one has it', async () => {
    const unlock = await lockFolder(folder);
    expect((await plain())[1]).toContain(
      `DESTINATION_LOCKED Another run (process ${process.pid} on ${hostname()}) writes`,
    );
    await unlock();
    expect(await readdir(folder)).toEqual([]);
    const [child, said] = await plain();
    expect(said).toBe(`has it ${child.pid}`);
  });

  it('is given again to the same process, and is then not let go by who had it before', async () => {
    const first = await lockFolder(folder);
    const second = await lockFolder(folder);
    await first();
    expect((await plain())[1]).toContain('DESTINATION_LOCKED');
    await second();
    expect(await readdir(folder)).toEqual([]);
  });

  it('is dead when the machine was started again since', async () => {
    await writeFile(join(folder, 'lock'), text());
    await (
      await lockFolder(folder)
    )();
    expect(await readdir(folder)).toEqual([]);
  });

  it('of another machine may be alive: a person has to decide', async () => {
    await writeFile(join(folder, 'lock'), text({ 4: 'elsewhere' }));
    const refused = lockFolder(folder);
    await expect(refused).rejects.toMatchObject({ code: 'DESTINATION_LOCKED' });
    await expect(refused).rejects.toThrow(`(process 1 on elsewhere)`);
    await expect(refused).rejects.toThrow(`remove ${JSON.stringify(join(folder, 'lock'))}`);
    expect(await readdir(folder)).toEqual(['lock']);
  });

  it('removes no file that a lock names, but a socket', async () => {
    const boot = (await readFile('/proc/sys/kernel/random/boot_id', 'utf8').catch(() => '-')).trim();
    await writeFile(join(root, 'mine.sock'), 'mine');
    await writeFile(join(folder, 'lock'), text({ 2: boot, 5: '../mine.sock' }));
    await (
      await lockFolder(folder)
    )();
    expect(await readFile(join(root, 'mine.sock'), 'utf8')).toBe('mine');
  });
});
