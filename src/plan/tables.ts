/** The tables of a run: primary keys, settings of jobs, names, and types of columns. */
import * as E from 'fp-ts/Either';
import { pipe } from 'fp-ts/function';
import type { Fault } from '../core/errors/errors';
import { entriesOf, objectFrom } from '../core/json/objects';
import { tableNameOf } from '../core/json/sql-name';
import { fault } from '../language/codec/codec';
import type { Checked } from '../language/codec/codec';
import { didYouMean } from '../language/codec/finding';
import type { IterationConfiguration, Job, Settings } from '../language/configuration/configuration';
import { placeInConfig } from '../language/configuration/iterations';
import type { ChosenColumn, ChosenColumns } from '../language/parts/sink';
import type { OutputPlan } from './plan';

/** A primary key, and the path of the setting that says it. */
export interface WrittenKey {
  readonly dataType: string;
  readonly columns: readonly string[];
  readonly path: string;
}

/**
 * Returns the primary keys of tables without mapping, by dataType (docs/sinks.md#primary-keys): from
 * `config.primaryKeys` and from jobs. If a dataType has several, they must be equal.
 */
export function primaryKeysOf(iteration: IterationConfiguration): Checked<ReadonlyMap<string, WrittenKey>> {
  const keys = new Map<string, WrittenKey>();
  for (const written of writtenIn(iteration)) {
    const other = keys.get(written.dataType);
    if (other !== undefined && other.columns.join('\n') !== written.columns.join('\n'))
      return fault(written.path, `the table of "${written.dataType}" has another primary key in ${other.path}`);
    keys.set(written.dataType, other ?? written);
  }
  return E.right(keys);
}

/** Warns of keys that no table will have. */
export function primaryKeyWarnings(iteration: IterationConfiguration): readonly Fault[] {
  const { jobs, mappings = {} } = iteration.settings;
  const fed = jobs.flatMap(withDescendants).map(({ dataType }) => dataType);
  return writtenIn(iteration).flatMap(({ dataType, path }) => {
    if (Object.hasOwn(mappings, dataType))
      return [{ path, message: `has no effect: the mapping of "${dataType}" says which columns are the key` }];
    const isFed = fed.includes(dataType);
    return isFed ? [] : [{ path, message: `has no effect: no job has this dataType${didYouMean(dataType, fed)}` }];
  });
}

const writtenIn = (iteration: IterationConfiguration): readonly WrittenKey[] => [
  ...Object.entries(iteration.settings.primaryKeys ?? {}).map(([dataType, columns]) => ({
    dataType,
    columns,
    path: `${placeInConfig(iteration, 'primaryKeys')}.${dataType}`,
  })),
  ...iteration.settings.jobs
    .flatMap(withDescendants)
    .flatMap(({ dataType, primaryKey, path }) =>
      primaryKey === undefined ? [] : [{ dataType, columns: primaryKey, path: `${path}.primaryKey` }],
    ),
];

/** Returns a job and all children below it. */
export const withDescendants = (job: Job): readonly Job[] => [job, ...job.children.flatMap(withDescendants)];

/** The settings of a job for the table of its items. */
type TableSetting = 'nested' | 'tableName' | 'load';

/** Returns a setting by dataType, for jobs that have it; jobs of one dataType must agree. */
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

/** The table for the items of each dataType (docs/sinks.md#names). */

/**
 * The naming of tables. `sql`: names that SQL accepts without quotes. `dataType`: the dataTypes themselves, as the
 * language defines it.
 */
export type TableNaming = 'sql' | 'dataType';

/** The names of tables by dataType. */
export type TableNames = ReadonlyMap<string, string>;

/**
 * Returns the table of each dataType of one iteration: the `tableName` of its jobs, or a name derived from the
 * dataType.
 *
 * @returns a fault if jobs of one dataType have different names
 */
export const tableNamesOf = (settings: Settings, naming: TableNaming): Checked<TableNames> =>
  pipe(
    tableSettingOf(settings, 'tableName'),
    E.map((given) => {
      const dataTypes = settings.jobs.flatMap(withDescendants).map(({ dataType }) => dataType);
      const nameOf = (dataType: string): string => given.get(dataType) ?? tableNameOf(dataType);
      return new Map(
        dataTypes.map((dataType) => [dataType, naming === 'dataType' ? dataType : nameOf(dataType)] as const),
      );
    }),
  );

/**
 * Refuses dataTypes that would share a table, even in different iterations. Names are compared without case, because
 * most databases and some file systems ignore it.
 */
export function checkTableNames(iterations: readonly IterationConfiguration[], naming: TableNaming): Checked<void> {
  const owners = new Map<string, { readonly dataType: string; readonly path: string }>();
  if (naming === 'dataType') return E.right(undefined);
  for (const { settings } of iterations) {
    const names = tableNamesOf(settings, naming);
    if (E.isLeft(names)) continue;
    for (const { dataType, path } of settings.jobs.flatMap(withDescendants)) {
      const table = names.right.get(dataType) ?? dataType;
      const owner = owners.get(table.toLowerCase());
      if (owner !== undefined && owner.dataType !== dataType)
        return fault(
          path,
          `its items are of the dataType ${JSON.stringify(dataType)}, and their table would be ${JSON.stringify(table)}, ` +
            `which is that of ${JSON.stringify(owner.dataType)} (${owner.path}): write another "tableName" in one of ` +
            'them, or the same "dataType" in both',
        );
      owners.set(table.toLowerCase(), { dataType, path });
    }
  }
  return E.right(undefined);
}

/** Returns the output plan of a run by the names of tables instead of dataTypes, for sinks that make tables. */
export function outputByTable(output: OutputPlan): OutputPlan {
  const { tables, loads, mappings, primaryKeys, keyPlaces, columnTypes, nested } = output;
  const renamed = <V>([dataType, value]: readonly [string, V]) => [tables?.get(dataType) ?? dataType, value] as const;
  return {
    ...output,
    ...(loads === undefined ? {} : { loads: new Map([...loads].map(renamed)) }),
    ...(mappings === undefined ? {} : { mappings: objectFrom(entriesOf(mappings).map(renamed)) }),
    ...(primaryKeys === undefined ? {} : { primaryKeys: new Map([...primaryKeys].map(renamed)) }),
    ...(keyPlaces === undefined ? {} : { keyPlaces: new Map([...keyPlaces].map(renamed)) }),
    ...(columnTypes === undefined ? {} : { columnTypes: new Map([...columnTypes].map(renamed)) }),
    ...(nested === undefined ? {} : { nested: new Map([...nested].map(renamed)) }),
  };
}

/** Warns of types that no column will have. */
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

/** Returns the `columnTypes` of jobs; jobs of one dataType must agree on a path. */
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
