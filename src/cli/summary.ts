import type { Delivery } from '../index';

/** What arrived where, as a table for a terminal. */
export function summaryOf({ stored }: Delivery): string {
  const rows = stored.flatMap(({ sink, tables }) =>
    tables.map((table) => [table.name, table.rows?.toLocaleString('en') ?? '', sink] as const),
  );
  if (rows.length === 0) return 'Nothing arrived.\n';
  const lines = [['table', 'rows', 'destination'] as const, ...rows];
  const widest = (at: 0 | 1): number => Math.max(...lines.map((line) => line[at].length));
  const [names, counts] = [widest(0), widest(1)];
  return lines.map(([name, count, sink]) => `${name.padEnd(names)}  ${count.padStart(counts)}  ${sink}\n`).join('');
}
