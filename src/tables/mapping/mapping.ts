/**
 * `config.mappings` (docs/language/mappings.md#a-mapping): only the named values are written, into tables whose columns are known before
 * the first request.
 */
import { ConfigurationError } from '../../core/errors/errors';
import type { Fault } from '../../core/errors/errors';
import { entriesOf } from '../../core/json/objects';
import { isBlank, typeName } from '../../core/json/scalars';
import type { Json, JsonArray, JsonObject } from '../../core/model';
import type { OutputPlan } from '../../plan/plan';
import type { Place } from '../../core/json/path';
import { MappedTables, columnsAgree, columnsDiffer, keyedDepthsOf, planTable } from './plan';
import type { MappedTable, TableDefinition } from './plan';
import { PathTracker, asObject, placeOf, readMapping } from './reader';
import type { MappingEntry, Refuse } from './reader';
import { JSON_VALUES, LatestRows, writeRow } from './rows';
import type { RowOutput } from './rows';

/** Maps items of one `dataType` to rows of linked tables. */
export interface Mapping {
  /** The tables by the numbers that are passed to `emit`; mappings that were compiled together share one array. */
  readonly tables: readonly MappedTable[];
  /**
   * Writes the rows of the item at a place, with the cells of an output: rows of child tables, and of the self form, before the row that
   * contains them.
   *
   * @throws FatalError `API_SHAPE` when a value fits no cell or no primary key
   */
  readonly write: (item: Place, output: RowOutput) => void;
  /** The depths of tables with a key and child tables, which have to know which of their rows count (`LatestRows`). */
  readonly keyedDepths: readonly number[];
}

/** All mappings of a configuration. */
export interface Mappings {
  /** The tables; each is written, with or without rows. */
  readonly tables: readonly MappedTable[];
  readonly byDataType: ReadonlyMap<string, Mapping>;
  /** The dataType of each table; the first if there are several. */
  readonly roots: ReadonlyMap<string, string>;
  /** Returns the places of the entries whose paths no item has had so far, of mappings that got items. */
  readonly missing: () => readonly string[];
}

/**
 * Compiles `config.mappings` (docs/language/mappings.md). Tables of the same name become one if their columns agree.
 *
 * @param raw `dataType` → mapping, as written
 * @param path the place of the mappings
 * @param baseSeconds Unix seconds: the base of relative words in `date` entries, such as `yesterday`
 * @throws ConfigurationError with every fault
 * @example
 * const { tables, byDataType } = compileMappings({ user: { id: 'id', 'address.city': 'city' } });
 * // tables: [{ name: 'user', columns: ['id', 'city'], primaryKey: [] }]
 * const item = { holder: [{ id: 1, address: { city: 'Brno' } }], key: 0 };
 * byDataType.get('user')?.write(item, { extra: new Map(), cells: STRINGS, emit: (table, cells) => console.log(table, cells) });
 * // 0 [ '1', 'Brno' ]
 */
export function compileMappings(raw: JsonObject, path = 'config.mappings', baseSeconds = now()): Mappings {
  const definitions = checked((refuse) =>
    entriesOf(raw).map(([name, mapping]): TableDefinition => {
      const place = placeOf(path, name);
      return { name, place, entries: readEntries(name, mapping, place, refuse) };
    }),
  );
  return checked((refuse) => {
    const registered = new MappedTables(refuse);
    const paths = new PathTracker();
    const plans = definitions.map((definition) => ({
      dataType: definition.name,
      plan: planTable(definition, registered, refuse),
    }));
    const tables = registered.all();
    const mappings = plans.map(({ dataType, plan }): readonly [string, Mapping] => {
      const common = { baseSeconds, paths, dataType };
      const write: Mapping['write'] = (item, output) => writeRow(plan, item, undefined, { ...common, ...output });
      return [dataType, { tables, write, keyedDepths: keyedDepthsOf(plan) }];
    });
    const byDataType = new Map(mappings);
    return { tables, byDataType, roots: rootsOf(definitions), missing: () => paths.missing() };
  });
}

function rootsOf(definitions: readonly TableDefinition[]): ReadonlyMap<string, string> {
  const roots = new Map<string, string>();
  const add = (table: string, root: string, entries: readonly MappingEntry[]): void => {
    if (!roots.has(table)) roots.set(table, root);
    for (const entry of entries) if (entry.kind === 'table') add(entry.table, root, entry.entries);
  };
  for (const { name, entries } of definitions) add(name, name, entries);
  return roots;
}

