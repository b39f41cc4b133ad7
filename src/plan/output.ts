/** The treatment of existing rows in tables (docs/sinks.md#tables). */
import * as E from 'fp-ts/Either';
import { pipe } from 'fp-ts/function';
import { entriesOf, isList, isObject, ownValue } from '../core/json/objects';
import { isBlank } from '../core/json/scalars';
import type { Json } from '../core/model';
import { allOf, fault } from '../language/codec/codec';
import type { Checked } from '../language/codec/codec';
import type { IterationConfiguration, Job } from '../language/configuration/configuration';
import { placeInConfig } from '../language/configuration/iterations';
import type { Load } from '../language/configuration/jobs/table';
import type { IncrementalJob, JobPlace, OutputPlan, SincePrevious } from './plan';
import { columnTypesOf, primaryKeysOf, tableSettingOf, withDescendants } from './tables';
import type { TableNames, WrittenKey } from './tables';

/** The treatment of a table's rows, with its path in the configuration. */
interface Written {
  readonly load: Load;
  readonly path: string;
}

/**
 * Returns the treatment of the rows of each table: the one of a job, else the one of `config`.
 *
 * @param keyPlaces the places of the primary keys, by dataType
 * @returns a fault if it contradicts `incrementalOutput` or the key of a table
 */
const loadsOf = (
  iteration: IterationConfiguration,
  keyPlaces: ReadonlyMap<string, string>,
): Checked<Pick<OutputPlan, 'incremental' | 'loads'>> => {
  const { settings } = iteration;
  const { load, incrementalOutput } = settings;
  const path = placeInConfig(iteration, 'load');
  if (load === 'replace' && incrementalOutput)
    return fault(path, 'is "replace", while "incrementalOutput" adds rows: remove one of them');
  const common: Written | undefined = load === undefined ? undefined : { load, path };
  const jobs = settings.jobs.flatMap(withDescendants);
  return pipe(
    tableSettingOf(settings, 'load'),
    E.chain((loads) =>
      pipe(
        allOf(jobs.map((job) => checkLoad(job, common, keyPlaces.get(job.dataType)))),
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
  keyPlace: string | undefined,
): Checked<void> {
  const written = own === undefined ? common : { load: own, path: `${path}.load` };
  const of = `the table of ${JSON.stringify(dataType)} (${path})`;
  if (written?.load === 'merge' && keyPlace === undefined)
    return fault(
      written.path,
      `"merge" needs to know which row takes the place of which, and ${of} has no primary key. Write "primaryKey" in ` +
        'the job, or "load": "append"',
    );
  if (written?.load === 'append' && keyPlace !== undefined)
    return fault(
      written.path,
      `"append" would put rows with equal keys beside each other, and ${of} has a primary key. Write "merge", or remove ${keyPlace}`,
    );
  return E.right(undefined);
}

/** Returns the places of primary keys by dataType; a mapping decides about the key of its table. */
function keyPlacesOf(
  iteration: IterationConfiguration,
  keys: ReadonlyMap<string, WrittenKey>,
): ReadonlyMap<string, string> {
  const mappings = placeInConfig(iteration, 'mappings');
  return new Map([
    ...Array.from(keys, ([dataType, { path }]) => [dataType, path] as const),
    ...entriesOf(iteration.settings.mappings ?? {}).flatMap(([dataType, mapping]) =>
      mapsKey(mapping) ? [[dataType, `the primary key in ${mappings}.${dataType}`] as const] : [],
    ),
  ]);
}

/** Returns whether a mapping gives the table itself a primary key. */
function mapsKey(mapping: Json | undefined): boolean {
  if (!isObject(mapping)) return false;
  return entriesOf(mapping).some(([, entry]) => {
    const column = isObject(entry) ? ownValue(entry, 'mapping') : undefined;
    return isObject(column) && !isBlank(ownValue(column, 'primaryKey'));
  });
}

/**
 * Plans the tables of a run (docs/language/tables.md#files-and-buckets).
 *
 * @param tables the names of tables
 * @param iteration the name of the iteration; empty if there is only one
 */
export function outputOf(
  configuration: IterationConfiguration,
  tables: TableNames,
  iteration: string,
): Checked<OutputPlan> {
  const { api, settings } = configuration;
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
    E.apS('primaryKeys', primaryKeysOf(configuration)),
    E.apS('nested', tableSettingOf(settings, 'nested')),
    E.apS('columnTypes', columnTypesOf(settings)),
    E.let('keyPlaces', ({ primaryKeys }) => keyPlacesOf(configuration, primaryKeys)),
    E.bind('loads', ({ keyPlaces }) => loadsOf(configuration, keyPlaces)),
    E.map(({ primaryKeys, keyPlaces, nested, columnTypes, loads }) => ({
      ...(bucket === undefined ? {} : { bucket }),
      ...loads,
      tables,
      ...(runColumns ? { runColumns } : {}),
      ...(mappings === undefined ? {} : { mappings }),
      ...(primaryKeys.size === 0 ? {} : { primaryKeys: new Map(Array.from(primaryKeys, columnsOf)) }),
      ...(keyPlaces.size === 0 ? {} : { keyPlaces }),
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

const columnsOf = ([dataType, { columns }]: readonly [string, WrittenKey]) => [dataType, columns] as const;

const placeOf = ({ id, dataType, path }: Job): JobPlace => ({ id, dataType, path });

const placesBelow = ({ children }: Job): Pick<IncrementalJob, 'below'> =>
  children.length === 0 ? {} : { below: children.flatMap(withDescendants).map(placeOf) };

function incrementalJobOf(job: Job): IncrementalJob | [] {
  if (job.incremental === undefined) return [];
  const { field, param, lag } = job.incremental;
  return { ...placeOf(job), field, ...(param === undefined ? {} : { param }), lag, ...placesBelow(job) };
}

function sincePreviousIn(job: Job): readonly SincePrevious[] {
  const { path, dataType, params, body = null, slices } = job;
  return Object.entries({ params, body, window: slices?.window?.from ?? null }).flatMap(([name, value]) =>
    namesPreviousStart(value) ? [{ path: `${path}.${name}`, dataType, ...placesBelow(job) }] : [],
  );
}

/** Returns whether `{"time": "previousStart"}` occurs in a value. */
function namesPreviousStart(value: Json): boolean {
  if (isList(value)) return value.some(namesPreviousStart);
  if (!isObject(value)) return false;
  return entriesOf(value).some(
    ([key, inner]) => (key === 'time' && inner === 'previousStart') || namesPreviousStart(inner),
  );
}
