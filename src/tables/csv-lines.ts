/** CSV as in docs/language/tables.md#files-and-buckets: comma, every field quoted, quotes doubled, each line ended by LF. */

/**
 * Returns one line of CSV, including its line end.
 *
 * @example csvLine(['1', 'a "b"']) // '"1","a ""b"""\n'
 */
export function csvLine(cells: readonly string[]): string {
  let line = '';
  for (const cell of cells) {
    const text = cell.includes('"') ? cell.replaceAll('"', '""') : cell;
    line += line === '' ? `"${text}"` : `,"${text}"`;
  }
  return `${line}\n`;
}

/** Returns the rows of lines that {@link csvLine} made: as many rows at once as a chunk completes. */
export async function* readCsv(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<readonly (readonly string[])[]> {
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  let text = '';
  for await (const chunk of chunks) {
    text += decoder.decode(chunk, { stream: true });
    const { rows, end } = completeRows(text);
    text = text.slice(end);
    if (rows.length > 0) yield rows;
  }
}

/** Returns the complete rows, and the start of the first incomplete one. */
function completeRows(text: string): { readonly rows: readonly (readonly string[])[]; readonly end: number } {
  const rows: string[][] = [];
  let row: string[] = [];
  let end = 0;
  let opening = 0;
  for (;;) {
    const closing = closingQuote(text, opening + 1);
    if (closing < 0 || closing + 1 === text.length) return { rows, end };
    row.push(text.slice(opening + 1, closing).replaceAll('""', '"'));
    opening = closing + 2;
    if (text[closing + 1] === ',') continue;
    rows.push(row);
    row = [];
    end = opening;
  }
}

/** Returns the end of the field that begins at `from`; the last character of an unfinished text may be half a quote. */
function closingQuote(text: string, from: number): number {
  let quote = text.indexOf('"', from);
  while (quote >= 0 && text[quote + 1] === '"') quote = text.indexOf('"', quote + 2);
  return quote;
}
