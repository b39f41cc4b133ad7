import { isBlank } from '../../core/json/blank';
import { entriesOf, isList, isObject } from '../../core/json/keys';
import type { Json } from '../../core/model';
import type { Input } from './codec';
import type { Finding, Path } from './finding';
import { asObject, valueOf } from './primitives';

const holdsFunction = (value: Json): boolean => {
  if (isList(value)) return value.some(holdsFunction);
  if (!isObject(value)) return false;
  return Object.hasOwn(value, 'function') || entriesOf(value).some(([, inner]) => holdsFunction(inner));
};

/**
 * Parameters that are arrays are not searched for functions (docs/language/jobs.md#parameters), unless
 * `functionsInLists` says so.
 */
export function literalListNotes(request: Input, path: Path): readonly Finding[] {
  if (!isBlank(valueOf(request, 'functionsInLists'))) return [];
  return entriesOf(asObject(valueOf(request, 'params')) ?? {})
    .filter(([, value]) => isList(value) && holdsFunction(value))
    .map(([name]) => ({
      path: [...path, 'params', name],
      message: 'is sent as it is: functions in arrays are only evaluated with "functionsInLists": true beside params',
    }));
}
