/** What Node.js says of its SQLite on standard error. The specs run in a process of their own, as the command does. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { needsBuild } from '../../support/build';
import { describeWithSqlite } from '../../support/sqlite';

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
