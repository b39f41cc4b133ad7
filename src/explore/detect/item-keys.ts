import { entriesOf, isObject, ownValue } from '../../core/json/objects';
import { isScalar, textOf } from '../../core/json/scalars';
import type { Json, JsonObject } from '../../core/model';
import type { Detected } from './model';

const KEY = /^_?(id|uuid|guid|key|_id|rowid|sys_id|code|slug|iid)$|(?:^|[a-z_])(?:_id|Id|_uuid|_key|_code|ID)$/;
const BEST = /^_?(id|uuid|guid|sys_id|rowid)$/i;
const CHANGED =
  /(?:^|_)(?:updated|modified|changed|last_?modified|last_?updated|edited|sequence|seq|version)|(?:updated|modified|changed|edited)(?:_?(?:at|on|date|time|stamp))?$/i;
const CREATED = /(?:created|inserted|added|published|date|time|timestamp)/i;
const MOMENT = /^\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d|$)/;
/** Returns whether a number is a Unix time of the years 2001 to 2100, in seconds or milliseconds. */
const isEpoch = (value: number): boolean => (value > 1e9 && value < 4.2e9) || (value > 1e12 && value < 4.2e12);

/**
 * Returns the fields that identify items: unique and never null in all items seen.
 *
 * @returns `undefined` if no field, and no pair of fields with names of keys, does
 * @example primaryKeyOf([{ id: 1, name: 'a' }, { id: 2, name: 'a' }])?.value // ['id']
 */
export function primaryKeyOf(items: readonly Json[]): Detected<readonly string[]> | undefined {
  const objects = items.filter(isObject);
  const [first] = objects;
  if (first === undefined || objects.length < items.length) return undefined;
  const scalars = entriesOf(first).flatMap(([key, value]) => (isScalar(value) && value !== '' ? [key] : []));
  const named = scalars.filter((key) => KEY.test(key));
  const best = [...named.filter((key) => BEST.test(key)), ...named].find((key) => isUnique(objects, [key]));
  const confidence = objects.length > 1 ? 'likely' : 'unsure';
  const seen = `in ${objects.length === 1 ? 'the only item' : `all ${objects.length} items`} that were seen`;
  if (best !== undefined) {
    const reason = `"${best}" is there and differs ${seen}.`;
    const other = BEST.test(best)
      ? undefined
      : scalars.slice(0, scalars.indexOf(best)).find((key) => isUnique(objects, [key]));
    return other === undefined
      ? { value: [best], confidence, reason }
      : { value: [best], confidence: 'unsure', reason: `${reason} So does "${other}", which comes before it.` };
  }
  const pair = named.flatMap((a, at) => named.slice(at + 1).map((b) => [a, b])).find((each) => isUnique(objects, each));
  return pair === undefined
    ? undefined
    : { value: pair, confidence: 'unsure', reason: `Together "${pair.join('" and "')}" differ ${seen}.` };
}

/** Fields with these names are keys if they are unique. */
const IDENTITY = /^_?(?:id|uuid|guid|sys_id|rowid)$/i;

/** Returns whether the found key is certain: rows with equal keys replace each other, so a wrong key would lose rows. */
export const isCertainKey = (key: Detected<readonly string[]> | undefined): key is Detected<readonly string[]> =>
  key?.confidence === 'likely' && key.value.every((name) => IDENTITY.test(name));

/** Returns whether fields exist and are unique in all items. */
const isKeyOf = (items: readonly Json[], keys: readonly string[]): boolean =>
  items.every(isObject) && isUnique(items.filter(isObject), keys);

function isUnique(items: readonly JsonObject[], keys: readonly string[]): boolean {
  const values = items.map((item) => keys.map((key) => ownValue(item, key)));
  if (!values.every((each) => each.every((value) => value !== undefined && value !== null && isScalar(value))))
    return false;
  const texts = values.map((each) => JSON.stringify(each.map((value) => textOf(value as string | number))));
  return new Set(texts).size === texts.length;
}

/**
 * Returns the field by which later runs could ask only for new items.
 *
 * @example growingFieldOf([{ id: 1, updated_at: '2024-01-01T00:00:00Z' }])?.value // 'updated_at'
 */
export function growingFieldOf(items: readonly Json[]): Detected<string> | undefined {
  const objects = items.filter(isObject);
  const [first] = objects;
  if (first === undefined) return undefined;
  const fields = Object.keys(first).filter((key) => objects.every((item) => isMoment(ownValue(item, key))));
  const changed = fields.find((key) => CHANGED.test(key));
  const created = fields.find((key) => CREATED.test(key));
  const field = changed ?? created;
  if (field === undefined) return undefined;
  const reason =
    changed === undefined ? 'a time, perhaps that of creation' : 'a time or a number that grows with changes';
  return { value: field, confidence: changed === undefined ? 'unsure' : 'likely', reason: `"${field}" is ${reason}.` };
}

const isMoment = (value: Json | undefined): boolean =>
  (typeof value === 'string' && MOMENT.test(value)) || (typeof value === 'number' && isEpoch(value));

/** The samples of a list that is called for each item of another one. */
export interface ChildSample {
  /** The items, by the parent item that they were requested for. */
  readonly byParent: readonly (readonly Json[])[];
  /** The fields of the placeholders of its path, those of the outermost parent first. */
  readonly fields: readonly string[];
  /** True if the field of the parent alone identifies its items, whatever is above them. */
  readonly isParentAlone: boolean;
  /** True if the parent itself is called for items of another list, of which not all were seen. */
  readonly isDeep: boolean;
}

/**
 * Returns the key of the table of a child: the key of its items, if it is unique among items of several parents; otherwise together with
 * the columns of the parents, since it may be unique only among the items of one parent.
 *
 * @returns `undefined` if there are no items, if no key is certain, or if no columns identify the parents
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
    `${name} differs in the items of a parent, ${why}, so that the key begins with what distinguishes the parents.`,
  );
}

const found = (value: readonly string[], reason: string): Detected<readonly string[]> => ({
  value,
  confidence: 'likely',
  reason,
});

/** Returns the columns of rows for the placeholders; equal fields share one column, with the value of the nearest parent. */
function columnsOf({ fields, isParentAlone }: ChildSample): readonly string[] | undefined {
  const columns = [...new Set(fields.map((field) => `parent_${field}`))];
  const isPlain = fields.every((field) => /^[A-Za-z][A-Za-z0-9_]*$/.test(field) && !field.startsWith('parent_'));
  return isPlain && (columns.length === fields.length || isParentAlone) ? columns : undefined;
}

/** Returns whether an item has a field with the name of such a column. */
const hasAny = (item: Json, columns: readonly string[]): boolean =>
  isObject(item) && columns.some((column) => ownValue(item, column) !== undefined);
