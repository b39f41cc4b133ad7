import { placeOf } from '../..';
import type { Delivery } from '../..';
import type { RunTarget } from './target';

/** What several configurations have stored, by table. */
export interface TableBook {
  /** Adds what a configuration has stored. Returns what is to be told where another one has written one of the tables. */
  readonly add: (target: RunTarget, stored: Delivery['stored']) => string | undefined;
}

/** Tables of lists in items are known only when they are there: no check before the run sees that two configurations have the same. */
export function createTableBook(): TableBook {
  const owners = new Map<string, string>();
  return {
    add: ({ path, sinks }, stored) => {
      const mixed = stored.flatMap(({ sink, tables }) => {
        const made = sinks.find(({ name, makes }) => name === sink && makes !== undefined && makes !== 'messages');
        const place = made === undefined ? undefined : placeOf(made.place ?? made.name);
        if (place === undefined) return [];
        return tables.flatMap(({ name: table }) => {
          const key = `${place}\n${table.toLowerCase()}`;
          const owner = owners.get(key);
          owners.set(key, owner ?? path);
          return owner === undefined ? [] : [`${JSON.stringify(table)} of ${sink}, which ${owner} has written as well`];
        });
      });
      return mixed.length === 0 ? undefined : told(path, mixed);
    },
  };
}

const told = (path: string, mixed: readonly string[]): string =>
  `${path} has written the table ${mixed.join('; ')}: rows of one may be missing or stand among those of the other. ` +
  'Give one of them another "tableName" or another destination, and run both again.';
