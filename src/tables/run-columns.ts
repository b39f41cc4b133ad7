/** Columns that show the run and the page of each row (docs/sinks.md#columns-of-the-run). */
import { CLOSE_OBJECT, LINE_END } from './bytes';
import { freeName } from './names';
import type { PageStamp } from '../core/evidence';

/** The values of rows beside their items. */
export interface Added {
  /** User data and placeholders, by raw name. */
  readonly extra: ReadonlyMap<string, string>;
  /** The stamp of the page; absent: rows do not show their run. */
  readonly stamp?: PageStamp;
}

interface RunColumn {
  readonly name: string;
  readonly type: 'text' | 'integer' | 'timestamptz';
  readonly valueIn: (stamp: PageStamp) => string;
}

const COLUMNS: readonly RunColumn[] = [
  { name: '_run_id', type: 'text', valueIn: ({ run }) => run },
  { name: '_page', type: 'integer', valueIn: ({ page }) => String(page) },
  { name: '_extracted_at', type: 'timestamptz', valueIn: ({ extractedAt }) => extractedAt },
];

/** The prefix of the names of the columns of the run, which no user data has. */
const MARK = '\0run:';
const MARKED = new Map(COLUMNS.map((column) => [`${MARK}${column.name}`, column]));
const MARKS = [...MARKED.keys()];

/**
 * The name, among those of user data, of the column that distinguishes rows of one run from others before they are committed: its value is
 * never used again, unlike an id that a user sets.
 */
export const LOAD_ID = `${MARK}_load_id`;
const LOAD_COLUMN = { name: '_load_id', type: 'text' } as const;

/** Returns the column of the run for a name of {@link addedColumns}; `undefined`: it is user data or a placeholder. */
export const runColumn = (name: string): Pick<RunColumn, 'name' | 'type'> | undefined =>
  name === LOAD_ID ? LOAD_COLUMN : MARKED.get(name);

/** Returns all columns of a page beside its items; the columns of the run come last, under unique names. */
export const addedColumns = ({ extra, stamp }: Added): ReadonlyMap<string, string> =>
  stamp === undefined
    ? extra
    : new Map([...extra, ...Array.from(MARKED, ([name, { valueIn }]) => [name, valueIn(stamp)] as const)]);

/** Returns the input of {@link addedColumns}. */
export function splitColumns(columns: ReadonlyMap<string, string>): Added {
  if (columns.size < MARKED.size) return { extra: columns };
  const [run, page, extractedAt] = MARKS.map((name) => columns.get(name));
  if (run === undefined || page === undefined || extractedAt === undefined) return { extra: columns };
  const extra = new Map([...columns].filter(([name]) => !MARKED.has(name)));
  return { extra, stamp: { run, page: Number(page), extractedAt } };
}

/** Returns all columns by their own names; columns of the run get a number if the names collide. */
export const namedColumns = ({ extra, stamp }: Added): ReadonlyMap<string, string> =>
  stamp === undefined
    ? extra
    : new Map([
        ...extra,
        ...COLUMNS.map(({ name, valueIn }) => [freeName(name, (other) => extra.has(other)), valueIn(stamp)] as const),
      ]);

/** Returns the names of the columns of the run beside members of items, which may have the same names. */
export const memberNames = (isTaken: (name: string) => boolean): readonly string[] =>
  COLUMNS.map(({ name }) => freeName(name, isTaken));

/**
 * Returns lines of items with the columns of the run as members at their end.
 *
 * @param names the result of {@link memberNames}
 * @example stampedLines(Buffer.from('{"id":7}\n'), stamp, names) // {"id":7,"_run_id":"r","_page":1,"_extracted_at":"…"}
 */
export const stampedLines = (lines: Uint8Array, stamp: PageStamp, names: readonly string[]): Buffer =>
  withMembers(
    lines,
    COLUMNS.map(({ type, valueIn }, at) => {
      const value = valueIn(stamp);
      return `${JSON.stringify(names[at])}:${type === 'integer' ? value : JSON.stringify(value)}`;
    }),
  );

/**
 * Returns lines of items with members at their end; items that are no objects become `value`.
 *
 * @param added the members as JSON, at least one
 * @example withMembers(Buffer.from('{"id":7}\n'), ['"page":1']) // {"id":7,"page":1}
 */
export function withMembers(lines: Uint8Array, added: readonly string[]): Buffer {
  const members = added.join(',');
  const [first, further, value] = [`${members}}\n`, `,${members}}\n`, '{"value":'].map((text) => Buffer.from(text));
  const pieces: Uint8Array[] = [];
  for (let from = 0; from < lines.length;) {
    const end = lines.indexOf(LINE_END, from);
    const to = end < 0 ? lines.length : end;
    // White space between tokens is left out.
    if (lines[to - 1] !== CLOSE_OBJECT) pieces.push(value as Buffer, lines.subarray(from, to), further as Buffer);
    else pieces.push(lines.subarray(from, to - 1), (to - from === 2 ? first : further) as Buffer);
    from = to + 1;
  }
  return Buffer.concat(pieces);
}
