/** Which columns of a table belong to keys of its items, and which to values that a job adds, from run to run. */
import { tooManyColumns } from '../../core/errors/errors';
import type { JsonObject } from '../../core/model';
import type { Warn } from '../../language/parts/sink';
import type { OutputPlan } from '../../plan/plan';
import { storableName } from '../names';

/** The columns of a table by the origin of their values. */
export interface ColumnNames {
  /** The columns by the key of an item; absent: unknown, and a column belongs to the first value with its name. */
  readonly keys?: ReadonlyMap<string, string>;
  /** The columns by the name of user data, a placeholder or a column of the run; absent as above. */
  readonly added?: ReadonlyMap<string, string>;
  /** The names within the objects and lists of keys; absent: none. */
  readonly places?: ReadonlyMap<string, JsonObject>;
}

/** The maximum number of columns of a table. */
export interface ColumnLimit {
  /** The name of the table, for users. */
  readonly table: string;
  readonly most: number;
  /** How to allow more; absent: a higher limit is enough. */
  readonly remedy?: string;
}

/** The owner of a column. */
type Claimant = 'keys' | 'added';

/** @param name the wanted name of the column; absent: the same as `key` */
export type ClaimColumn = (key: string, of: Claimant, name?: string) => number;

/**
 * Finds the index of the column of each new key, or creates one with a unique name.
 *
 * @param learned the columns of the table; new ones are added
 * @param kept names of columns from earlier runs, which are reserved
 */
export function claimNames<C extends { readonly name: string }>(
  learned: C[],
  columnOf: (name: string) => C,
  limit: ColumnLimit | undefined,
  kept: ColumnNames,
): ClaimColumn {
  const claimed = new Set<string>();
  const reserved = new Set([...(kept.keys?.values() ?? []), ...(kept.added?.values() ?? [])].map(folded));
  const known = learned.length;
  const taken = new Map(learned.map(({ name }, index) => [folded(name), index]));
  // In a new table all suffixes before these are taken: trying them again would take ever longer.
  const nextSuffixes = known > 0 ? undefined : new Map<string, number>();
  const place = (name: string, index: number | undefined, key: string): number => {
    if (index === undefined && limit !== undefined && learned.length >= limit.most)
      throw tooManyColumns(limit.table, limit.most, [...learned.map((column) => column.name), key], limit.remedy);
    claimed.add(folded(name));
    if (index !== undefined) return index;
    taken.set(folded(name), learned.length);
    return learned.push(columnOf(name)) - 1;
  };
  /** Returns whether an existing column may belong to a key of which there is no record. */
  const mayBe = (name: string, key: string, of: Claimant): boolean =>
    kept[of] === undefined || (of === 'keys' && name === key);
  return (key, of, wanted = key) => {
    const own = kept[of]?.get(key);
    if (own !== undefined && !claimed.has(folded(own))) {
      const index = taken.get(folded(own));
      if (index === undefined || learned[index]?.name === own) return place(own, index, key);
    }
    const plain = storableName(wanted);
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

/** Databases do not distinguish `Id` from `id`. */
const folded = (name: string): string => name.toLowerCase();

/** Keys that differ in capitals or in their Unicode form alone, each with its column. */
export type AlikeKeys = readonly (readonly [key: string, column: string])[];

/** @example alikeKeys([['Id', 'Id'], ['n', 'n'], ['id', 'id_2']]) // [[['Id', 'Id'], ['id', 'id_2']]] */
export function alikeKeys(columns: Iterable<readonly [key: string, column: string]>): readonly AlikeKeys[] {
  const groups = new Map<string, Map<string, string>>();
  for (const [key, column] of columns) {
    const form = folded(key.normalize());
    groups.set(form, (groups.get(form) ?? new Map<string, string>()).set(key, column));
  }
  return Array.from(groups.values(), (group) => [...group]).filter(({ length }) => length > 1);
}

/**
 * Warns about keys that a reader of the table may take for one.
 *
 * @throws FatalError WARNINGS where warnings count as errors
 * @example warnOfAlikeKeys('orders', [[['Id', 'Id'], ['id', 'id_2']]], warn)
 */
export function warnOfAlikeKeys(table: string, alike: readonly AlikeKeys[], warn: Warn | undefined): void {
  for (const keys of alike) {
    const isByForm = new Set(keys.map(([key]) => key.normalize())).size === 1;
    const all = keys.map(([key, column]) => `${inAscii(key)} is the column ${inAscii(column)}`).join(', ');
    const what = isByForm ? 'their Unicode form, and look the same' : 'capitals';
    warn?.(
      'COLUMNS_ALIKE',
      `keys of the table ${JSON.stringify(table)} differ only in ${what}: ${all}. "rename" in the job gives them other names.`,
    );
  }
}

/** Returns a name as JSON in which each form of a letter is visible. */
const inAscii = (name: string): string =>
  JSON.stringify(name).replace(/[^ -~]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);

/** An output with a maximum number of columns, from the configuration or from its database. */
interface LimitedOutput extends OutputPlan {
  /** A sentence that says whose limit `maxColumns` is; absent: it is that of the configuration, which may be raised. */
  readonly limitedBy?: string;
}

/**
 * Returns outputs whose tables have at most as many columns as a database accepts.
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

/** Returns the limit of a table of a run. */
export const limitOf = (
  { maxColumns: most = Infinity, limitedBy: remedy }: LimitedOutput,
  table: string,
): ColumnLimit => ({ table, most, ...(remedy === undefined ? {} : { remedy }) });
