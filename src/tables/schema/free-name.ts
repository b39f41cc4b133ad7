/**
 * A name for a column of our own beside those of a table, whose names are data. Databases do not tell `Row` from `row`.
 *
 * @example freeName('row', ['id', 'Row']) // 'row_'
 */
export function freeName(wanted: string, taken: readonly string[]): string {
  const names = new Set(taken.map((name) => name.toLowerCase()));
  let name = wanted;
  while (names.has(name.toLowerCase())) name += '_';
  return name;
}
