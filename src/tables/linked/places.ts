import { CLOSE_OBJECT, COMMA, GrowingBytes, LINE_END, OPEN_OBJECT, Spellings, ZERO } from '../bytes';
import { Names } from '../names';
import type { ColumnLimit } from '../schema/column-names';
import { isDecimal } from '../schema/column-type';
import type { LearnedColumn } from '../schema/learned-column';
import { createSchema } from '../schema/schema';
import type { TableSchema } from '../schema/schema';
import { seeScalar } from '../schema/schema-lines';

/** The columns that link tables. An API may use these names as well: its columns then get a number. */
export const ROW_ID = '_row_id';
export const PARENT_ROW_ID = '_parent_row_id';
export const POSITION = '_position';

/** The column of list elements, and of items, that are no objects. */
export const VALUE = 'value';

/** A key of the objects at one place. Values of different kinds each have their own place, so that none is lost. */
export class Member {
  /** Its column, once it had a value that is neither object, list nor null. */
  column: string | undefined;
  /** The column's name as a key of JSON, with its colon. */
  columnKey: Buffer = EMPTY;
  /** The index of its column in its table; -1: it has none. */
  place = -1;
  object: Members | undefined;
  list: LinkedTable | undefined;
  /** True if objects and lists stay JSON, since the table already has a column for them. */
  staysJson = false;
  /** The number of the last object that had it. */
  metIn = 0;

  /** @param name the name for its columns and tables, relative to its parent place */
  constructor(
    readonly key: string,
    readonly name: string,
    readonly of: Members,
  ) {}

  /** @returns the key to write a value with */
  asColumn(): Buffer {
    if (this.column === undefined) this.claimColumn();
    return this.columnKey;
  }

  /** @returns the name of the new column */
  claimColumn(): string {
    return this.setColumn(this.of.table.columns.claim(this.name));
  }

  setColumn(name: string): string {
    this.column = name;
    this.place = this.of.table.places++;
    this.columnKey = Buffer.from(`${JSON.stringify(name)}:`);
    return name;
  }

  asObject(): Members {
    this.object ??= new Members(this.of.table, this.name, this.of.depth + 1);
    return this.object;
  }
}

const EMPTY = Buffer.alloc(0);

/** The keys of the objects at one place. */
export class Members {
  readonly byKey = new Map<string, Member>();
  readonly spellings = new Spellings((key) => this.member(key));

  /**
   * @param prefix the names of the keys that lead here within the table; empty at its top
   * @param depth how many objects and lists lead here
   */
  constructor(
    readonly table: LinkedTable,
    readonly prefix: string,
    readonly depth: number,
  ) {}

  member(key: string): Member {
    const known = this.byKey.get(key);
    if (known !== undefined) return known;
    const made = new Member(key, joined(this.prefix, key), this);
    this.byKey.set(key, made);
    return made;
  }
}

const joined = (prefix: string, key: string): string => (prefix === '' ? key : `${prefix}_${key}`);

/** A table of items, or of the elements of the lists at one place. */
export class LinkedTable {
  readonly columns = new Names();
  /** The members of its objects. */
  readonly members: Members;
  /** The member for values that are no objects. */
  readonly value: Member;
  readonly out = new RowBytes();
  /** The columns that rows have beside their items, by their content. */
  readonly added = new Map<string, string>();
  /** The id of the current or last row. */
  rowId = 0;
  /** The number of members with columns. */
  places = 0;
  /** The observer of its rows; absent: rows are written to `out`. */
  readonly observer: ObservedRows | undefined;

  /**
   * @param name empty: it gets one with its first row
   * @param depth how many objects and lists lead here
   * @param isLinked whether its rows have ids
   * @param limitOf returns the limit of this table, and of its lists, whose rows are observed; absent: as in `parent`
   */
  constructor(
    public name: string,
    readonly parent: LinkedTable | undefined,
    depth: number,
    public isLinked: boolean,
    private readonly limitOf: LimitOfTable | undefined = parent?.limitOf,
  ) {
    for (const column of [ROW_ID, PARENT_ROW_ID, POSITION]) this.columns.take(column);
    this.members = new Members(this, '', depth);
    this.value = new Member(VALUE, VALUE, this.members);
    if (limitOf !== undefined) this.observer = new ObservedRows(this, limitOf);
  }

  /** Creates a column for a value that rows have beside their items, unless it has one. */
  claimAdded(of: string, name = of): void {
    if (!this.added.has(of)) this.added.set(of, this.columns.claim(name));
  }
}

/** Returns the maximum number of columns of a table. */
export type LimitOfTable = (table: string) => ColumnLimit;

/** The columns of a table whose rows are not written, and the number of these. */
export class ObservedRows {
  rows = 0;
  readonly #columns: LearnedColumn[] = [];
  #lastPosition = 0;
  #schema: TableSchema | undefined;

  constructor(
    private readonly table: LinkedTable,
    private readonly limitOf: LimitOfTable,
  ) {}

