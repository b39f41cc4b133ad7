import * as E from 'fp-ts/Either';
import { pipe } from 'fp-ts/function';
import type { Job, IterationConfiguration } from '../language/configuration/configuration';
import { entriesOf, isList, isObject } from '../core/json/keys';
import type { Json } from '../core/model';
import { columnTypesOf } from './column-types';
import { loadsOf } from './loads';
import type { IncrementalJob, JobPlace, OutputPlan, SincePrevious } from './plan';
import { primaryKeysOf, withDescendants } from './primary-keys';
import type { TableNames } from './table-names';
import { tableSettingOf } from './table-settings';
import type { Checked } from '../language/codec/checked';

/**
 * Where the tables of a run belong (docs/language/tables.md#files-and-buckets).
 *
 * @param tables the names of tables
 * @param iteration the name of the iteration; empty: it is the only one
 */
export function outputOf(
  { api, settings }: IterationConfiguration,
  tables: TableNames,
  iteration: string,
): Checked<OutputPlan> {
  const { outputBucket, id, mappings, compatLevel, maxColumns, runColumns } = settings;
  const bucket = outputBucket ?? (id === undefined ? undefined : `ex-api-${api.name}-${id}`);
  const jobs = settings.jobs.flatMap(withDescendants);
  const incrementalJobs = jobs.flatMap(incrementalJobOf).map((job) => (iteration === '' ? job : { ...job, iteration }));
  const structs = jobs.flatMap(({ path, nested }) => (nested === 'struct' ? [`${path}.nested`] : []));
  const sincePrevious = [
    ...(namesPreviousStart(api.http.defaultParams) ? [{ path: 'api.http.defaultOptions.params' }] : []),
    ...jobs.flatMap(sincePreviousIn),
  ];
  return pipe(
    E.Do,
    E.apS('primaryKeys', primaryKeysOf(settings)),
    E.apS('nested', tableSettingOf(settings, 'nested')),
    E.apS('columnTypes', columnTypesOf(settings)),
    E.bind('loads', ({ primaryKeys }) => loadsOf(settings, primaryKeys)),
    E.map(({ primaryKeys, nested, columnTypes, loads }) => ({
      ...(bucket === undefined ? {} : { bucket }),
      ...loads,
      tables,
      ...(runColumns ? { runColumns } : {}),
      ...(mappings === undefined ? {} : { mappings }),
      ...(primaryKeys.size === 0 ? {} : { primaryKeys }),
      ...(nested.size === 0 ? {} : { nested }),
      ...(structs.length === 0 ? {} : { structs }),
      ...(columnTypes.size === 0 ? {} : { columnTypes }),
      compatLevel,
      jobPlaces: jobs.map(placeOf),
      ...(incrementalJobs.length === 0 ? {} : { incrementalJobs }),
      ...(sincePrevious.length === 0 ? {} : { sincePrevious }),
      maxColumns,
    })),
  );
}

const placeOf = ({ id, dataType, path }: Job): JobPlace => ({ id, dataType, path });

const placesBelow = ({ children }: Job): Pick<IncrementalJob, 'below'> =>
  children.length === 0 ? {} : { below: children.flatMap(withDescendants).map(placeOf) };

function incrementalJobOf(job: Job): IncrementalJob | [] {
  if (job.incremental === undefined) return [];
  const { field, param, lag } = job.incremental;
  return { ...placeOf(job), field, param, lag, ...placesBelow(job) };
}

function sincePreviousIn(job: Job): readonly SincePrevious[] {
  const { path, dataType, params, body = null, slices } = job;
  return Object.entries({ params, body, window: slices?.window?.from ?? null }).flatMap(([name, value]) =>
    namesPreviousStart(value) ? [{ path: `${path}.${name}`, dataType, ...placesBelow(job) }] : [],
  );
}

/** Whether `{"time": "previousStart"}` stands anywhere in it. */
function namesPreviousStart(value: Json): boolean {
  if (isList(value)) return value.some(namesPreviousStart);
  if (!isObject(value)) return false;
  return entriesOf(value).some(
    ([key, inner]) => (key === 'time' && inner === 'previousStart') || namesPreviousStart(inner),
  );
}
