import * as E from 'fp-ts/Either';
import type { Settings } from '../config/configuration';
import type { Nesting } from '../config/jobs/nesting';
import { fault } from '../codec/checked';
import type { Checked } from '../codec/checked';
import { withDescendants } from './primary-keys';

/** What becomes of the objects and lists in items, by dataType, where jobs say it; jobs of one dataType say the same. */
export function nestingOf({ jobs }: Settings): Checked<ReadonlyMap<string, Nesting>> {
  const found = new Map<string, { readonly nested: Nesting; readonly path: string }>();
  for (const { dataType, nested, path } of jobs.flatMap(withDescendants)) {
    if (nested === undefined) continue;
    const other = found.get(dataType);
    if (other !== undefined && other.nested !== nested)
      return fault(`${path}.nested`, `the table of "${dataType}" has another value in ${other.path}.nested`);
    found.set(dataType, other ?? { nested, path });
  }
  return E.right(new Map(Array.from(found, ([dataType, { nested }]) => [dataType, nested])));
}
