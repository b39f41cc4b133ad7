/** The entries of a mapping (docs/language/mappings.md#types-of-entries), with nothing left to default. */
import type { ChosenType } from '../../core/json/column-type';
import type { MappingPath } from './path';

export type MappingEntry = ColumnEntry | UserEntry | TableEntry | SelfEntry;

interface Column {
  /** Where the entry stands in the configuration. */
  readonly place: string;
  readonly column: string;
  readonly primaryKey: boolean;
  /** The type of the column in typed tables; absent: as its values have it. */
  readonly type?: ChosenType;
}

/** A column with the value at a path. */
export interface ColumnEntry extends Column {
  readonly kind: 'column';
  readonly path: MappingPath;
  /** Whether an array or an object is written as JSON text. */
  readonly forceType: boolean;
  /** Whether a string that names a moment becomes its Unix timestamp. */
  readonly date: boolean;
}

/** A column with a parent or user column of the job, by its raw name. */
export interface UserEntry extends Column {
  readonly kind: 'user';
  readonly name: string;
}

/** A child table. */
export interface TableEntry {
  readonly kind: 'table';
  readonly place: string;
  readonly path: MappingPath;
  readonly table: string;
  /** The child's last column; absent when `parentKey.disable` is set. */
  readonly parentKey?: ParentKey;
  readonly entries: readonly MappingEntry[];
}

/** More rows of the table in which the entry stands. */
export interface SelfEntry {
  readonly kind: 'self';
  readonly path: MappingPath;
}

export interface ParentKey {
  readonly column: string;
  readonly primaryKey: boolean;
  /** That of the key of the parent, where it has one column with a type. */
  readonly type?: ChosenType;
}

/** What errors about the definition of a mapping begin with (docs/language/mappings.md#a-mapping). */
export const BAD_MAPPING = 'Bad Json to CSV Mapping configuration: ';
