/** The known tables of items, passed from one run to the next, and from one attempt to split items to the next. */
import { FatalError } from '../../core/errors/errors';
import { entriesOf, objectAt, objectFrom, stringAt, valueBelow } from '../../core/json/objects';
import type { Json, JsonObject } from '../../core/model';
import { LinkedTable } from './places';
import type { LimitOfTable, Member, Members } from './places';
import type { Names } from '../names';
import { tablesOf } from './splitter';

/** Returns a table in the form in which it is kept for the next run. */
export const keptTable = ({ name, value, members, parent, added }: LinkedTable): JsonObject => ({
  name,
  value: keptMember(value),
  members: keptMembers(members),
  ...(parent === undefined ? { added: objectFrom(added) } : {}),
});

const keptMembers = ({ byKey }: Members): JsonObject =>
  objectFrom(Array.from(byKey.values(), (member) => [member.key, keptMember(member)] as const));

const keptMember = ({ column, object, list }: Member): JsonObject => ({
  ...(column === undefined ? {} : { column }),
  ...(object === undefined ? {} : { object: keptMembers(object) }),
  ...(list === undefined || list.name === '' ? {} : { list: keptTable(list) }),
});

/** Returns the error for a dataType with the earlier name of the table of a list. */
function nameTaken(table: string): FatalError {
  const message = `The table ${JSON.stringify(table)} is that of a list in the items of another job, since an earlier run.`;
  return new FatalError('TABLE_NAME', `${message} Give the job with this dataType another one.`, { table });
}

/**
 * Restores a table from {@link keptTable}; unreadable parts are left out, and found again.
 *
 * @throws FatalError TABLE_NAME where a dataType has the name of a restored table
 */
export function recallTable(table: LinkedTable, kept: Json, tables: Names): void {
  for (const [of, column] of entriesOf(objectAt(kept, 'added')))
    if (typeof column === 'string' && table.columns.take(column)) table.added.set(of, column);
  recallMember(table.value, objectAt(kept, 'value'), tables);
  recallMembers(table.members, objectAt(kept, 'members'), tables);
}

function recallMembers(members: Members, kept: JsonObject, tables: Names): void {
  for (const [key, member] of entriesOf(kept)) recallMember(members.member(key), member, tables);
}

function recallMember(member: Member, kept: Json, tables: Names): void {
  const { table, depth } = member.of;
  const column = stringAt(kept, 'column');
  if (column !== undefined && table.columns.take(column)) member.setColumn(column);
  if (valueBelow(kept, 'object') !== undefined) recallMembers(member.asObject(), objectAt(kept, 'object'), tables);
  const list = objectAt(kept, 'list');
  const name = stringAt(list, 'name');
  if (name === undefined) return;
  if (!tables.take(name)) throw nameTaken(name);
  member.list = new LinkedTable(name, table, depth + 1, true);
  recallTable(member.list, list, tables);
}

/**
 * Returns the table of a dataType before its items are split, with the names of earlier runs only.
 *
 * @param kept the result of {@link keptTable}
 * @param abandoned the table of an attempt that ended with `PlaceChanged`: its places of lists have lists from the start, while
 *   its names are free again
 * @param limitOf returns the limit of each table whose rows are observed; absent: they are written
 * @throws FatalError TABLE_NAME as {@link recallTable}
 * @example tableToSplit('orders', null, tables).name // 'orders'
 */
export function tableToSplit(
  dataType: string,
  kept: Json,
  tables: Names,
  abandoned?: LinkedTable,
  limitOf?: LimitOfTable,
): LinkedTable {
  const table = new LinkedTable(dataType, undefined, 0, false, limitOf);
  const [, ...lists] = abandoned === undefined ? [] : tablesOf(abandoned);
  for (const { name } of lists) tables.release(name);
  recallTable(table, kept, tables);
  table.isLinked = abandoned?.isLinked === true || [...tablesOf(table)].length > 1;
  if (abandoned !== undefined) expectLists(table, abandoned);
  return table;
}

function expectLists(table: LinkedTable, known: LinkedTable): void {
  expectAt(table.value, known.value);
  expectIn(table.members, known.members);
}

function expectIn(members: Members, known: Members): void {
  for (const member of known.byKey.values()) expectAt(members.member(member.key), member);
}

/** Moves the members of an object to the lists that were later found at its place. */
function expectAt(member: Member, { list, object }: Member): void {
  const { table, depth } = member.of;
  if (list !== undefined) {
    member.list ??= new LinkedTable('', table, depth + 1, true);
    expectLists(member.list, list);
  } else if (object !== undefined) expectIn(member.asObject(), object);
}