  /** @param position the index of a list element in its list; `undefined`: it is an item */
  row(position: number | undefined): void {
    this.rows += 1;
    if (position !== undefined && position > this.#lastPosition) this.#lastPosition = position;
  }

  /**
   * @param at the first byte of a value that is neither array nor object
   * @returns its end
   */
  value(member: Member, lines: Buffer, at: number): number {
    return seeScalar(lines, at, this.#columns[member.place] ?? this.#columnOf(member));
  }

  get schema(): TableSchema {
    if (this.#schema !== undefined) return this.#schema;
    const { isLinked, parent } = this.table;
    this.#schema = createSchema([], this.limitOf(this.table.name));
    if (isLinked) this.#schema.columnFor(ROW_ID);
    for (const key of parent === undefined ? [] : [PARENT_ROW_ID, POSITION]) this.#schema.columnFor(key);
    return this.#schema;
  }

  /** Returns whether DuckDB reads every value correctly, given the types. */
  get isPlain(): boolean {
    const isRead = ({ filled, mixed, columnType }: LearnedColumn): boolean =>
      filled === 0 || !(mixed || isDecimal(columnType));
    return this.rows === 0 || this.schema.learned().every(isRead);
  }

  /** Returns the number of values of a member that are neither null, array nor object. */
  filledAt(member: Member): number {
    return this.#columns[member.place]?.filled ?? 0;
  }

  /**
   * Ends the rows: from now on the columns of links are complete as well.
   *
   * @param empty columns that are created although no row has a value in them
   */
  end(empty: readonly string[]): void {
    const { rows, schema } = this;
    const { isLinked, parent } = this.table;
    if (rows === 0) return;
    const endAt = (key: string, last: number): void => {
      const column = schema.columnFor(key);
      column.see(last);
      column.filled = rows;
    };
    if (isLinked) endAt(ROW_ID, rows);
    if (parent !== undefined) {
      endAt(PARENT_ROW_ID, parent.rowId);
      endAt(POSITION, this.#lastPosition);
    }
    for (const name of empty) schema.columnFor(name);
  }

  #columnOf(member: Member): LearnedColumn {
    member.asColumn();
    const column = this.schema.columnFor(member.column as string);
    this.#columns[member.place] = column;
    return column;
  }
}

/** Keeps objects and lists under these keys of a table as JSON, unless they were split before. */
export function keepJson(table: LinkedTable, columns: readonly string[]): void {
  const byColumn = new Map(Array.from(table.members.byKey.values(), (member) => [member.column, member] as const));
  for (const column of columns) {
    const member = byColumn.get(column) ?? table.members.member(column);
    if (member.object !== undefined || member.list !== undefined) continue;
    member.staysJson = true;
    if (member.column === undefined && table.columns.take(column)) member.setColumn(column);
  }
}

/** Keeps objects and lists at a path as JSON. */
export function keepJsonAt(members: Members, [key, ...rest]: readonly string[]): void {
  const member = members.member(key ?? '');
  if (rest.length === 0) member.staysJson = true;
  else keepJsonAt(member.list?.members ?? member.asObject(), rest);
}

/** Returns the columns of the values at a path: in objects, in lists, and as elements of lists. */
export function* columnsAt(
  members: Members,
  [key, ...rest]: readonly string[],
): Generator<{ readonly table: string; readonly column: string }> {
  const member = members.byKey.get(key ?? '');
  if (member === undefined) return;
  const { column, object, list } = member;
  if (rest.length > 0) {
    if (object !== undefined) yield* columnsAt(object, rest);
    if (list !== undefined) yield* columnsAt(list.members, rest);
    return;
  }
  if (column !== undefined) yield { table: members.table.name, column };
  if (list?.value.column !== undefined) yield { table: list.name, column: list.value.column };
}

/** Returns each member of a table and of the objects in it, in the order in which they were found. */
export function* membersOf(members: Members): Generator<Member> {
  for (const member of members.byKey.values()) {
    yield member;
    if (member.object !== undefined) yield* membersOf(member.object);
  }
}

const FIRST_SIZE = 65_536;

/** Rows as lines of JSON objects, written member by member. */
class RowBytes extends GrowingBytes {
  /** The rows since they were last taken. */
  rows = 0;

  constructor() {
    super(Buffer.allocUnsafe(FIRST_SIZE));
  }

  open(): void {
    this.reserve(1);
    this.memory[this.end++] = OPEN_OBJECT;
  }

  /** @param key with its quotes and its colon */
  member(key: Uint8Array, source: Uint8Array, from: number, to: number): void {
    this.reserve(key.length + to - from + 1);
    const bytes = this.memory;
    let at = this.end;
    for (let index = 0; index < key.length; index += 1) bytes[at++] = key[index] as number;
    // For a few bytes, a copy by the runtime is slower.
    if (to - from < 32) for (let index = from; index < to; index += 1) bytes[at++] = source[index] as number;
    else {
      bytes.set(source.subarray(from, to), at);
      at += to - from;
    }
    bytes[at++] = COMMA;
    this.end = at;
  }

  /** @param value 0 or more */
  integer(key: Uint8Array, value: number): void {
    this.reserve(key.length + 24);
    const bytes = this.memory;
    bytes.set(key, this.end);
    let at = this.end + key.length;
    let digits = 1;
    for (let rest = value; rest >= 10; rest = Math.floor(rest / 10)) digits += 1;
    let rest = value;
    for (let place = at + digits - 1; place >= at; place -= 1) {
      const next = Math.floor(rest / 10);
      bytes[place] = ZERO + rest - next * 10;
      rest = next;
    }
    at += digits;
    bytes[at++] = COMMA;
    this.end = at;
  }

  /** Ends the row that was opened last. */
  close(): void {
    this.reserve(2);
    const last = this.end - 1;
    if (this.memory[last] === COMMA) this.end = last;
    this.memory[this.end++] = CLOSE_OBJECT;
    this.memory[this.end++] = LINE_END;
    this.rows += 1;
  }

  /** Returns the bytes, which are valid until the next row is opened, and starts again. */
  take(): Buffer {
    const taken = this.bytes;
    this.end = 0;
    this.rows = 0;
    return taken;
  }
}
