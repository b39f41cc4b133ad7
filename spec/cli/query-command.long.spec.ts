import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { QUERY_LIMITS } from '../../src/core/process-limits';
import { runApart, startCommand } from '../support/command';

describe('the limits of headwater query', () => {
  jest.setTimeout(120_000);
  const folder = mkdtempSync(join(tmpdir(), 'query-limits-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  beforeAll(() => writeFileSync(join(folder, 'codes.csv'), 'code,name\n007,\n'));
  const ENDLESS = 'SELECT count(*) FROM range(9000000000000000) WHERE hash(range) % 7 = 3';

  it.each([
    ['time', ENDLESS, 'it took more than 15 seconds.'],
    ['memory', "SELECT repeat('x', 2000000000)", 'it needed more than 1.5 GB of memory.'],
  ])('end it, and it says why: %s', async (_, sql, why) => {
    const { status, stderr } = await runApart(['query', folder, sql]);
    const words = `The query was stopped: ${why} Ask for less, for example with LIMIT. With --no-limits it may take as much as there is.\n`;
    expect([status, stderr]).toEqual([null, words]);
  });

  it('are lifted with the first rows, and by --no-limits', async () => {
    const rows = startCommand(['query', folder, 'SELECT * FROM range(3000000)', '--format', 'csv']);
    const long = startCommand(['query', folder, ENDLESS, '--no-limits']);
    rows.child.stdout.once('data', () => rows.child.stdout.pause());
    await new Promise((resolve) => setTimeout(resolve, QUERY_LIMITS.milliseconds + 5000));
    expect([rows.child.exitCode, rows.child.signalCode, long.child.exitCode, long.child.signalCode]).toEqual([
      ...[null, null, null, null],
    ]);
    long.child.kill('SIGKILL');
    rows.child.stdout.resume();
    expect(await rows.closed).toBe(0);
  });
});
