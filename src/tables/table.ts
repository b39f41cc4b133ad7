/** Rows of linked tables: what all sinks for tables share. */
import type { Item } from '../model';

export type { Table } from './finished';

/**
 * Items of one page, with the columns that their job adds to every row
 * (docs/language/tables.md#parent-and-user-columns).
 */
export interface Batch {
  readonly dataType: string;
  readonly items: readonly Item[];
  /** The JSON texts of the items, where somebody has them; absent: they are written anew. */
  readonly texts?: readonly string[];
  /** Parent and user columns by raw name, in order; values are strings. */
  readonly extra: ReadonlyMap<string, string>;
}
