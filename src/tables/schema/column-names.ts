/** Which columns of a table belong to keys of its items, and which to what a job adds, from run to run. */
import { tooManyColumns } from '../../core/errors/errors';
import type { JsonObject } from '../../core/model';
import type { OutputPlan } from '../../plan/plan';
import type { LearnedColumn } from './learned-column';

/** The columns of a table by what their values come from. */
export interface ColumnNames {
  /** By the key of an item; absent: nobody knows, and a column belongs to whichever comes first with its name. */
  readonly keys?: ReadonlyMap<string, string>;
  /** By the name of user data, a placeholder or a column of the run; absent as above. */
  readonly added?: ReadonlyMap<string, string>;
  /** What is known of the names within the objects and lists of keys; absent: nothing. */
  readonly places?: ReadonlyMap<string, JsonObject>;
}

/** How many columns a table may have. */
export interface ColumnLimit {
  /** The name of the table, for people. */
  readonly table: string;
  readonly most: number;
  /** How to have more; absent: a higher limit is enough. */
  readonly remedy?: string;
}

/** What a column belongs to. */
type Claimant = 'keys' | 'added';

/** @param name what the column is to be called; absent: as `key` */
export type ClaimColumn = (key: string, of: Claimant, name?: string) => number;

/**
 * Finds the place of the column of each new key, or makes one with a name that no other column has.
 *
 * @param learned the columns that the table has; new ones are added
 * @param kept names that columns have had in earlier runs: nothing else gets them
 */
export function claimNames(
  learned: LearnedColumn[],
  columnOf: (name: string) => LearnedColumn,
  limit: ColumnLimit | undefined,
  kept: ColumnNames,
): ClaimColumn {
  const claimed = new Set<string>();
  const reserved = new Set([...(kept.keys?.values() ?? []), ...(kept.added?.values() ?? [])].map(folded));
  const known = learned.length;
  const taken = new Map(learned.map(({ name }, index) => [folded(name), index]));
  // Of a table that is new, all suffixes before these are taken: to try them again would take ever longer.
  const nextSuffixes = known > 0 ? undefined : new Map<string, number>();
  const place = (name: string, index: number | undefined, key: string): number => {
    if (index === undefined && limit !== undefined && learned.length >= limit.most)
      throw tooManyColumns(limit.table, limit.most, [...learned.map((column) => column.name), key], limit.remedy);
    claimed.add(folded(name));
    if (index !== undefined) return index;
    taken.set(folded(name), learned.length);
    return learned.push(columnOf(name)) - 1;
  };
  /** Tells whether a column that the table has may be that of a key which nobody remembers. */
  const mayBe = (name: string, key: string, of: Claimant): boolean =>
    kept[of] === undefined || (of === 'keys' && name === key);
  return (key, of, wanted = key) => {
    const own = kept[of]?.get(key);
    if (own !== undefined && !claimed.has(folded(own))) {
      const index = taken.get(folded(own));
      if (index === undefined || learned[index]?.name === own) return place(own, index, key);
    }
    // Databases take no empty names, no NUL and no halves of characters.
    const plain = wanted === '' ? '_' : wanted.toWellFormed().replaceAll('\0', '\uFFFD');
    const stem = folded(plain);
    for (let suffix = nextSuffixes?.get(stem) ?? 1; ; suffix += 1) {
      const name = suffix === 1 ? plain : `${plain}_${suffix}`;
      if (reserved.has(folded(name))) continue;
      const index = taken.get(folded(name));
      const isOwn = index !== undefined && learned[index]?.name === name && !claimed.has(folded(name));
      if (index !== undefined && !(isOwn && mayBe(name, key, of))) continue;
      nextSuffixes?.set(stem, suffix + 1);
      return place(name, index, key);
    }
  };
}

/** Databases do not tell `Id` from `id`. */
const folded = (name: string): string => name.toLowerCase();

/** How many columns a table may have: as the configuration says, or as its database does. */

interface LimitedOutput extends OutputPlan {
  /** A sentence that says whose limit `maxColumns` is; absent: that of the configuration, which may be raised. */
  readonly limitedBy?: string;
}

/**
 * Outputs with tables that have no more columns than a database takes.
 *
 * @example limitedOutputs(outputs, 2000, 'SQLite takes no more of them.')
 */
export const limitedOutputs = (
  outputs: readonly OutputPlan[],
  most: number,
  limitedBy: string,
): readonly OutputPlan[] =>
  outputs.map((output) =>
    (output.maxColumns ?? Infinity) < most ? output : { ...output, maxColumns: most, limitedBy },
  );

/** The limit of a table of a run. */
export const limitOf = (
  { maxColumns: most = Infinity, limitedBy: remedy }: LimitedOutput,
  table: string,
): ColumnLimit => ({ table, most, ...(remedy === undefined ? {} : { remedy }) });
