import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runToEnd } from '../support/command';

describe('headwater query', () => {
  const folder = mkdtempSync(join(tmpdir(), 'query-command-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  const columns = Array.from({ length: 20 }, (_, at) => `"a long value ${at} \u001b[31m"  AS column_${at}`).map(
    (each) => each.replaceAll('"', "'"),
  );

  it('prints tables that fit 80 columns, with NULL visible and control characters written out', async () => {
    writeFileSync(join(folder, 'codes.csv'), 'code,name\n007,\n');
    const sql = `SELECT *, 9007199254740993 AS big, 1.10::DECIMAL(9,2) AS d, ${columns.join(', ')} FROM codes`;
    const { status, stdout, stderr } = await runToEnd(['query', folder, sql]);
    expect([status, stderr]).toEqual([0, '']);
    expect(stdout).toContain('NULL');
    expect(stdout).not.toContain('\u001b');
    expect(stdout).toMatch(/\(\d+ more columns: /);
    expect(stdout.split('\n').filter((line) => line.length > 80)).toEqual([]);
  });

  it.each([
    ['json', '[{"id":9007199254740993,"d":1.10,"t":null}]\n'],
    ['ndjson', '{"id":9007199254740993,"d":1.10,"t":null}\n'],
    ['csv', 'id,d,t\n9007199254740993,1.10,\n'],
    ['table', '              id     d  t\n----------------  ----  ----\n9007199254740993  1.10  NULL\n(1 row)\n'],
  ])('prints %s without loss', async (format, text) => {
    const sql = 'SELECT 9007199254740993 AS id, 1.10::DECIMAL(9,2) AS d, NULL::VARCHAR AS t';
    expect((await runToEnd(['query', folder, sql, '--format', format])).stdout).toBe(text);
  });

  it('shows the first rows of many, lists tables, sums up, and refuses in a sentence', async () => {
    const { stdout } = await runToEnd(['query', folder, 'SELECT * FROM range(5000)']);
    expect(stdout.split('\n')).toHaveLength(104);
    expect(stdout).toContain('(the first 100 rows; --format csv or ndjson prints all)');
    expect((await runToEnd(['query', folder])).stdout).toBe('"codes"\n');
    const { stdout: summary } = await runToEnd(['query', folder, '--summary']);
    expect(summary).toMatch(/^codes: 1 row\ncolumn +type +count +nulls +distinct +least +most\n/);
    expect(await runToEnd(['query', folder, 'DROP VIEW codes'])).toMatchObject({
      status: 1,
      stdout: '',
      stderr: 'The statement was not run: DROP is no statement that only reads. Write a SELECT.\n',
    });
  });
});
