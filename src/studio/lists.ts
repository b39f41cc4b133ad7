/** Lists in a response, and what the table of items looks like. */
import { parseJson } from '../index';
import type { Json, JsonObject } from '../index';
import type { TablePreview } from './preview-shape';

const MOST_LEVELS = 5;
const MOST_LISTS = 50;
const MOST_COLUMNS = 100;

const isObject = (value: Json | undefined): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/**
 * The lists of a JSON text, each with the path of keys that leads there; of the response itself, the path is empty.
 *
 * @example listsIn('{"data": {"rivers": [{}, {}]}}') // [{ path: 'data.rivers', count: 2 }]
 */
export function listsIn(text: string): readonly { readonly path: string; readonly count: number }[] {
  try {
    return listsOf(parseJson(text), []).slice(0, MOST_LISTS);
  } catch {
    return [];
  }
}

function listsOf(value: Json, path: readonly string[]): readonly { readonly path: string; readonly count: number }[] {
  if (Array.isArray(value)) return [{ path: path.join('.'), count: value.length }];
  if (!isObject(value) || path.length >= MOST_LEVELS) return [];
  return Object.entries(value).flatMap(([key, inner]) => (key.includes('.') ? [] : listsOf(inner, [...path, key])));
}

/**
 * Where a job says that its items are; `undefined`: it says nothing.
 *
 * @param path of the job, as events tell it
 * @example itemsPathIn(config, 'config.jobs[0]') // 'data.rivers'
 */
export function itemsPathIn(config: Json, path: string): string | undefined {
  const root = isObject(config) && isObject(config['parameters']) ? config['parameters'] : config;
  const steps = [...path.matchAll(/([^.[\]]+)/g)].map(([step]) => step);
  const job = steps.reduce<Json | undefined>((value, step) => {
    if (Array.isArray(value)) return (value as readonly Json[])[Number(step)];
    return isObject(value) ? value[step] : undefined;
  }, root);
  const field = isObject(job) ? job['dataField'] : undefined;
  if (typeof field === 'string') return field;
  return isObject(field) && typeof field['path'] === 'string' ? field['path'] : undefined;
}

/** A table of the items as they are: a column for each key. */
export function tableOf(name: string, items: readonly Json[]): TablePreview {
  const objects = items.map((item) => (isObject(item) ? item : { value: item }));
  const names = [...new Set(objects.flatMap((item) => Object.keys(item)))].slice(0, MOST_COLUMNS);
  const typeOf = (column: string): string => {
    const types = new Set(objects.flatMap((item) => typeOfValue(item[column])));
    return types.size === 1 ? [...types].join() : types.size === 0 ? 'null' : 'mixed';
  };
  return {
    name,
    columns: names.map((column) => ({ name: column, type: typeOf(column) })),
    rows: objects.map((item) => names.map((column) => item[column] ?? null)),
  };
}

const typeOfValue = (value: Json | undefined): readonly string[] => {
  if (value === null || value === undefined) return [];
  if (Array.isArray(value)) return ['list'];
  return [typeof value === 'bigint' ? 'number' : typeof value];
};
