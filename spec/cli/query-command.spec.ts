import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { COMMAND, runToEnd } from '../support/command';
import { atTerminal, HAS_SCRIPT } from '../support/pseudo-terminal';

const itAtTerminal = HAS_SCRIPT ? it : it.skip;

describe('headwater query', () => {
  const folder = mkdtempSync(join(tmpdir(), 'query-command-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  const columns = Array.from({ length: 20 }, (_, at) => `"a long value ${at} \u001b[31m"  AS column_${at}`).map(
    (each) => each.replaceAll('"', "'"),
  );

  beforeAll(() => writeFileSync(join(folder, 'codes.csv'), 'code,name\n007,\n'));
  const wide = `SELECT *, 9007199254740993 AS big, 1.10::DECIMAL(9,2) AS d, ${columns.join(', ')} FROM codes`;

  itAtTerminal(
    `prints tables that fit 80 columns of a terminal, and their first rows${HAS_SCRIPT ? '' : ' (skipped: no script of util-linux)'}`,
    async () => {
      const at = (...args: readonly string[]) =>
        atTerminal([process.execPath, COMMAND, 'query', folder, ...args], { columns: 80, rows: 30 });
      const { ended, lines, written } = at(wide);
      expect(await ended).toBe(0);
      expect(written()).toContain('NULL');
      expect(written()).not.toContain('\u001b[31m');
      const shown = await lines();
      // Columns that do not fit follow below, and none is left out.
      expect(shown.filter((line) => /^columns \d+ to \d+ of 24$/.test(line)).length).toBeGreaterThan(1);
      expect(shown.join(' ')).toContain('to 24 of 24');
      expect(shown.every((line) => line.length <= 80)).toBe(true);
      const many = at('SELECT * FROM range(5000)');
      expect(await many.ended).toBe(0);
      expect(await many.lines()).toHaveLength(103);
      expect(await many.lines()).toContain('(the first 100 rows; --format csv or ndjson prints all)');
    },
  );

  it('cuts nothing in a pipe: tables have all columns, all rows and whole values', async () => {
    const { status, stdout, stderr } = await runToEnd(['query', folder, wide]);
    expect([status, stderr]).toEqual([0, '']);
    expect(stdout).not.toMatch(/…|more columns/);
    expect(stdout).toContain('a long value 19 \\u001b[31m');
    expect(stdout).not.toContain('\u001b');
    const long = 'x'.repeat(500);
    const sql = `SELECT i AS n, CASE i WHEN 4999 THEN '${long}' ELSE 'a' END AS t, i AS m FROM range(5000) r(i)`;
    const lines = (await runToEnd(['query', folder, sql])).stdout.split('\n');
    expect(lines).toHaveLength(5004);
    expect(lines.slice(-3)).toEqual([`4999  ${long}  4999`, '(5000 rows)', '']);
    expect((await runToEnd(['query', folder, '--summary'])).stdout).not.toContain('…');
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

  it('lists tables, sums up, and refuses in a sentence', async () => {
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
