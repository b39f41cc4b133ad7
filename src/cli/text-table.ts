import { fitted, padded, visible, widthOf } from './terminal';

export interface TextColumn {
  readonly name: string;
  /** This is true where its values stand at the right. */
  readonly isNumber?: boolean;
}

const GAP = '  ';
/** No column is narrower, unless its values are. */
const NARROWEST = 6;

/** A table whose columns are as wide as its first rows need them. */
export interface TextTable {
  /** The head, and what is left out at the right. */
  readonly head: readonly string[];
  readonly rest: readonly string[];
  /** The line of a row; where nothing is cut, a wider value moves what follows it to the right. */
  readonly line: (row: readonly string[]) => string;
}

/**
 * Rows as lines of no more than so many columns of a terminal: long values are cut first, and columns that do not fit even then are
 * left out at the right and named below.
 *
 * @param rows the texts of cells; control characters are written out
 * @example textTable([{ name: 'id', isNumber: true }], [['7']], 80) // ['id', '--', ' 7']
 */
export function textTable(
  columns: readonly TextColumn[],
  rows: readonly (readonly string[])[],
  width: number,
): readonly string[] {
  const { head, line, rest } = tableFor(columns, rows, width);
  return [...head, ...rows.map(line), ...rest];
}

/** The same for rows of which only the first ones are known by now. */
export function tableFor(
  columns: readonly TextColumn[],
  rows: readonly (readonly string[])[],
  width: number,
): TextTable {
  const cells = [columns.map(({ name }) => name), ...rows].map((row) => row.map(visible));
  const wanted = columns.map((_, at) => Math.max(1, ...cells.map((row) => widthOf(row[at] ?? ''))));
  const shown = fittingColumns(wanted, width);
  const widths = shares(wanted.slice(0, shown), width);
  const line = (row: readonly string[]): string =>
    widths
      .map((each, at) => {
        const cell = visible(row[at] ?? '');
        return padded(width === Infinity ? cell : fitted(cell, each), each, columns[at]?.isNumber);
      })
      .join(GAP)
      .trimEnd();
  const left = columns.slice(shown).map(({ name }) => visible(name));
  const rest =
    left.length === 0
      ? []
      : [fitted(`(${left.length} more ${left.length === 1 ? 'column' : 'columns'}: ${left.join(', ')})`, width)];
  return {
    head: [line(columns.map(({ name }) => name)), widths.map((each) => '-'.repeat(each)).join(GAP)],
    rest,
    line,
  };
}

/** How many columns fit when all are as narrow as they may be. */
function fittingColumns(wanted: readonly number[], width: number): number {
  let taken = -GAP.length;
  for (const [at, each] of wanted.entries()) {
    taken += GAP.length + Math.min(each, NARROWEST);
    if (taken > width) return Math.max(1, at);
  }
  return wanted.length;
}

/** The widest columns give away what is too much. */
function shares(wanted: readonly number[], width: number): readonly number[] {
  const room = Math.max(1, width - GAP.length * (wanted.length - 1));
  const sum = (most: number): number => wanted.reduce((all, each) => all + Math.min(each, most), 0);
  let most = Math.max(...wanted);
  while (most > 1 && sum(most) > room) most -= 1;
  let spare = room - sum(most);
  return wanted.map((each) => {
    if (each <= most || spare <= 0) return Math.min(each, most);
    spare -= 1;
    return most + 1;
  });
}
