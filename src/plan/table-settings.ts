import * as E from 'fp-ts/Either';
import type { Job, Settings } from '../language/configuration/configuration';
import { fault } from '../language/codec/checked';
import type { Checked } from '../language/codec/checked';
import { withDescendants } from './primary-keys';

/** What a job may say of the table of its items. */
type TableSetting = 'nested' | 'tableName' | 'load';

/** What jobs say of the tables of their dataTypes, where they say it; jobs of one dataType say the same. */
export function tableSettingOf<K extends TableSetting>(
  { jobs }: Settings,
  key: K,
): Checked<ReadonlyMap<string, NonNullable<Job[K]>>> {
  const found = new Map<string, { readonly value: NonNullable<Job[K]>; readonly path: string }>();
  for (const { dataType, path, [key]: value } of jobs.flatMap(withDescendants)) {
    if (value === undefined) continue;
    const other = found.get(dataType);
    if (other !== undefined && other.value !== value)
      return fault(`${path}.${key}`, `the table of "${dataType}" has another value in ${other.path}.${key}`);
    found.set(dataType, other ?? { value, path });
  }
  return E.right(new Map(Array.from(found, ([dataType, { value }]) => [dataType, value])));
}
