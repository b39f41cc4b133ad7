/** The mappings of a configuration whose runs share buckets, for destinations in which tables of several buckets are one. */
import { ConfigurationError } from '../../core/errors/errors';
import type { OutputPlan } from '../../plan/plan';
import { compileMappings } from './mapping';
import type { Mappings } from './mapping';
import { columnsAgree, columnsDiffer } from './tables';
import type { MappedTable } from './tables';

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
  /** How the first run that maps it writes. */
  readonly output: OutputPlan;
  /** Whether its rows are those of items, and not what is below them. */
  readonly isRoot: boolean;
};

/**
 * The tables by their names.
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
