/** docs/first-run.md, followed as it is written: its packages from the registries, its servers, its commands, and what they print. */
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as wait } from 'node:timers/promises';
import { ROOT } from '../../support/build';
import { COMMAND } from '../../support/command';
import { closedInTheEnd } from '../../support/opened';
import { ownPort } from '../../support/own-port';
import { expectAsShown, samplesOf, stepsOf } from '../../support/shown-commands';

const SAMPLES = samplesOf('docs/first-run.md');
const INSTALLED = join(ROOT, 'node_modules/.cache/headwater-first-run');

/** Installs the packages, once for each change of the commands. Returns whether they are there. */
function isInstalled(commands: string): boolean {
  const done = join(INSTALLED, 'done');
  if (existsSync(done) && readFileSync(done, 'utf8') === commands) return true;
  rmSync(INSTALLED, { recursive: true, force: true });
  mkdirSync(INSTALLED, { recursive: true });
  writeFileSync(join(INSTALLED, 'package.json'), '{ "private": true }');
  const env = { ...process.env, npm_config_ignore_scripts: 'true', npm_config_audit: 'false' };
  const { status } = spawnSync('bash', ['-c', `set -e\n${commands}`], { cwd: INSTALLED, stdio: 'ignore', env });
  if (status === 0) writeFileSync(done, commands);
  return status === 0;
}

const install = SAMPLES.find(({ mark }) => mark === 'install')?.content ?? '';
const isThere = isInstalled(install);

describe(`docs/first-run.md${isThere ? '' : ' (skipped: its packages cannot be installed here)'}`, () => {
  const folder = mkdtempSync(join(tmpdir(), 'headwater-first-run-'));
  /** The ports of this run, by those of the page. */
  const ports = new Map<string, number>();
  const here = (written: string): string =>
    [...ports].reduce((all, [shown, own]) => all.replaceAll(shown, `${own}`), written);
  const asShown = (printed: string): string =>
    [...ports].reduce((all, [shown, own]) => all.replaceAll(`${own}`, shown), printed);
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  async function typed(commands: string): Promise<{ readonly printed: string; readonly status: number | null }> {
    const headwater = `headwater() { "${process.execPath}" "${COMMAND}" "$@"; }`;
    const child = spawn('bash', ['-c', `exec 2>&1; ${headwater}\n${here(commands)}`], { cwd: folder, stdio: 'pipe' });
    child.stdin.end();
    const closed = new Promise<number | null>((resolve) => child.once('close', resolve));
    return { printed: asShown(await text(child.stdout)), status: await closed };
  }

  /** Starts the servers, which end with the specs of this file. */
  async function started(commands: string): Promise<void> {
    const servers = spawn('bash', ['-c', `${here(commands)}\nwait`], { cwd: folder, stdio: 'ignore', detached: true });
    closedInTheEnd(() => process.kill(-(servers.pid ?? 0), 'SIGKILL'));
    for (const [, port] of here(commands).matchAll(/(?:-http 127\.0\.0\.1:|--port )(\d+)/g))
      while (
        !(await fetch(`http://127.0.0.1:${port}/`).then(
          () => true,
          () => false,
        ))
      )
        await wait(50);
  }

  (isThere ? it : it.skip)(
    'does what it says, command by command',
    async () => {
      for (const name of ['node_modules', 'apis']) symlinkSync(join(INSTALLED, name), join(folder, name), 'junction');
      const page = SAMPLES.map(({ content }) => content).join('');
      for (const [port] of page.matchAll(/\b880\d\b/g)) if (!ports.has(port)) ports.set(port, await ownPort());
      for (const sample of SAMPLES.filter(({ mark }) => mark !== 'install'))
        if (sample.mark === 'started') await started(sample.content);
        else if (sample.language === 'sh')
          expect(await typed(`set -e\n${sample.content}`)).toMatchObject({ status: 0 });
        else for (const { command, shown } of stepsOf(sample)) expectAsShown((await typed(command)).printed, shown);
    },
    300_000,
  );
});
