/** What Node.js says of its SQLite on standard error. The specs run in a process of their own, as the command does. */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { describeWithSqlite } from '../../support/sqlite';

const DRIVER = join(__dirname, '../../../dist/sinks/sqlite/driver.js');

describeWithSqlite('the driver of sqlite', () => {
  it('says nothing of its own, and leaves the warnings of others', () => {
    const script = `
      const { openSqlite } = require(${JSON.stringify(DRIVER)});
      process.emitWarning('before', 'ExperimentalWarning');
      openSqlite(':memory:').close();
      process.emitWarning('SQLite is mine');
      process.emitWarning('after', { type: 'ExperimentalWarning' });`;
    const { stderr, status } = spawnSync(process.execPath, ['-e', script], { encoding: 'utf8' });
    expect(status).toBe(0);
    expect(stderr).not.toContain('SQLite is an experimental feature');
    for (const text of ['ExperimentalWarning: before', 'Warning: SQLite is mine', 'ExperimentalWarning: after'])
      expect(stderr).toContain(text);
  });
});
