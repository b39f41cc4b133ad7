/**
 * Installs what one step alone needs, from the lock file of its folder, unless that has been done:
 *
 *     node scripts/install.mjs scripts/layers
 *
 * What most work needs stands in package.json of the project; this keeps `npm install` there short.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const [folder] = process.argv.slice(2);
const lock = readFileSync(join(folder, 'package-lock.json'), 'utf8');
const done = join(folder, 'node_modules', '.installed-lock.json');
if (!existsSync(done) || readFileSync(done, 'utf8') !== lock) {
  const { status } = spawnSync('npm', ['ci', '--prefix', folder, '--ignore-scripts', '--no-audit', '--no-fund'], {
    stdio: 'inherit',
    shell: process.platform === 'win32',
  });
  if (status === 0) writeFileSync(done, lock);
  process.exitCode = status ?? 1;
}
