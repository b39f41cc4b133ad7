/** Splits items as bytes into rows of linked tables as bytes: values are copied, never parsed. */
import { skipString } from '../../core/json/skip-value';
import { CLOSE_LIST, COMMA, LINE_END, NULL, OPEN_LIST, OPEN_OBJECT, QUOTE, endOfNested, endOfScalar } from '../bytes';
import { LinkedTable, membersOf, PARENT_ROW_ID, POSITION, ROW_ID } from './places';
import type { Names } from '../names';
import type { Member, Members } from './places';
import { sqlName } from '../../core/json/sql-name';

const KEY_OF_ROW = Buffer.from(`"${ROW_ID}":`);
const KEY_OF_PARENT = Buffer.from(`"${PARENT_ROW_ID}":`);
const KEY_OF_POSITION = Buffer.from(`"${POSITION}":`);

/** The maximum depth of objects and lists that become columns and tables; deeper ones stay JSON. */
const DEEPEST_PLACE = 16;

/**
 * Thrown if rows that are already written would now be different: everything has to be split again, by what `tableToSplit` then returns.
 */
export class PlaceChanged extends Error {}

/** Thrown if rows are observed, and have properties that only written rows can have. */
export class Unobservable extends Error {}

/** Thrown at an object that has a key twice: only the last one counts. */
export class KeyTwice extends Error {}

/**
 * Splits items into rows: objects become columns of their row, lists separate tables. A single value where other items have lists is a list
 * of one.
 *
 * @example
 * const splitter = new Splitter(new LinkedTable('orders', undefined, 0, true), tables);
 * splitter.split(Buffer.from('{"id":1,"lines":[{"sku":"a"}]}\n'));
 */
export class Splitter {
  #objects = 0;

  /**
   * @param tables the names of all tables
   * @param lastRow returns the id of the last row of a table that now gets its name
   */
  constructor(
    readonly root: LinkedTable,
    private readonly tables: Names,
    private readonly lastRow: (table: string) => number = () => 0,
  ) {}

  /**
   * @param lines items, one for each line, without white space between tokens
   * @throws PlaceChanged, after which `split` has to start with the first lines again
   * @throws KeyTwice for the first line that has it; nothing of that line is written, and everything before it is
   */
  split(lines: Buffer): void {
    for (let at = 0; at < lines.length;) {
      at = this.#row(this.root, lines, at);
      if (lines[at] === LINE_END) at += 1;
    }
  }

  #row(table: LinkedTable, lines: Buffer, from: number, position?: number): number {
    const { out, observer } = table;
    if (table.isLinked) table.rowId += 1;
    if (observer !== undefined) {
      observer.row(position);
      return this.#inRow(table, lines, from);
    }
    out.open();
    if (table.isLinked) out.integer(KEY_OF_ROW, table.rowId);
    if (position !== undefined) {
      out.integer(KEY_OF_PARENT, (table.parent as LinkedTable).rowId);
      out.integer(KEY_OF_POSITION, position);
    }
    const end = this.#inRow(table, lines, from);
    out.close();
    return end;
  }

  #inRow({ members, value }: LinkedTable, lines: Buffer, from: number): number {
    return lines[from] === OPEN_OBJECT ? this.#object(members, lines, from) : this.#value(value, lines, from);
  }

  /** @returns the end of the object */
  #object(members: Members, lines: Buffer, from: number): number {
    const number = (this.#objects += 1);
    let at = from + 1;
    for (let place = 0; lines[at] === QUOTE; place += 1) {
      const { of: member, bytes } = members.spellings.at(lines, at, place);
      if (member.metIn === number) throw new KeyTwice();
      member.metIn = number;
      at = this.#value(member, lines, at + bytes.length);
      if (lines[at] === COMMA) at += 1;
    }
    return at + 1;
  }

  /** @returns the end of the value */
  #value(member: Member, lines: Buffer, at: number): number {
    const byte = lines[at];
    if (byte === NULL) return at + 4;
    const isPlace = member.of.depth < DEEPEST_PLACE && !member.staysJson;
    if (byte === OPEN_LIST && isPlace) return this.#list(member, lines, at);
    const { table } = member.of;
    const { observer } = table;
    if (member.list !== undefined) {
      if (observer !== undefined) throw new Unobservable();
      return this.#row(this.#named(member, member.list), lines, at, 0);
    }
    if (byte === OPEN_OBJECT && isPlace) return this.#object(member.asObject(), lines, at);
    const isNested = byte === OPEN_OBJECT || byte === OPEN_LIST;
    if (observer !== undefined) {
      if (isNested) throw new Unobservable();
      return observer.value(member, lines, at);
    }
    const end = isNested ? endOfNested(lines, at) : byte === QUOTE ? skipString(lines, at) : endOfScalar(lines, at);
    table.out.member(member.asColumn(), lines, at, end);
    return end;
  }

  #list(member: Member, lines: Buffer, from: number): number {
    const list = this.#named(member, member.list ?? this.#listOf(member));
    let at = from + 1;
    for (let position = 0; lines[at] !== CLOSE_LIST; position += 1) {
      at = this.#row(list, lines, at, position);
      if (lines[at] === COMMA) at += 1;
    }
    return at + 1;
  }

  /** Returns the table of the lists of a member, which is created for the first list. */
  #listOf(member: Member): LinkedTable {
    const { table, depth } = member.of;
    member.list = new LinkedTable('', table, depth + 1, true);
    const wasLinked = table.isLinked;
    table.isLinked = true;
    if (!wasLinked || member.column !== undefined || member.object !== undefined) throw new PlaceChanged();
    return member.list;
  }

  #named(member: Member, list: LinkedTable): LinkedTable {
    if (list.name !== '') return list;
    list.name = this.tables.claim(`${member.of.table.name}_${sqlName(member.name)}`);
    list.rowId = this.lastRow(list.name);
    return list;
  }
}

/** Returns the tables of a dataType, parents before their children. */
export function* tablesOf(table: LinkedTable): Generator<LinkedTable> {
  yield table;
  for (const { list } of [table.value, ...membersOf(table.members)])
    if (list !== undefined && list.name !== '') yield* tablesOf(list);
}

/** Returns the names of the columns that are created for the split items even if all of their values are null. */
export const emptyColumns = ({ members }: LinkedTable): readonly string[] =>
  Array.from(membersOf(members)).flatMap((member) => {
    const isColumn = member.object === undefined && member.list === undefined && member.metIn > 0;
    return isColumn ? [member.column ?? member.claimColumn()] : [];
  });

/** Returns the names of columns at whose places there were objects or lists: they are created only if they have values. */
export const nestedColumns = ({ members }: LinkedTable): readonly string[] =>
  Array.from(membersOf(members)).flatMap(({ column, object, list }) =>
    column !== undefined && (object !== undefined || list !== undefined) ? [column] : [],
  );
