import { json } from '../support/answers';
import { startServer } from '../support/api-server';
import { runToEnd } from '../support/command';

describe('headwater doctor', () => {
  it('says what it found in lines of the terminal, and ends with 1 only for faults', async () => {
    const server = await startServer({ '/': json({}) });
    const config = JSON.stringify({ api: { baseUrl: server.origin }, config: { jobs: [{ endpoint: 'a' }] } });
    const well = await runToEnd(['doctor', '-'], config);
    await server.close();
    expect([well.status, well.stderr]).toEqual([0, '']);
    expect(well.stdout).toContain(`ok        Node.js: version ${process.versions.node}.\n`);
    expect(well.stdout).toMatch(/ok {8}host \S+:\s+is\s+reached:[^.]*TCP\s+\d+\s+ms,\s+response\s+\d+\s+ms\.\n/);
    expect(well.stdout.split('\n').filter((line) => line.length > 80)).toEqual([]);

    const ill = await runToEnd(['doctor', '-', '--format', 'json'], config);
    expect(ill.status).toBe(1);
    const found = JSON.parse(ill.stdout) as { level: string; remedy?: string }[];
    expect(found.filter(({ level }) => level === 'fault')).toEqual([
      expect.objectContaining({ remedy: expect.stringContaining('api.baseUrl') as string }),
    ]);
    expect((await runToEnd(['doctor'])).stdout).toContain('DuckDB: can be loaded.');
  });
});
