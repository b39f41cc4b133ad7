/** Checks, before the first request, that configurations which run in one call do not write the same tables (docs/command.md#several-configurations). */
import { ConfigurationError } from '../../core/errors/errors';
import type { Fault } from '../../core/errors/errors';
import type { DurableSink } from '../../core/durable-sink';
import type { OutputPlan } from '../../plan/plan';
import { placeOf } from '../state/place';
import { mappingsByBucket } from '../../tables/mapping/by-bucket';

/** A configuration, and where its tables go. */
export interface ConfigurationTables {
  /** What messages call the configuration: its file. */
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
 * Refuses configurations of which two write the same table into the same destination: the rows of one would take the place of those of
 * the other, or stand among them. What a destination makes of lists in items is known only when they come, and not checked here.
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

/** The tables of a destination by what tells them apart: capitals do not. */
function tablesIn(
  { name, makes, maps, place = name }: ConfigurationTables['sinks'][number],
  outputs: readonly OutputPlan[],
): readonly { readonly key: string; readonly table: string; readonly path: string }[] {
  if (makes !== 'tables' && makes !== 'linked-tables') return [];
  const where = placeOf(place);
  if (where === undefined) return [];
  const format = /^[a-z]+/.exec(name)?.[0] ?? '';
  const entry = (bucket: string | undefined, table: string, path: string) => ({
    ...{ table, path },
    key: [format, where, makes === 'linked-tables' ? (bucket ?? '') : '', table.toLowerCase()].join('\n'),
  });
  const ofJobs = outputs.flatMap(({ bucket, tables, jobPlaces = [] }) =>
    jobPlaces.map(({ dataType, path }) => entry(bucket, tables?.get(dataType) ?? dataType, path)),
  );
  if (makes !== 'linked-tables' && maps !== true) return ofJobs;
  const mapped = [...mappingsByBucket(outputs)].flatMap(([bucket, { mappings }]) =>
    mappings.tables.map((table) => entry(bucket, table.name, 'config.mappings')),
  );
  return [...ofJobs, ...mapped];
}
