/** The automatic conversion of items into rows of linked tables (docs/language/tables.md). */
import { ownValue } from '../../core/json/keys';
import type { JsonObject } from '../../core/model';
import { createNaming, takenNames } from './columns';
import { DataTypeBuilder } from './data-type-builder';
import { finishTables } from './finish';
import { KeyBlanksSeen, withKeyBlanks } from '../key-blanks';
import { legacyNaming } from './legacy';
import { knownLegacyStructure } from './legacy-state';
import { PageLog } from './page-log';
import { withPrimaryKeys } from '../primary-keys';
import type { PrimaryKeys } from '../primary-keys';
import { SpoolFolder } from '../files/spool';
import { STRUCT, STRUCT_VERSION, knownStructure } from './state';
import type { KnownStructure } from './state';
import type { ItemsOfPage, Table } from '../table';

export interface AutomaticTablesOptions {
  /** An existing folder; rows wait in a private folder inside it. */
  readonly spoolFolder: string;
  /** The state of the last run (`in/state.json`): columns of earlier runs are kept. */
  readonly state?: JsonObject;
  readonly warn: (message: string) => void;
  /** Level 1 selects the legacy names (docs/language/configuration.md#compatlevel). */
  readonly compatLevel: number;
  /** The primary keys of tables; default: no table has one. */
  readonly primaryKeys?: PrimaryKeys;
  /** The maximum number of data columns in a table; default: any number. */
  readonly maxColumns?: number;
  /** What tells the run from all others, so that no two rows have the same id; absent: equal rows have equal ids, as the language has it. */
  readonly uniqueIn?: string | undefined;
}

export interface AutomaticTables {
  /**
   * Merges the items of one page into the structure of their dataType and keeps their rows. Pages must be added in the
   * order in which they were received.
   *
   * @throws FatalError `API_SHAPE` when the items do not fit the structure (docs/language/tables.md#when-kinds-differ)
   */
  readonly add: (batch: ItemsOfPage) => Promise<void>;
  /**
   * All tables with rows, columns final. Call it once, after the last page; the rows can be read until `close`.
   *
   * @throws FatalError `API_SHAPE` when different columns go to one table (docs/language/tables.md#names-of-tables), or
   *   a primary key names a column that its table does not have
   */
  readonly finish: () => Promise<readonly Table[]>;
  /**
   * `json_parser.struct` and `json_parser.structVersion` for `out/state.json`, after `finish`
   * (docs/language/state.md#where-it-is-kept).
   */
  readonly state: () => JsonObject;
  /** Removes the temporary files; also to be called after a failure. */
  readonly close: () => Promise<void>;
}

/**
 * Turns items into tables in little memory: rows wait in files.
 *
 * @example
 * const tables = createAutomaticTables({ spoolFolder: tmpdir(), warn: console.warn, compatLevel: 3 });
 * await tables.add({ dataType: 'boats', items: [{ id: 1, crew: ['Ann'] }], extra: new Map() });
 * for (const { name, columns } of await tables.finish()) console.log(name, columns);
 * await tables.close();
 */
export function createAutomaticTables(options: AutomaticTablesOptions): AutomaticTables {
  const { warn, maxColumns = Infinity } = options;
  const { legacy, known } = interpretState(options);
  const aliases = new Map(known.aliases);
  const naming = legacy ? legacyNaming : createNaming(aliases);
  const folder = new SpoolFolder(options.spoolFolder);
  const log = new PageLog(folder.open());
  const builders = new Map<string, DataTypeBuilder>();
  const knownNames = new Map<string, ReadonlySet<string>>();
  const blanks = new Map(
    Array.from(options.primaryKeys ?? [], ([dataType, columns]) => [dataType, new KeyBlanksSeen(columns)] as const),
  );
  let pages = 0;

  const builderOf = (batch: ItemsOfPage): DataTypeBuilder => {
    const open = builders.get(batch.dataType);
    if (open !== undefined) return open;
    const builder = new DataTypeBuilder(batch, pages, {
      naming,
      warn,
      openSpool: (header) => folder.open(header),
      maxColumns,
      uniqueIn: options.uniqueIn,
    });
    known.restore(builder.structure.root, batch.dataType);
    knownNames.set(batch.dataType, takenNames(builder.structure.root.elementNode()));
    builders.set(batch.dataType, builder);
    return builder;
  };

  return {
    add: async (batch) => {
      if (isWithoutRows(batch)) return;
      blanks.get(batch.dataType)?.see(batch.items);
      const { texts, stale } = builderOf(batch).take(batch, pages);
      log.append({ ...batch, texts });
      pages += 1;
      await Promise.all(Array.from(stale.values(), (spool) => folder.discard(spool)));
      await folder.flush();
    },
    finish: async () => {
      const tables = await finishTables({
        ...{ builders: [...builders.values()], log, naming, flush: () => folder.flush() },
        isKnown: (dataType, name) => knownNames.get(dataType)?.has(name) === true,
      });
      const nameOf = (dataType: string): string => naming.tableName(dataType);
      return withKeyBlanks(withPrimaryKeys(tables, options.primaryKeys ?? new Map(), nameOf), blanks, nameOf);
    },
    state: () => known.save(new Map(Array.from(builders, ([type, { structure }]) => [type, structure.root])), aliases),
    close: () => folder.remove(),
  };
}

/** A page without items, or with nothing but one `null` (docs/language/tables.md#names-of-tables). */
const isWithoutRows = ({ items }: ItemsOfPage): boolean =>
  items.length === 0 || (items.length === 1 && items[0] === null);

interface Interpretation {
  readonly legacy: boolean;
  readonly known: KnownStructure;
}

function interpretState({ state = {}, compatLevel, warn }: AutomaticTablesOptions): Interpretation {
  const struct = ownValue(state, STRUCT);
  const version = struct === undefined ? undefined : Number(ownValue(state, STRUCT_VERSION));
  if (compatLevel === 1) warn('Using legacy JSON parser, because it has been explicitly requested.');
  else if (version === 2) warn('Using legacy JSON parser, because the state has a structure of version 2.');
  else if (version !== undefined && version !== 3)
    warn('The structure in the state is not used, because its version is not known.');
  const legacy = compatLevel === 1 || version === 2;
  if (version === 3) return { legacy, known: knownStructure(struct) };
  const usable = version === 2 ? struct : undefined;
  return { legacy, known: legacy ? knownLegacyStructure(usable) : knownStructure(undefined) };
}
