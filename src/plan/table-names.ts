/** Which table the items of each dataType go to (docs/sinks.md#names). */
import * as E from 'fp-ts/Either';
import { pipe } from 'fp-ts/function';
import { fault } from '../language/codec/checked';
import type { Checked } from '../language/codec/checked';
import type { IterationConfiguration, Settings } from '../language/configuration/configuration';
import { entriesOf, objectFrom } from '../core/json/keys';
import { tableNameOf } from '../core/json/sql-name';
import type { OutputPlan } from './plan';
import { withDescendants } from './primary-keys';
import { tableSettingOf } from './table-settings';

/** `sql`: names that SQL takes without quotes. `dataType`: the names are the dataTypes themselves, as the language has it. */
export type TableNaming = 'sql' | 'dataType';

/** The names of tables by dataType. */
export type TableNames = ReadonlyMap<string, string>;

/**
 * The table of each dataType of one iteration: as its jobs call it (`tableName`), or a name made of the dataType.
 *
 * @returns a fault where jobs of one dataType say different names
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
 * Refuses dataTypes that would share a table, be it in different iterations: capitals do not count, since they do not for most
 * databases and for some file systems.
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

/** How a run writes, by the names of tables in place of dataTypes: for who makes tables. */
export function outputByTable(output: OutputPlan): OutputPlan {
  const { tables, loads, mappings, primaryKeys, columnTypes, nested } = output;
  const renamed = <V>([dataType, value]: readonly [string, V]) => [tables?.get(dataType) ?? dataType, value] as const;
  return {
    ...output,
    ...(loads === undefined ? {} : { loads: new Map([...loads].map(renamed)) }),
    ...(mappings === undefined ? {} : { mappings: objectFrom(entriesOf(mappings).map(renamed)) }),
    ...(primaryKeys === undefined ? {} : { primaryKeys: new Map([...primaryKeys].map(renamed)) }),
    ...(columnTypes === undefined ? {} : { columnTypes: new Map([...columnTypes].map(renamed)) }),
    ...(nested === undefined ? {} : { nested: new Map([...nested].map(renamed)) }),
  };
}
