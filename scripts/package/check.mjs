/**
 * The package as applications get it: packed, installed into empty folders, and used there in each way that it is made for. Every
 * program runs an extraction against a server of this machine, and says what it got.
 *
 *     npm run build && npm run package:check
 *
 * Says line by line what it did. It needs the npm registry, or npm's cache of it.
 */
import { fork } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bundles, treeShaking } from './bundles.mjs';
import { installed, maps, packed } from './packed.mjs';
import { extracted, PROGRAMS, ROOT, said, step } from './steps.mjs';
import { typescript } from './typescript.mjs';

const { devDependencies } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
const nodeTypes = `@types/node@${devDependencies['@types/node']}`;
const folder = mkdtempSync(join(tmpdir(), 'headwater-package-'));
const server = fork(join(PROGRAMS, 'server.mjs'));
try {
  const url = await new Promise((resolve) => server.once('message', resolve));
  const tarball = packed(folder);

  const home = join(folder, 'application');
  cpSync(PROGRAMS, home, { recursive: true });
  installed(home, [tarball, nodeTypes]);
  maps(join(home, 'node_modules', 'headwater'));
  step('ES module', () => extracted(home, ['run.mjs', url]));
  step('CommonJS', () => extracted(home, ['run.cjs', url]));
  step('the command, as npx runs it', () => said(home, [join('node_modules', '.bin', 'headwater'), '--version']));
  typescript(home, url);
  bundles(home, url, folder);
  treeShaking(home);

  // The oldest RxJS that package.json allows is a package without types for `nodenext`.
  const old = join(folder, 'with-rxjs-7.2.0');
  cpSync(PROGRAMS, old, { recursive: true });
  installed(old, [tarball, 'rxjs@7.2.0', nodeTypes]);
  step('ES module with RxJS 7.2.0', () => extracted(old, ['run.mjs', url]));
  step('CommonJS with RxJS 7.2.0', () => extracted(old, ['run.cjs', url]));
  typescript(old, url, ['node10']);
} finally {
  server.kill();
  rmSync(folder, { recursive: true, force: true });
}
