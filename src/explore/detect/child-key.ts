import { isObject, ownValue } from '../../core/json/keys';
import type { Json } from '../../core/model';
import type { Detected } from './detected';
import { isCertainKey, isKeyOf, primaryKeyOf } from './item-fields';

/** What was seen of a list that is called for each item of another one. */
export interface ChildSample {
  /** The items that came, by the item of the parent that they were asked for. */
  readonly byParent: readonly (readonly Json[])[];
  /** The fields that the placeholders of its path stand for, those of the lists above first. */
  readonly fields: readonly string[];
  /** This tells whether the field of the parent alone tells its items apart, whatever is above them. */
  readonly isParentAlone: boolean;
  /** This tells whether the parent itself is called for items of another list: items of all of these were not seen. */
  readonly isDeep: boolean;
}

/**
 * The key of the table of a child: that of its items, where it differs among items of several parents; else with the columns of the
 * parents, since it may be one among the items of its parent alone.
 *
 * @returns `undefined` where no items were seen, where nothing is surely a key, or where no columns tell the parents apart
 * @example childKeyOf({ byParent: [[{ id: 1 }, { id: 2 }]], fields: ['id'], isParentAlone: true, isDeep: false })?.value // ['parent_id', 'id']
 */
export function childKeyOf(sample: ChildSample): Detected<readonly string[]> | undefined {
  const seen = sample.byParent.filter((items) => items.length > 0);
  const own = seen.map(primaryKeyOf).find(isCertainKey)?.value;
  if (own === undefined || !seen.every((items) => isKeyOf(items, own))) return undefined;
  const all = seen.flat();
  const name = `"${own.join('", "')}"`;
  const isUnique = isKeyOf(all, own);
  if (isUnique && seen.length > 1 && !sample.isDeep)
    return found(own, `${name} is there and differs in all items of the ${seen.length} parents that were seen.`);
  const columns = columnsOf(sample);
  if (columns === undefined || all.some((item) => hasAny(item, columns))) return undefined;
  const why = isUnique ? 'perhaps only there' : 'and comes again at another one';
  return found(
    [...columns, ...own],
    `${name} differs in the items of a parent, ${why}, so that the key begins with what tells the parents apart.`,
  );
}

const found = (value: readonly string[], reason: string): Detected<readonly string[]> => ({
  value,
  confidence: 'likely',
  reason,
});

/** The columns that rows have of the placeholders; those of equal fields are one column, which has the value of the nearest parent. */
function columnsOf({ fields, isParentAlone }: ChildSample): readonly string[] | undefined {
  const columns = [...new Set(fields.map((field) => `parent_${field}`))];
  const isPlain = fields.every((field) => /^[A-Za-z][A-Za-z0-9_]*$/.test(field) && !field.startsWith('parent_'));
  return isPlain && (columns.length === fields.length || isParentAlone) ? columns : undefined;
}

/** A field of the items that is called as such a column would have its place. */
const hasAny = (item: Json, columns: readonly string[]): boolean =>
  isObject(item) && columns.some((column) => ownValue(item, column) !== undefined);
