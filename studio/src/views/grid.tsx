import type { ComponentChildren, JSX } from 'preact';

const shown = (value: unknown): string =>
  value === null || value === undefined ? '' : typeof value === 'string' ? value : JSON.stringify(value);

/** More columns than anybody reads would stop the page. */
const MOST_COLUMNS = 100;

/** Rows under their columns; a number stands at the right. */
export function Grid({
  label,
  columns: all,
  rows,
}: {
  readonly label: string;
  readonly columns: readonly { readonly name: string; readonly type?: string; readonly head?: ComponentChildren }[];
  readonly rows: readonly (readonly unknown[])[];
}): JSX.Element {
  const columns = all.slice(0, MOST_COLUMNS);
  return (
    <div class="grid" role="region" aria-label={label} tabIndex={0}>
      <table>
        <thead>
          <tr>
            {columns.map(({ name, type, head }, at) => (
              <th key={`${at} ${name}`} scope="col" class={isNumber(rows[0]?.[at], type) ? 'number' : ''}>
                {name}
                {type === undefined ? null : <small>{type}</small>}
                {head}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, at) => (
            <tr key={at}>
              {row.slice(0, MOST_COLUMNS).map((value, column) => (
                <td key={column} class={isNumber(value, columns[column]?.type) ? 'number' : ''}>
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

const isNumber = (value: unknown, type = ''): boolean =>
  typeof value === 'number' || /INT|DOUBLE|DECIMAL|FLOAT/.test(type);
