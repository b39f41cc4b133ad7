import { Spellings } from './bytes';

/** The columns that link tables. An API may use these names as well: its columns then get a number. */
export const ROW_ID = '_row_id';
export const PARENT_ROW_ID = '_parent_row_id';
export const POSITION = '_position';

/** The column of list elements, and of items, that are no objects. */
export const VALUE = 'value';

/** Taken names, ignoring case, since databases do not distinguish `Id` from `id`. */
export class Names {
  readonly #taken = new Set<string>();

  /** Returns the name, or the first of `<name>_2`, `<name>_3`, … that is free. */
  claim(name: string): string {
    // Databases accept no empty names, no NUL and no unpaired surrogates.
    const plain = name === '' ? '_' : name.toWellFormed().replaceAll('\0', '\uFFFD');
    for (let number = 1; ; number += 1) {
      const claimed = number === 1 ? plain : `${plain}_${number}`;
      if (this.take(claimed)) return claimed;
    }
  }

  /** @returns whether it was free */
  take(name: string): boolean {
    const folded = name.toLowerCase();
    if (this.#taken.has(folded)) return false;
    this.#taken.add(folded);
    return true;
  }

  release(name: string): void {
    this.#taken.delete(name.toLowerCase());
  }
}

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

/** Observes the rows of a table instead of receiving their bytes. */
export interface RowObserver {
  /** @param position the index of a list element in its list; `undefined`: it is an item */
  readonly row: (position: number | undefined) => void;
  /**
   * @param at the first byte of a value that is neither array nor object
   * @returns its end
   */
  readonly value: (member: Member, lines: Buffer, at: number) => number;
}

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
  readonly observer: RowObserver | undefined;

  /**
   * @param name empty: it gets one with its first row
   * @param depth how many objects and lists lead here
   * @param isLinked whether its rows have ids
   * @param observed makes the observer of the rows of this table, and of those of its lists; absent: as in `parent`
   */
  constructor(
    public name: string,
    readonly parent: LinkedTable | undefined,
    depth: number,
    public isLinked: boolean,
    private readonly observed: ((table: LinkedTable) => RowObserver) | undefined = parent?.observed,
  ) {
    for (const column of [ROW_ID, PARENT_ROW_ID, POSITION]) this.columns.take(column);
    this.members = new Members(this, '', depth);
    this.value = new Member(VALUE, VALUE, this.members);
    this.observer = this.observed?.(this);
  }

  /** Creates a column for a value that rows have beside their items, unless it has one. */
  claimAdded(of: string, name = of): void {
    if (!this.added.has(of)) this.added.set(of, this.columns.claim(name));
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

const COMMA = 0x2c;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;
const LINE_END = 0x0a;
const ZERO = 0x30;

const FIRST_SIZE = 65_536;

/** Rows as lines of JSON objects, written member by member into a growing buffer. */
class RowBytes {
  /** The rows since they were last taken. */
  rows = 0;
  #bytes = Buffer.allocUnsafe(FIRST_SIZE);
  #length = 0;

  get length(): number {
    return this.#length;
  }

  open(): void {
    this.#need(1);
    this.#bytes[this.#length++] = OPEN_OBJECT;
  }

  /** @param key with its quotes and its colon */
  member(key: Uint8Array, source: Uint8Array, from: number, to: number): void {
    this.#need(key.length + to - from + 1);
    const bytes = this.#bytes;
    let at = this.#length;
    for (let index = 0; index < key.length; index += 1) bytes[at++] = key[index] as number;
    // For a few bytes, a copy by the runtime is slower.
    if (to - from < 32) for (let index = from; index < to; index += 1) bytes[at++] = source[index] as number;
    else {
      bytes.set(source.subarray(from, to), at);
      at += to - from;
    }
    bytes[at++] = COMMA;
    this.#length = at;
  }

  /** @param value 0 or more */
  integer(key: Uint8Array, value: number): void {
    this.#need(key.length + 24);
    const bytes = this.#bytes;
    bytes.set(key, this.#length);
    let at = this.#length + key.length;
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
    this.#length = at;
  }

  /** Ends the row that was opened last. */
  end(): void {
    this.#need(2);
    const last = this.#length - 1;
    if (this.#bytes[last] === COMMA) this.#length = last;
    this.#bytes[this.#length++] = CLOSE_OBJECT;
    this.#bytes[this.#length++] = LINE_END;
    this.rows += 1;
  }

  /** Drops what was written after this length and number of rows. */
  dropTo(length: number, rows: number): void {
    this.#length = length;
    this.rows = rows;
  }

  /** Returns the bytes, which are valid until the next row is opened, and starts again. */
  take(): Buffer {
    const taken = this.#bytes.subarray(0, this.#length);
    this.dropTo(0, 0);
    return taken;
  }

  #need(more: number): void {
    if (this.#length + more <= this.#bytes.length) return;
    const larger = Buffer.allocUnsafe(Math.max(this.#bytes.length * 2, this.#length + more));
    this.#bytes.copy(larger, 0, 0, this.#length);
    this.#bytes = larger;
  }
}
