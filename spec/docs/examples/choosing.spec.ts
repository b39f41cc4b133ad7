/** docs/choosing.md repeats figures; they are those of the pages that were written by the benchmarks. */
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = join(__dirname, '../../..');
const read = (name: string): string => readFileSync(join(ROOT, 'docs', name), 'utf8');

/** The rows of the first table with this column, by the first cell: values by the names of columns. */
function tableWith(markdown: string, column: string): ReadonlyMap<string, Readonly<Record<string, string>>> {
  const lines = markdown.split('\n');
  const head = lines.findIndex((line) => line.startsWith('|') && cellsOf(line).includes(column));
  const end = lines.findIndex((line, at) => at > head && !line.startsWith('|'));
  const names = cellsOf(lines[head] ?? '');
  const rows = lines.slice(head + 2, end).map((line) => {
    const cells = cellsOf(line);
    return [cells[0] ?? '', Object.fromEntries(names.map((name, at) => [name, cells[at] ?? '']))] as const;
  });
  return new Map(rows);
}

const cellsOf = (line: string): readonly string[] =>
  line
    .split('|')
    .slice(1, -1)
    .map((cell) => cell.trim());

const sectionOf = (markdown: string, heading: string): string => markdown.split(`\n${heading}\n`)[1] ?? '';

describe('docs/choosing.md', () => {
  const measured = sectionOf(read('choosing.md'), '## What was measured').split('\n## ')[0] ?? '';
  const performance = read('performance.md');
  const tables = tableWith(sectionOf(performance, '### Tables'), 'process');
  const linked = tableWith(sectionOf(read('comparison-dlt.md'), '### Linked tables'), 'process');

  it('has the rows of docs/performance.md', () => {
    const shown = tableWith(measured, 'process');
    const all = tableWith(performance, 'items/s, after start-up');
    expect(shown.size).toBeGreaterThan(4);
    for (const [process, row] of shown) expect(all.get(process)).toMatchObject(row);
  });

  it.each([
    ['items/s into DuckDB', tables.get('headwater, DuckDB')?.['items/s, after start-up']],
    ['items/s of dlt into DuckDB', tables.get('dlt, DuckDB')?.['items/s, after start-up']],
    ['memory for DuckDB', tables.get('headwater, DuckDB')?.['peak MiB']],
    ['memory of dlt for DuckDB', tables.get('dlt, DuckDB')?.['peak MiB']],
    ['items/s of dlt into linked tables, by Parquet', linked.get('dlt, rows as Parquet')?.['items/s, after start-up']],
    ['items/s of dlt into linked tables', linked.get('dlt, DuckDB')?.['items/s, after start-up']],
    ['memory of dlt for linked tables, by Parquet', linked.get('dlt, rows as Parquet')?.['peak MiB']],
    ['memory of dlt for linked tables', linked.get('dlt, DuckDB')?.['peak MiB']],
    ['items/s into linked tables, 1,000 pages', linked.get('headwater, DuckDB')?.['items/s, after start-up']],
  ])('has the figure of %s', (_what, figure) => {
    expect(figure).toBeDefined();
    expect(measured).toContain(figure);
  });

  it('counts what is there', () => {
    const page = read('choosing.md');
    expect(readdirSync(join(ROOT, 'catalogue')).filter((name) => name.endsWith('.json'))).toHaveLength(13);
    expect(page).toContain('[thirteen configurations]');
    const values = tableWith(sectionOf(read('comparison-dlt.md'), '### Values'), 'the API sends');
    expect(page).toContain(`none of ${values.size} kinds of values`);
    expect(read('real-configurations.md')).toMatch(/accepted when completed +\| 202 /);
    expect(page).toContain('[202 run]');
  });
});
