/** Whether items with objects and lists can be read at their places alone, each of which has values of one kind then. */
import type { LinkedTable, Member, Members } from '../../tables/linked/places';
import { Names } from '../../tables/linked/places';
import type { ObservedRows } from './observed-rows';

/**
 * Tells whether each place of items has values of one kind, under keys that differ in more than their case.
 *
 * @param rows what was observed of each table
 * @example isReadable(root, rows) // false for [{ id: 1 }, { id: { no: 1 } }]
 */
export function isReadable(root: LinkedTable, rows: ReadonlyMap<LinkedTable, ObservedRows>): boolean {
  const isFilled = (member: Member): boolean => (rows.get(member.of.table)?.filledAt(member) ?? 0) > 0;
  const isOneKind = (member: Member): boolean =>
    Number(isFilled(member)) + Number(member.object !== undefined) + Number(member.list !== undefined) <= 1;
  const areReadable = ({ byKey }: Members): boolean => {
    const names = new Names();
    return Array.from(byKey.values()).every(
      (member) =>
        isName(member.key) &&
        names.take(member.key) &&
        isOneKind(member) &&
        (member.object === undefined || areReadable(member.object)) &&
        (member.list === undefined || isTableReadable(member.list)),
    );
  };
  const isTableReadable = ({ members, value }: LinkedTable): boolean =>
    (members.byKey.size === 0 || (!isFilled(value) && value.list === undefined)) &&
    areReadable(members) &&
    (value.list === undefined || (!isFilled(value) && isTableReadable(value.list)));
  const { value } = root;
  return !isFilled(value) && value.list === undefined && isTableReadable(root);
}

const isName = (key: string): boolean => key !== '' && !key.includes('\0') && key.isWellFormed();
