/** Checks, before the first request, that destinations can store what a configuration means (docs/sinks.md). */
import type { DurableSink, Made } from '../../core/durable-sink';
import { ConfigurationError, FatalError } from '../../core/errors/errors';
import type { Fault } from '../../core/errors/errors';
import type { JsonObject } from '../../core/model';
import type { JobPlace, OutputPlan, SincePrevious } from '../../plan/plan';
import { mappingsByBucket, tablesOfBuckets } from '../../tables/mapping/mapping';
import { ownerOf, withOwner } from '../../sinks/state';
import type { TableOwner } from '../../sinks/state';
import { addsAnyRows, addsRows, keyPlaceOf } from '../../tables/table';
import { placeOf } from './places';

/** The capabilities of a destination that are checked. */
type Making = Pick<DurableSink, 'name' | 'makes' | 'maps' | 'structs' | 'isLoadedByOthers' | 'showsPages'>;

/** A feature that the configuration needs and a destination lacks. */
interface Objection {
  readonly path: string;
  readonly reason: string;
  readonly remedy: string;
  readonly isFatal: boolean;
}

/**
 * Refuses a configuration whose meaning differs from what a destination would store: a job that asks only for new items, into tables that
 * are replaced, its own or those of jobs below it; mappings, where the destination maps nothing; STRUCT and LIST columns, where it has
 * none; rows before the commit, where they are not only added.
 *
 * @param sinks the destinations
 * @param outputs how each run of the configuration writes
 * @returns warnings
 * @throws ConfigurationError with everything that is refused
 * @example checkDestinations([destinationOf('csv:out')(outputs)], outputs)
 */
export function checkDestinations(
  sinks: readonly Pick<DurableSink, 'name' | 'makes' | 'maps' | 'structs' | 'isLoadedByOthers' | 'showsPages'>[],
  outputs: readonly OutputPlan[],
): readonly Fault[] {
  const found = new Map<string, Objection & { readonly names: Set<string> }>();
  for (const sink of sinks)
    for (const objection of outputs.flatMap((output) => objectionsTo(sink, output, outputs))) {
      const key = `${objection.path}\n${objection.reason}`;
      const known = found.get(key) ?? { ...objection, names: new Set() };
      found.set(key, known);
      known.names.add(sink.name);
    }
  const all = [...found.values()];
  const refused = all.filter(({ isFatal }) => isFatal).map(faultOf);
  if (refused.length > 0) throw new ConfigurationError(refused);
  return all.filter(({ isFatal }) => !isFatal).map(faultOf);
}

const faultOf = ({ path, reason, remedy, names }: Objection & { readonly names: Set<string> }): Fault => ({
  path,
  message: `${reason} (${[...names].join(', ')}). ${remedy}`,
});

const objectionsTo = (
  { makes, maps, structs, isLoadedByOthers = false, showsPages }: Making,
  output: OutputPlan,
  outputs: readonly OutputPlan[],
): readonly Objection[] => [
  ...(isLoadedByOthers ? [] : askingForNews(output, (dataType) => isReplaced(makes, dataType, output, outputs))),
  ...(makes === 'tables' && maps === true && output === outputs[0] ? differing(outputs) : []),
  ...(output.mappings === undefined || makes === 'linked-tables' || maps === true ? [] : [unmapped(makes)]),
  ...(showsPages === undefined ? [] : shownTooSoon(output)),
  ...(structs === true ? [] : (output.structs ?? []).map(unstructured)),
];

/**
 * Returns whether the rows of a run replace those of earlier runs. If runs share tables, they replace as soon as one of them does.
 *
 * @param dataType the dataType of the table; absent: any table counts
 */
function isReplaced(
  makes: Made | undefined,
  dataType: string | undefined,
  { bucket, tables }: OutputPlan,
  outputs: readonly OutputPlan[],
): boolean {
  if (makes !== 'tables' && makes !== 'linked-tables') return false;
  const dataTypes = dataType === undefined ? [...(tables?.keys() ?? [''])] : [dataType];
  const sharing = outputs.filter((other) => makes === 'tables' || other.bucket === bucket);
  return dataTypes.some((each) => sharing.some((other) => !addsRows(other, each)));
}

const REPLACED = 'but the rows of a run take the place of those that earlier runs have brought';
const ADD =
  'Write "load": "merge" with a "primaryKey" in the job, so that they take the place of rows with the same key, or ' +
  '"load": "append", so that they are added.';

