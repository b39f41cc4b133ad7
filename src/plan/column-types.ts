import * as E from 'fp-ts/Either';
import type { IterationConfiguration, Settings } from '../language/configuration/configuration';
import type { Fault } from '../core/errors/errors';
import { fault } from '../language/codec/checked';
import type { Checked } from '../language/codec/checked';
import type { ChosenColumn, ChosenColumns } from '../language/parts/output-plan';
import { withDescendants } from './primary-keys';

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
