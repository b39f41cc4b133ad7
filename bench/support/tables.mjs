/**
 * A Markdown table, its columns as wide as their longest cell, the way prettier writes it.
 *
 * @param head titles; one that starts with `>` is of a column of numbers
 */
export function markdownTable(head, rows) {
  const right = head.map((title) => title.startsWith('>'));
  const cells = [head.map((title) => title.replace(/^>/, '')), ...rows.map((row) => row.map(String))];
  const widths = head.map((_, at) => Math.max(3, ...cells.map((row) => row[at].length)));
  const lines = cells.map((row) =>
    row.map((cell, at) => (right[at] ? cell.padStart(widths[at]) : cell.padEnd(widths[at]))),
  );
  const rule = widths.map((width, at) => (right[at] ? `${'-'.repeat(width - 1)}:` : '-'.repeat(width)));
  return [lines[0], rule, ...lines.slice(1)].map((row) => `| ${row.join(' | ')} |`).join('\n');
}

const VERDICTS = new Map([
  [true, 'yes'],
  [false, 'no'],
]);

/** The bars of all results, beside what was measured. */
export const barTable = (bars) =>
  markdownTable(
    ['what', '>asked', '>measured', '>undici alone', 'met'],
    bars.map(({ what, asked, measured, alone, met }) => [
      what,
      asked,
      measured,
      alone,
      VERDICTS.get(met) ?? 'not measured',
    ]),
  );

/** One result in Markdown: its table and notes. */
export const resultText = ({ title, head, rows, notes = [] }) =>
  [`### ${title}`, markdownTable(head, rows), ...notes].join('\n\n');
