import type { ChosenType } from '../../../core/json/column-type';
import type { Load } from './load';
import type { Nesting } from './nesting';

/** What a job says of the table of its items (docs/sinks.md#tables). */
export interface TableOfItems {
  /** What runs do to the rows that its table has; absent: as the settings say. */
  readonly load?: Load;
  /** The name of the table of its items; absent: made of the dataType. */
  readonly tableName?: string;
  /** Columns of the key of its table (docs/extensions/primary-keys.md). */
  readonly primaryKey?: readonly string[];
  /** What destinations with tables do with objects and lists in its items. */
  readonly nested?: Nesting;
  /** Types of columns in typed tables, by paths in items. */
  readonly columnTypes: Readonly<Record<string, ChosenType>>;
}