/** Returns all faults of the mappings of a configuration, before a run (docs/language/mappings.md#a-mapping). */
export function mappingFaults(raw: JsonObject): readonly Fault[] {
  try {
    compileMappings(raw);
    return [];
  } catch (error) {
    if (error instanceof ConfigurationError) return error.faults;
    throw error;
  }
}

const now = (): number => Math.floor(Date.now() / 1000);

/** Returns the result, or throws all refusals together. */
function checked<A>(build: (refuse: Refuse) => A): A {
  const faults: Fault[] = [];
  const built = build((path, message) => {
    faults.push({ path, message });
    return [];
  });
  if (faults.length > 0) throw new ConfigurationError(faults);
  return built;
}

function readEntries(dataType: string, raw: Json, place: string, refuse: Refuse): readonly MappingEntry[] {
  const where = `for '${dataType}' data type in 'mappings' config.`;
  if (isBlank(raw)) return refuse(place, `Empty mapping ${where}`);
  const mapping = asObject(raw);
  if (mapping !== undefined) return readMapping(dataType, mapping, place, refuse);
  return refuse(place, `Mapping must be 'array' type, '${typeName(raw)}' type given, ${where}`);
}

/** The mappings of the runs that share a bucket: those of the first of them. */
export interface MappingsOfBucket {
  readonly output: OutputPlan;
  readonly mappings: Mappings;
}

/** @param startedAt the start of the run in Unix seconds; absent: now */
export function mappingsByBucket(
  outputs: readonly OutputPlan[],
  startedAt?: number,
): ReadonlyMap<string | undefined, MappingsOfBucket> {
  const compiled = new Map<string | undefined, MappingsOfBucket>();
  const seen = new Set<string | undefined>();
  for (const output of outputs) {
    const { bucket, mappings } = output;
    if (!seen.has(bucket) && mappings !== undefined)
      compiled.set(bucket, { output, mappings: compileMappings(mappings, 'config.mappings', startedAt) });
    seen.add(bucket);
  }
  return compiled;
}

export type TableOfBuckets = MappedTable & {
  /** The output of the first run that maps it. */
  readonly output: OutputPlan;
  /** True if its rows are those of items, and not of child tables. */
  readonly isRoot: boolean;
};

/**
 * Returns the tables by their names, for destinations in which tables of several buckets are one.
 *
 * @throws ConfigurationError where tables of one name have other columns
 */
export function tablesOfBuckets(
  compiled: ReadonlyMap<string | undefined, MappingsOfBucket>,
): ReadonlyMap<string, TableOfBuckets> {
  const tables = new Map<string, TableOfBuckets>();
  for (const { output, mappings } of compiled.values())
    for (const table of mappings.tables) {
      const other = tables.get(table.name);
      if (other !== undefined && !columnsAgree(other, table))
        throw new ConfigurationError([{ path: 'config.mappings', message: columnsDiffer(other, table) }]);
      const isRoot = mappings.byDataType.has(table.name) || other?.isRoot === true;
      tables.set(table.name, other === undefined ? { ...table, output, isRoot } : { ...other, isRoot });
    }
  return tables;
}

/** Items that are mapped into merged tables. */
export interface MergedItems {
  readonly mapping: Mapping;
  readonly items: JsonArray;
  /** Parent and user columns of the job by raw name. */
  readonly extra: ReadonlyMap<string, string>;
}

/**
 * Finds which rows count in merged tables.
 *
 * @param mappings the mappings of the items
 * @param itemsOf reads the items of some of them in their order
 * @throws FatalError `API_SHAPE` for a value that fits no key
 */
export async function findLatest(
  mappings: readonly Mapping[],
  itemsOf: (isWanted: (mapping: Mapping) => boolean) => AsyncIterable<MergedItems>,
): Promise<LatestRows> {
  const latest = new LatestRows();
  const depths = new Set(mappings.flatMap(({ keyedDepths }) => keyedDepths));
  for (const depth of [...depths].sort((a, b) => a - b)) {
    latest.begin(depth);
    for await (const { mapping, items, extra } of itemsOf(({ keyedDepths }) => keyedDepths.includes(depth)))
      for (const key of items.keys())
        mapping.write({ holder: items, key }, { extra, cells: JSON_VALUES, emit: () => undefined, latest });
  }
  latest.begin();
  return latest;
}