function askingForNews(
  { incrementalJobs = [], sincePrevious = [] }: OutputPlan,
  isReplaced: (dataType?: string) => boolean,
): readonly Objection[] {
  const objections = (places: readonly SincePrevious[], what: string, isFatal: boolean): readonly Objection[] =>
    places
      .filter(({ dataType }) => isReplaced(dataType))
      .map(({ path }) => ({ path, reason: `${what}, ${REPLACED}`, remedy: ADD, isFatal }));
  const own = incrementalJobs.map(({ path, dataType }) => ({ path: `${path}.incremental`, dataType }));
  const below = belowOf(incrementalJobs).filter(({ path }) => incrementalJobs.every((job) => job.path !== path));
  return [
    ...objections(own, 'asks only for what is new', true),
    ...objections(below, 'is called only for what is new in the job above it', true),
    ...objections(sincePrevious, 'names time.previousStart, as if to ask only for what is new', false),
    ...objections(
      belowOf(sincePrevious),
      'is called only for what the job above it asks for by time.previousStart',
      false,
    ),
  ];
}

const belowOf = (asking: readonly { readonly below?: readonly JobPlace[] }[]): readonly JobPlace[] =>
  asking.flatMap(({ below = [] }) => below);

/** Tables of several buckets are one table in such a destination. */
function differing(outputs: readonly OutputPlan[]): readonly Objection[] {
  try {
    tablesOfBuckets(mappingsByBucket(outputs));
    return [];
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    const remedy = 'Buckets are folders of csv:FOLDER alone; elsewhere their tables are one.';
    return error.faults.map(({ path, message }) => ({
      path,
      reason: message.replace(/\.$/, ''),
      remedy,
      isFatal: true,
    }));
  }
}

function unmapped(makes: Made | undefined): Objection {
  const path = 'config.mappings';
  const remedy = 'Use a destination with tables, such as csv:FOLDER or duckdb:FILE, or remove the mappings.';
  return makes === undefined
    ? { path, reason: 'have no effect on items that are passed on as they came', remedy, isFatal: false }
    : { path, reason: 'are not applied: only tables have them', remedy, isFatal: true };
}

const SHOWN = 'cannot be visible before the commit, as "visibility": "page" asks';
const AT_THE_COMMIT = 'or leave "visibility" out of the destination, so that they are visible at the commit.';

/** Returns the objections to a run that shows its rows before the commit: it cannot take them back, so they may only be added. */
function shownTooSoon(output: OutputPlan): readonly Objection[] {
  const { jobPlaces = [{ dataType: '', path: 'config.jobs' }], mappings, primaryKeys } = output;
  if (mappings !== undefined)
    return [
      {
        path: 'config.mappings',
        reason: `make rows that ${SHOWN}`,
        remedy: `Remove the mappings, ${AT_THE_COMMIT}`,
        isFatal: true,
      },
    ];
  return jobPlaces.flatMap(({ dataType, path }) => {
    const isMerged = primaryKeys?.has(dataType) === true;
    if (addsRows(output, dataType) && !isMerged) return [];
    const why = isMerged && addsRows(output, dataType) ? 'rows take the place of those with the same key' : REPLACES;
    return [
      {
        path,
        reason: `has rows that ${SHOWN}: its ${why}`,
        remedy: `Write "load": "append" in the job${isMerged ? ` and remove ${keyPlaceOf(output, dataType)}` : ''}, ${AT_THE_COMMIT}`,
        isFatal: true,
      },
    ];
  });
}

const REPLACES = 'rows take the place of those of earlier runs';

const unstructured = (path: string): Objection => ({
  path,
  reason: 'asks for columns of STRUCT and LIST, which only duckdb: and parquet: have',
  remedy:
    'Write "tables" or "json", or nothing; and for one of several destinations, the setting "nested": "struct" of that one.',
  isFatal: true,
});

/** A configuration and its destinations. */
export interface ConfigurationTables {
  /** The name of the configuration in messages: its file. */
  readonly name: string;
  /** Its destinations, made for its outputs. */
  readonly sinks: readonly Pick<DurableSink, 'name' | 'makes' | 'maps' | 'place'>[];
  /** How each of its runs writes. */
  readonly outputs: readonly OutputPlan[];
}

interface Owner {
  readonly name: string;
  readonly path: string;
}

/**
 * Refuses configurations of which two write the same table into the same destination (docs/command.md#several-configurations): the rows
 * of one would replace, or mix with, those of the other. The tables that a destination makes of lists in items are known only when items
 * come, and are not checked here.
 *
 * @throws ConfigurationError with the places of both in each fault
 * @example checkSharedTables([{ name: 'a.yaml', sinks, outputs }, { name: 'b.yaml', sinks, outputs }])
 */
export function checkSharedTables(configurations: readonly ConfigurationTables[]): void {
  const owners = new Map<string, Owner>();
  const faults: Fault[] = [];
  for (const { name, sinks, outputs } of configurations)
    for (const sink of sinks)
      for (const { key, table, path } of tablesIn(sink, outputs)) {
        const owner = owners.get(key);
        if (owner === undefined) owners.set(key, { name, path });
        else if (owner.name !== name)
          faults.push({ path: `${name} ${path}`, message: mixed(table, sink.name, `${owner.name} ${owner.path}`) });
      }
  if (faults.length > 0) throw new ConfigurationError(faults);
}

