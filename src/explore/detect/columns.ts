import { entriesOf, isList, isObject, ownValue } from '../../core/json/keys';
import type { Json } from '../../core/model';
import { parseUrl } from '../../core/url/parse-url';
import type { Answer } from './answer';
import type { DataPlace } from './data-place';

/** What the values of items are called that are arrays. */
export interface Columns {
  readonly names: readonly string[];
  /** The key of the array that has the names. */
  readonly key: string;
  /** Another address of the same data, where the items are objects. */
  readonly ofObjects?: string;
}

/**
 * The columns of items that are arrays: an array of as many strings beside them.
 *
 * @example columnsOf({ data: { columns: ['id'], rows: [[1]] }, … }, place)?.names // ['id']
 */
export function columnsOf({ url, data = null }: Answer, { keys, items }: DataPlace): Columns | undefined {
  const [first] = items;
  const holder = keys
    .slice(0, -1)
    .reduce<Json | undefined>((at, key) => (isObject(at) ? ownValue(at, key) : undefined), data);
  if (!isObject(holder) || !isList(first) || first.length === 0) return undefined;
  if (!items.every((each) => isList(each) && each.length === first.length)) return undefined;
  const named = entriesOf(holder).flatMap(([key, value]) => {
    const names = isList(value) ? value.filter((each) => typeof each === 'string') : [];
    return key !== keys.at(-1) && isList(value) && names.length === value.length && names.length === first.length
      ? [{ key, names }]
      : [];
  });
  const [found] = named;
  if (found === undefined) return undefined;
  const ofObjects = isDatasette(holder, url) ? withShape(url) : undefined;
  return { ...found, ...(ofObjects === undefined ? {} : { ofObjects }) };
}

const DATASETTE = ['rows', 'columns', 'truncated'];

const isDatasette = (holder: Parameters<typeof ownValue>[0], url: string): boolean =>
  DATASETTE.every((key) => Object.hasOwn(holder, key)) || /\/-\//.test(url);

/** Datasette gives objects by this parameter. */
function withShape(url: string): string | undefined {
  const address = parseUrl(url);
  if (address === undefined || address.searchParams.get('_shape') === 'objects') return undefined;
  address.searchParams.set('_shape', 'objects');
  return address.href;
}

const MOST_NAMED = 12;

/** What a person should know of such items, in sentences. */
export function toldColumns({ names, key, ofObjects }: Columns): string {
  const shown = `${names.slice(0, MOST_NAMED).join(', ')}${names.length > MOST_NAMED ? ', …' : ''}`;
  const hint =
    ofObjects === undefined
      ? 'Look in the manual of the API for a parameter that gives objects.'
      : 'This looks like datasette, which gives objects by the parameter _shape=objects.';
  return `The items are arrays, and "${key}" names their values: ${shown}. A table has them without these names. ${hint}`;
}
