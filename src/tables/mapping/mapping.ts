/**
 * `config.mappings` (docs/language/mappings.md#a-mapping): only what a person names is written, into tables whose
 * columns are known before the first request.
 */
import { ConfigurationError, type Fault } from '../../errors';
import { isBlank } from '../../json/blank';
import { entriesOf } from '../../json/keys';
import { typeName } from '../../json/text';
import type { Item, Json, JsonObject } from '../../model';
import type { MappingEntry } from './entry';
import { planTable, type TableDefinition } from './plan';
import { asObject, placeOf, readMapping, type Refuse } from './reader';
import { writeRow, type EmitRow, type RowContext } from './rows';
import { MappedTables, type MappedTable } from './tables';
import { PathTracker } from '../automatic/path-tracker';

/** Items of one `dataType` → rows of linked tables. */
export interface Mapping {
  /** What the numbers given to `emit` mean; mappings that were compiled together share one array. */
  readonly tables: readonly MappedTable[];
  /**
   * Emits the rows of an item: rows of child tables, and of the self form, before the row that contains them.
   *
   * @param extra parent and user columns of the job by raw name
   * @throws FatalError `API_SHAPE` when a value fits no cell or no primary key
   */
  readonly rows: (item: Item, extra: ReadonlyMap<string, string>, emit: EmitRow) => void;
}

/** All mappings of a configuration. */
export interface Mappings {
  /** Each is to be written, with or without rows. */
  readonly tables: readonly MappedTable[];
  readonly byDataType: ReadonlyMap<string, Mapping>;
  /** Places of the entries whose paths no item has had so far, of those that got items. */
  readonly missing: () => readonly string[];
}

/**
 * Compiles `config.mappings` (docs/language/mappings.md). Tables of the same name become one if their columns agree.
 *
 * @param raw `dataType` → mapping, as it is written
 * @param path where it stands
 * @param baseSeconds Unix seconds: what relative words of `date` entries, such as `yesterday`, are relative to
 * @throws ConfigurationError with everything that is wrong
 * @example
 * const { tables, byDataType } = compileMappings({ user: { id: 'id', 'address.city': 'city' } });
 * // tables: [{ name: 'user', columns: ['id', 'city'], primaryKey: [] }]
 * byDataType.get('user')?.rows({ id: 1, address: { city: 'Brno' } }, new Map(), (table, cells) => console.log(table, cells));
 * // 0 [ '1', 'Brno' ]
 */
export function compileMappings(raw: JsonObject, path = 'config.mappings', baseSeconds = now()): Mappings {
  const definitions = checked((refuse) =>
    entriesOf(raw).map(([dataType, mapping]) => readDefinition(dataType, mapping, placeOf(path, dataType), refuse)),
  );
  return checked((refuse) => {
    const registered = new MappedTables(refuse);
    const paths = new PathTracker();
    const rows = definitions.map((definition) => compileRows(definition, { baseSeconds, paths }, registered, refuse));
    const tables = registered.all();
    const byDataType = new Map(rows.map(([dataType, write]) => [dataType, { tables, rows: write }]));
    return { tables, byDataType, missing: () => paths.missing() };
  });
}

/**
 * Everything that is wrong with the mappings of a configuration, before a run (docs/language/mappings.md#a-mapping).
 */
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

/** Throws all that was refused, together. */
function checked<A>(build: (refuse: Refuse) => A): A {
  const faults: Fault[] = [];
  const built = build((path, message) => {
    faults.push({ path, message });
    return [];
  });
  if (faults.length > 0) throw new ConfigurationError(faults);
  return built;
}

function readDefinition(dataType: string, raw: Json, place: string, refuse: Refuse): TableDefinition {
  return { name: dataType, place, entries: readEntries(dataType, raw, place, refuse) };
}

function readEntries(dataType: string, raw: Json, place: string, refuse: Refuse): readonly MappingEntry[] {
  const where = `for '${dataType}' data type in 'mappings' config.`;
  if (isBlank(raw)) return refuse(place, `Empty mapping ${where}`);
  const mapping = asObject(raw);
  if (mapping !== undefined) return readMapping(dataType, mapping, place, refuse);
  return refuse(place, `Mapping must be 'array' type, '${typeName(raw)}' type given, ${where}`);
}

function compileRows(
  definition: TableDefinition,
  common: Pick<RowContext, 'baseSeconds' | 'paths'>,
  tables: MappedTables,
  refuse: Refuse,
): readonly [dataType: string, rows: Mapping['rows']] {
  const dataType = definition.name;
  const plan = planTable(definition, tables, refuse);
  return [dataType, (item, extra, emit) => writeRow(plan, item, undefined, { ...common, dataType, extra, emit })];
}