const mixed = (table: string, sink: string, owner: string): string =>
  `writes the table ${JSON.stringify(table)} of ${sink}, and so does ${owner}. Give one of them another "tableName" or another ` +
  'destination; if one is to add to what the other has written, run each in a call of its own';

/** Returns the tables of a destination by their lower-case names, since case does not distinguish tables. */
function tablesIn(
  sink: ConfigurationTables['sinks'][number],
  outputs: readonly OutputPlan[],
): readonly { readonly key: string; readonly table: string; readonly path: string }[] {
  const { name, place = name } = sink;
  const where = placeOf(place);
  if (where === undefined) return [];
  const format = /^[a-z]+/.exec(name)?.[0] ?? '';
  return namedTables(sink, outputs).map(({ bucket, table, path }) => ({
    ...{ table, path },
    key: [format, where, bucket, table.toLowerCase()].join('\n'),
  }));
}

/** A table of a destination that a configuration names. */
interface NamedTable {
  /** The bucket, where the destination keeps tables of several apart; else empty. */
  readonly bucket: string;
  readonly table: string;
  /** True if a run replaces its rows. */
  readonly isReplaced: boolean;
  readonly path: string;
}

function namedTables(
  { makes, maps }: Pick<DurableSink, 'makes' | 'maps'>,
  outputs: readonly OutputPlan[],
): readonly NamedTable[] {
  if (makes !== 'tables' && makes !== 'linked-tables') return [];
  const inBucket = (bucket = ''): string => (makes === 'linked-tables' ? bucket : '');
  const ofJobs = outputs.flatMap((output) =>
    (output.jobPlaces ?? []).map(({ dataType, path }) => ({
      ...{ bucket: inBucket(output.bucket), table: output.tables?.get(dataType) ?? dataType, path },
      isReplaced: isReplaced(makes, dataType, output, outputs),
    })),
  );
  if (makes !== 'linked-tables' && maps !== true) return ofJobs;
  const mapped = [...mappingsByBucket(outputs)].flatMap(([bucket, { mappings, output }]) =>
    mappings.tables.map(({ name: table }) => ({
      ...{ bucket: inBucket(bucket), table, path: 'config.mappings' },
      isReplaced: !addsAnyRows(output),
    })),
  );
  return [...ofJobs, ...mapped];
}

/** A destination as it was found, with what it has kept of earlier runs. */
export interface FoundTables {
  readonly sink: Pick<DurableSink, 'name' | 'makes' | 'maps' | 'standOf'>;
  readonly state: JsonObject;
}

/**
 * Refuses to replace the rows of a table that another configuration fills: one of another name that asks for other data. Where either has
 * no name nobody knows.
 *
 * @throws FatalError TABLE_TAKEN
 */
export async function checkOwners(
  found: readonly FoundTables[],
  outputs: readonly OutputPlan[],
  own: TableOwner,
): Promise<void> {
  for (const { sink, state } of found)
    for (const each of namedTables(sink, outputs)) {
      const owner = ownerOf(state, keyOf(each));
      if (!each.isReplaced || owner === undefined || !isAnother(owner, own)) continue;
      if (((await sink.standOf?.(each.table)) ?? 'filled') === 'filled')
        throw taken(sink.name, each, owner.name, own.name);
    }
}

/** Returns the state of a destination after a run, with the owner of its tables. */
export const withOwnTables = (
  state: JsonObject,
  sink: Pick<DurableSink, 'makes' | 'maps'>,
  outputs: readonly OutputPlan[],
  own: TableOwner,
): JsonObject =>
  withOwner(
    state,
    namedTables(sink, outputs).map((each) => ({ ...each, table: keyOf(each) })),
    own,
  );

const keyOf = ({ bucket, table }: NamedTable): string => (bucket === '' ? table : `${bucket}.${table}`);

const isAnother = (owner: TableOwner, own: TableOwner): boolean =>
  owner.name !== undefined && own.name !== undefined && owner.name !== own.name && owner.asked !== own.asked;

const taken = (sink: string, { table, path }: NamedTable, owner = '', own = ''): FatalError =>
  new FatalError(
    'TABLE_TAKEN',
    `${path}: the table ${JSON.stringify(table)} of ${sink} is filled by another configuration, ${JSON.stringify(owner)}, and this one, ` +
      `${JSON.stringify(own)}, would replace its rows. Nothing was requested. Give the job another "tableName", or name another ` +
      'destination; if this configuration is to fill the table from now on, run it with --take-over (takeOver in the library).',
    { table },
  );
