import * as E from 'fp-ts/Either';
import type { Job, IterationConfiguration, Settings } from '../language/configuration/configuration';
import { didYouMean } from '../language/codec/suggest';
import type { Fault } from '../core/errors/errors';
import { fault } from '../language/codec/checked';
import type { Checked } from '../language/codec/checked';

type Keys = ReadonlyMap<string, readonly string[]>;

interface Written {
  readonly dataType: string;
  readonly columns: readonly string[];
  readonly path: string;
}

/**
 * The primary keys of tables without mapping, by dataType (docs/extensions/primary-keys.md): from `config.primaryKeys`
 * and from jobs. Where a dataType has several, they must be equal.
 */
export function primaryKeysOf(settings: Settings): Checked<Keys> {
  const keys = new Map<string, Written>();
  for (const written of writtenIn(settings)) {
    const other = keys.get(written.dataType);
    if (other !== undefined && other.columns.join('\n') !== written.columns.join('\n'))
      return fault(written.path, `the table of "${written.dataType}" has another primary key in ${other.path}`);
    keys.set(written.dataType, other ?? written);
  }
  return E.right(new Map(Array.from(keys.values(), ({ dataType, columns }) => [dataType, columns])));
}

/** Keys that no table will have. */
export function primaryKeyWarnings({ settings }: IterationConfiguration): readonly Fault[] {
  const { jobs, mappings = {} } = settings;
  const fed = jobs.flatMap(withDescendants).map(({ dataType }) => dataType);
  return writtenIn(settings).flatMap(({ dataType, path }) => {
    if (Object.hasOwn(mappings, dataType))
      return [{ path, message: `has no effect: the mapping of "${dataType}" says which columns are the key` }];
    const isFed = fed.includes(dataType);
    return isFed ? [] : [{ path, message: `has no effect: no job has this dataType${didYouMean(dataType, fed)}` }];
  });
}

const writtenIn = ({ jobs, primaryKeys = {} }: Settings): readonly Written[] => [
  ...Object.entries(primaryKeys).map(([dataType, columns]) => ({
    dataType,
    columns,
    path: `config.primaryKeys.${dataType}`,
  })),
  ...jobs
    .flatMap(withDescendants)
    .flatMap(({ dataType, primaryKey, path }) =>
      primaryKey === undefined ? [] : [{ dataType, columns: primaryKey, path: `${path}.primaryKey` }],
    ),
];

/** A job and all children below it. */
export const withDescendants = (job: Job): readonly Job[] => [job, ...job.children.flatMap(withDescendants)];
