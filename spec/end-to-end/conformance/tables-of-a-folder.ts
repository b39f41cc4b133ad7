/** Tables as they lie in a folder, and in a form in which equal ones are equal. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

export interface StoredTable {
  readonly csv: string;
  readonly manifest: object;
}
type Stored = Readonly<Record<string, StoredTable>>;

/** The CSV files of a folder with their manifests (language 8.11). */
export function readTables(folder: string): Stored {
  if (!existsSync(folder)) return {};
  const read = (name: string): string => readFileSync(join(folder, name), 'utf8');
  const names = readdirSync(folder).filter((name) => !name.endsWith('.manifest'));
  return Object.fromEntries(
    names.map((name) => [name, { csv: read(name), manifest: JSON.parse(read(`${name}.manifest`)) as object }]),
  );
}

const GENERATED = /^(.*_)?[0-9a-f]{32}$/;

/** The rows of each table, its header first. Generated ids are numbered in order of appearance: only their links count. */
export function comparable(tables: Stored): object {
  const numbers = new Map<string, string>();
  const numbered = (cell: string): string => {
    const [id, prefix = ''] = GENERATED.exec(cell) ?? [];
    if (id === undefined) return cell;
    const number = numbers.get(id) ?? `${prefix}#${numbers.size}`;
    numbers.set(id, number);
    return number;
  };
  const sorted = Object.entries(tables).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(
    sorted.map(([name, { csv, manifest }]) => {
      const [header = [], ...rows] = rowsOf(csv);
      return [name, { manifest, header, rows: rows.map((row) => row.map(numbered)) }];
    }),
  );
}

/** Rows of CSV in which every field is quoted and every line ends with LF; anything else is an error. */
function rowsOf(csv: string): readonly (readonly string[])[] {
  if (!/^("([^"]|"")*"(,(?=")|\n))*$/.test(csv)) throw new Error(`not the CSV of the language: ${csv.slice(0, 200)}`);
  const rows: string[][] = [];
  let row: string[] = [];
  for (const [, field = '', end] of csv.matchAll(/"((?:[^"]|"")*)"(,|\n)/g)) {
    row.push(field.replaceAll('""', '"'));
    if (end === ',') continue;
    rows.push(row);
    row = [];
  }
  return rows;
}
