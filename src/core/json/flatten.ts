import type { Json, JsonScalar } from '../model';
import { entriesOf, isList, isObject } from './keys';

/**
 * Nested keys and array indexes joined by `.` (docs/language/configuration.md#attributes). Empty arrays and objects
 * give no name.
 *
 * @param prefix what all names begin with, without a trailing `.`
 * @example flatten({ server: { ports: [80] } }) // Map { 'server.ports.0' => 80 }
 */
export function flatten(value: Json, prefix?: string): ReadonlyMap<string, JsonScalar> {
  const names = new Map<string, JsonScalar>();
  const walk = (inner: Json, name?: string): void => {
    const under = (key: string): string => (name === undefined ? key : `${name}.${key}`);
    if (isList(inner)) inner.forEach((element, at) => walk(element, under(String(at))));
    else if (isObject(inner)) entriesOf(inner).forEach(([key, element]) => walk(element, under(key)));
    else names.set(name ?? '', inner);
  };
  walk(value, prefix);
  return names;
}
