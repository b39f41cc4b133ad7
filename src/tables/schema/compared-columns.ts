import { ROW_ID } from '../linked/places';
import { runColumn } from '../run-columns';
import type { ColumnNames } from './column-names';

/** What is known of the columns of rows that are stored. */
export interface StoredColumns {
  readonly columns: readonly { readonly name: string }[];
  readonly keys: readonly string[];
  /** What the columns belong to; absent: nobody knows. */
  readonly names?: ColumnNames;
  /** This is true where the rows have ids that each run gives them anew. */
  readonly isLinked?: boolean;
}

/**
 * The names of the columns that tell whether a row has other values than one with the same key. Columns of the run and ids of rows are
 * others in each run.
 *
 * @example comparedColumns({ columns: [{ name: 'id' }, { name: 'depth' }], keys: ['id'] }) // ['depth']
 */
export function comparedColumns({ columns, keys, names, isLinked = false }: StoredColumns): readonly string[] {
  const others = new Set(keys);
  for (const [raw, name] of names?.added ?? []) if (runColumn(raw) !== undefined) others.add(name);
  if (isLinked) others.add(ROW_ID);
  return columns.flatMap(({ name }) => (others.has(name) ? [] : name));
}
