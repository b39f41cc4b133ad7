/** What is known of the places of items: which column or table the values at each of them belong to. */
import { entriesOf, isObject, objectFrom, ownValue } from '../../json/keys';
import type { Json, JsonObject } from '../../model';
import { RowBytes } from './row-bytes';

/** The columns that link tables. An API may use these names, too: its columns then get a number. */
export const ROW_ID = '_row_id';
export const PARENT_ROW_ID = '_parent_row_id';
export const POSITION = '_position';

/** The column of list elements, and of items, that are no objects. */
const VALUE = 'value';

/** Names that are taken, whatever their case: databases do not tell `Id` from `id`. */
export class Names {
  readonly #taken = new Set<string>();

  /** The name, or the first of `<name>_2`, `<name>_3`, … that is free. */
  claim(name: string): string {
    // Databases take no empty names, no NUL and no halves of characters.
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
}

/** A key of the objects at one place. Values of different kinds each have their own place, so that none is lost. */
export class Member {
  /** Its column, once a value has been there that is neither object, list nor null. */
  column: string | undefined;
  /** The column's name as a key of JSON, with its colon. */
  columnKey: Buffer = EMPTY;
  object: Members | undefined;
  list: LinkedTable | undefined;
  /** Whether objects and lists stay JSON, since the table has a column for that already. */
  staysJson = false;
  /** The number of the object that had it last. */
  metIn = 0;

  /** @param name what its columns and tables are called, within those of the place where it stands */
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
  /** What its objects hold. */
  readonly members: Members;
  /** What is no object. */
  readonly value: Member;
  readonly out = new RowBytes();
  /** The id of the row that is written now or was written last. */
  rowId = 0;

  /**
   * @param depth how many objects and lists lead here
   * @param isLinked whether its rows have ids
   */
  constructor(
    readonly name: string,
    readonly parent: LinkedTable | undefined,
    depth: number,
    public isLinked: boolean,
  ) {
    for (const column of [ROW_ID, PARENT_ROW_ID, POSITION]) this.columns.take(column);
    this.members = new Members(this, '', depth);
    this.value = new Member(VALUE, VALUE, this.members);
  }
}

/** Leaves objects and lists under these keys of a table as JSON, unless they were split before. */
export function keepJson(table: LinkedTable, columns: readonly string[]): void {
  for (const column of columns) {
    const member = table.members.member(column);
    if (member.object !== undefined || member.list !== undefined) continue;
    member.staysJson = true;
    if (member.column === undefined && table.columns.take(column)) member.setColumn(column);
  }
}

/** Visits each member of a table and of the objects in it, in the order in which they were found. */
export function* membersOf(members: Members): Generator<Member> {
  for (const member of members.byKey.values()) {
    yield member;
    if (member.object !== undefined) yield* membersOf(member.object);
  }
}

/** A table as it is kept from one run to the next. */
export const keptTable = ({ name, value, members }: LinkedTable): JsonObject => ({
  name,
  value: keptMember(value),
  members: keptMembers(members),
});

const keptMembers = ({ byKey }: Members): JsonObject =>
  objectFrom(Array.from(byKey.values(), (member) => [member.key, keptMember(member)] as const));

const keptMember = ({ column, object, list }: Member): JsonObject => ({
  ...(column === undefined ? {} : { column }),
  ...(object === undefined ? {} : { object: keptMembers(object) }),
  ...(list === undefined ? {} : { list: keptTable(list) }),
});

/** Brings back what {@link keptTable} gave; what it does not understand is left out, and found anew. */
export function recallTable(table: LinkedTable, kept: Json, tables: Names): void {
  if (!isObject(kept)) return;
  recallMember(table.value, ownValue(kept, 'value') ?? null, tables);
  recallMembers(table.members, ownValue(kept, 'members') ?? null, tables);
}

function recallMembers(members: Members, kept: Json, tables: Names): void {
  if (isObject(kept)) for (const [key, member] of entriesOf(kept)) recallMember(members.member(key), member, tables);
}

function recallMember(member: Member, kept: Json, tables: Names): void {
  if (!isObject(kept)) return;
  const { table, depth } = member.of;
  const column = ownValue(kept, 'column');
  if (typeof column === 'string' && table.columns.take(column)) member.setColumn(column);
  const object = ownValue(kept, 'object');
  if (object !== undefined) recallMembers(member.asObject(), object, tables);
  const list = ownValue(kept, 'list');
  const name = isObject(list) ? ownValue(list, 'name') : undefined;
  if (typeof name !== 'string' || list === undefined) return;
  tables.take(name);
  member.list = new LinkedTable(name, table, depth + 1, true);
  recallTable(member.list, list, tables);
}
