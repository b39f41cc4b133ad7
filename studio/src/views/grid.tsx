import type { ComponentChildren, JSX } from 'preact';

const shown = (value: unknown): string =>
  value === null || value === undefined ? '' : typeof value === 'string' ? value : JSON.stringify(value);

interface Column {
  readonly name: string;
  readonly type?: string;
  /** Tells numbers that come as texts. */
  readonly isNumber?: boolean;
  readonly head?: ComponentChildren;
}

/** More columns than anybody reads would stop the page. */
const MOST_COLUMNS = 100;

/** Rows under their columns; a number stands at the right. */
export function Grid({
  label,
  columns: all,
  rows,
}: {
  readonly label: string;
  readonly columns: readonly Column[];
  readonly rows: readonly (readonly unknown[])[];
}): JSX.Element {
  const columns = all.slice(0, MOST_COLUMNS);
  return (
    <div class="grid" role="region" aria-label={label} tabIndex={0}>
      <table>
        <thead>
          <tr>
            {columns.map((column, at) => (
              <th key={`${at} ${column.name}`} scope="col" class={isNumeric(rows[0]?.[at], column) ? 'number' : ''}>
                {column.name}
                {column.type === undefined ? null : <small>{column.type}</small>}
                {column.head}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, at) => (
            <tr key={at}>
              {row.slice(0, MOST_COLUMNS).map((value, column) => (
                <td key={column} class={isNumeric(value, columns[column]) ? 'number' : ''}>
                  {value === null || value === undefined ? <span class="faint">–</span> : shown(value)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      {all.length > MOST_COLUMNS ? (
        <p class="faint">{(all.length - MOST_COLUMNS).toLocaleString('en')} more columns are not shown.</p>
      ) : null}
    </div>
  );
}

const isNumeric = (value: unknown, column: Column | undefined): boolean =>
  typeof value === 'number' || column?.isNumber === true || /INT|DOUBLE|DECIMAL|FLOAT/.test(column?.type ?? '');
