/** What runs do to the rows that tables have (docs/sinks.md#tables). */
import * as E from 'fp-ts/Either';
import { pipe } from 'fp-ts/function';
import { allOf, fault } from '../language/codec/checked';
import type { Checked } from '../language/codec/checked';
import type { Job, Settings } from '../language/configuration/configuration';
import type { Load } from '../language/configuration/jobs/load';
import { isBlank } from '../core/json/blank';
import { entriesOf, isObject, ownValue } from '../core/json/keys';
import type { Json } from '../core/model';
import type { OutputPlan } from './plan';
import { withDescendants } from './primary-keys';
import { tableSettingOf } from './table-settings';

/** Where it is written what a run does to a table. */
interface Written {
  readonly load: Load;
  readonly path: string;
}

/**
 * What runs do to the rows of each table: what a job says, else what `config` says.
 *
 * @param keys the keys of tables without mapping, by dataType
 * @returns a fault where it fits neither `incrementalOutput` nor the key of a table
 */
export const loadsOf = (
  settings: Settings,
  keys: ReadonlyMap<string, readonly string[]>,
): Checked<Pick<OutputPlan, 'incremental' | 'loads'>> => {
  const { load, incrementalOutput } = settings;
  if (load === 'replace' && incrementalOutput)
    return fault('config.load', 'is "replace", while "incrementalOutput" adds rows: remove one of them');
  const common: Written | undefined = load === undefined ? undefined : { load, path: 'config.load' };
  const jobs = settings.jobs.flatMap(withDescendants);
  const hasKey = (dataType: string): boolean =>
    keys.has(dataType) || mapsKey(ownValue(settings.mappings ?? {}, dataType));
  return pipe(
    tableSettingOf(settings, 'load'),
    E.chain((loads) =>
      pipe(
        allOf(jobs.map((job) => checkLoad(job, common, hasKey))),
        E.map(() => ({
          incremental: load === undefined ? incrementalOutput : load !== 'replace',
          ...(loads.size === 0 ? {} : { loads }),
        })),
      ),
    ),
  );
};

function checkLoad(
  { dataType, path, load: own }: Job,
  common: Written | undefined,
  hasKey: (dataType: string) => boolean,
): Checked<void> {
  const written = own === undefined ? common : { load: own, path: `${path}.load` };
  const of = `the table of ${JSON.stringify(dataType)} (${path})`;
  if (written?.load === 'merge' && !hasKey(dataType))
    return fault(
      written.path,
      `"merge" needs to know which row takes the place of which, and ${of} has no primary key. Write "primaryKey" in ` +
        'the job, or "load": "append"',
    );
  if (written?.load === 'append' && hasKey(dataType))
    return fault(
      written.path,
      `"append" would put rows with equal keys beside each other, and ${of} has a primary key. Write "merge", or remove the key`,
    );
  return E.right(undefined);
}

/** Tells whether a mapping gives the table itself a primary key. */
function mapsKey(mapping: Json | undefined): boolean {
  if (!isObject(mapping)) return false;
  return entriesOf(mapping).some(([, entry]) => {
    const column = isObject(entry) ? ownValue(entry, 'mapping') : undefined;
    return isObject(column) && !isBlank(ownValue(column, 'primaryKey'));
  });
}
