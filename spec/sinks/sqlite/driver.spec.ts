/** What Node.js says of its SQLite on standard error. The specs run in a process of their own, as the command does. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { requirePackage } from '../../../src/core/optional-package';
import { folderOf, installed } from '../../../src/sinks/sqlite/driver';
import { needsBuild } from '../../support/build';
import { describeWithSqlite } from '../../support/sqlite';

describe('the package that SQLite may need', () => {
  it.each([
    ['/app/node_modules/headwater/dist/sinks/sqlite', '/app'],
    ['/usr/lib/node_modules/headwater/dist/cli', '/usr/lib'],
    ['/home/me/headwater/dist/sinks/sqlite', '/home/me/headwater'],
    ['/home/me/headwater/src/sinks/sqlite', '/home/me/headwater'],
    ['/app/bundle', '/app/bundle'],
  ])('is looked for from %s in %s', (module, folder) => {
    expect(folderOf(module)).toBe(folder);
  });

  it('is to be installed there', () => {
    const load = () => requirePackage('sqlite:', 'headwater-has-no-such-package');
    expect(() => installed(load, '/app')).toThrow('npm install headwater-has-no-such-package, in "/app".');
  });
});

describeWithSqlite('the driver of sqlite', () => {
  let folder = '';
  beforeEach(() => void (folder = mkdtempSync(join(tmpdir(), 'headwater-sqlite-'))));
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  it('says nothing of its own, and leaves the warnings of others', () => {
    const script = `
      const { sinks } = require(${JSON.stringify(needsBuild())});
      process.emitWarning('before', 'ExperimentalWarning');
      const sink = sinks.sqlite(${JSON.stringify(join(folder, 'items.sqlite'))})([]);
      sink.open().then(() => sink.close()).then(() => {
        process.emitWarning('SQLite is mine');
        process.emitWarning('after', { type: 'ExperimentalWarning' });
      });`;
    const { stderr, status } = spawnSync(process.execPath, ['-e', script], { encoding: 'utf8' });
    expect(stderr).not.toContain('SQLite is an experimental feature');
    for (const text of ['ExperimentalWarning: before', 'Warning: SQLite is mine', 'ExperimentalWarning: after'])
      expect(stderr).toContain(text);
    expect(status).toBe(0);
  });
});
