import * as E from 'fp-ts/Either';
import type { IterationConfiguration, Settings } from '../config/configuration';
import type { Fault } from '../errors';
import type { ChosenType } from '../json/column-type';
import { fault } from '../codec/checked';
import type { Checked } from '../codec/checked';
import { withDescendants } from './primary-keys';

/** The type that a job chooses for the values at a path in its items. */
export interface ChosenColumn {
  readonly type: ChosenType;
  /** Where it stands in the configuration. */
  readonly place: string;
}

/** The chosen types of columns by dataType, and by the path in items. */
export type ChosenColumns = ReadonlyMap<string, ReadonlyMap<string, ChosenColumn>>;

/** Types that no column will have. */
export const columnTypeWarnings = ({ settings }: IterationConfiguration): readonly Fault[] =>
  settings.jobs.flatMap(withDescendants).flatMap(({ dataType, columnTypes, path }) =>
    Object.keys(columnTypes).length > 0 && Object.hasOwn(settings.mappings ?? {}, dataType)
      ? [
          {
            path: `${path}.columnTypes`,
            message: `has no effect: the mapping of "${dataType}" says the types of its columns`,
          },
        ]
      : [],
  );

/** What jobs say in `columnTypes`; jobs of one dataType say the same of a path. */
export function columnTypesOf({ jobs }: Settings): Checked<ChosenColumns> {
  const found = new Map<string, Map<string, ChosenColumn>>();
  for (const { dataType, columnTypes, path } of jobs.flatMap(withDescendants))
    for (const [field, type] of Object.entries(columnTypes)) {
      const place = `${path}.columnTypes[${JSON.stringify(field)}]`;
      const ofType = found.get(dataType) ?? new Map<string, ChosenColumn>();
      found.set(dataType, ofType);
      const other = ofType.get(field);
      if (other !== undefined && other.type !== type)
        return fault(place, `the table of "${dataType}" has another type in ${other.place}`);
      ofType.set(field, other ?? { type, place });
    }
  return E.right(found);
}
