import { bracketHint } from '../core/json/brackets';
import { expressionFailed } from '../core/errors/errors';
import type { FatalError } from '../core/errors/errors';
import { isList } from '../core/json/keys';
import { exactAt } from '../core/json/literals';
import { exactValueAt } from '../core/json/path';
import { stringifyJson } from '../core/json/stringify';
import { isScalar, shortened, textOf, typeName } from '../core/json/text';
import type { Item, Json } from '../core/model';
import type { ChildJobPlan, PlaceholderPlan, PlaceholderValue } from '../plan/plan';

/** What a placeholder stands for in one call, and where it came from. */
export interface PlaceholderBinding extends PlaceholderValue {
  /**
   * The column that it adds to the rows of the call: its path in a parent item (docs/language/jobs.md#placeholders);
   * absent: it is of a slice, and adds none.
   */
  readonly path?: string;
  /** A function has made it, and may have encoded it. */
  readonly isComputed?: true;
}

/**
 * The placeholder bindings of one call by name: inherited ones first; own ones replace inherited ones of the same name.
 */
export type PlaceholderBindings = ReadonlyMap<string, PlaceholderBinding>;

/**
 * The calls of a child for one parent item (docs/language/jobs.md#placeholders): one, or one for each combination of
 * array values.
 *
 * @param lineage the items above the call, the direct parent's first
 * @param inherited the bindings of the parent's call
 * @throws FatalError EXPRESSION_FAILED when a value is missing or is no scalar
 */
export function bindingsOf(
  child: ChildJobPlan,
  lineage: readonly Item[],
  inherited: PlaceholderBindings,
): readonly PlaceholderBindings[] {
  const choices = child.placeholders.map((placeholder) =>
    textsOf(placeholder, lineage, child.job.path).map((text): readonly [string, PlaceholderBinding] => [
      placeholder.name,
      { text, path: placeholder.path, ...(placeholder.compute === undefined ? {} : { isComputed: true }) },
    ]),
  );
  return combinations(choices).map((own) => new Map([...inherited, ...own]));
}

/** All combinations, the last choice varying fastest; none if a choice is empty. */
function combinations<T>(choices: readonly (readonly T[])[]): readonly (readonly T[])[] {
  return choices.reduce<readonly (readonly T[])[]>(
    (sofar, choice) => sofar.flatMap((chosen) => choice.map((option) => [...chosen, option])),
    [[]],
  );
}

function textsOf(placeholder: PlaceholderPlan, lineage: readonly Item[], jobPath: string): readonly string[] {
  const { name, level, path, compute } = placeholder;
  const where = `${jobPath}.placeholders.${name}`;
  const item = lineage[level - 1];
  if (item === undefined)
    throw failure(where, `Level ${level} not found in parent results! Maximum level: ${lineage.length}`);
  const value = exactValueAt(item, path);
  if (value === undefined)
    throw failure(
      where,
      `No value found for ${name} in parent result. (level: ${level}, path: ${path})${bracketHint(path)} ` +
        'Where only some items have it, "recursionFilter" of the child passes the others over.',
    );
  if (compute !== undefined) return [scalarText(compute(value), where)];
  if (!isList(value)) return [scalarText(value, where)];
  return value.map((element, at) => scalarText(exactAt(value, at) ?? element, where));
}

function scalarText(value: Json, where: string): string {
  if (isScalar(value)) return textOf(value);
  throw failure(
    where,
    `expected a string or a number, found ${typeName(value)}: ${shortened(stringifyJson(value), 100)}`,
  );
}

const failure = (where: string, message: string): FatalError => expressionFailed({ path: where, message });

/** Whether any binding is a value of a parent item. */
export const hasParentValue = (bindings: PlaceholderBindings): boolean =>
  [...bindings.values()].some(({ path }) => path !== undefined);

/**
 * The columns that the placeholders of a call add (docs/language/jobs.md#placeholders): one a path, with the last
 * value. The column of an item that is a scalar itself is `parent_value`; the language calls it `parent_.`.
 */
export function parentColumns(
  bindings: PlaceholderBindings,
  asTheLanguage: boolean,
): readonly (readonly [string, string])[] {
  const columns = new Map<string, string>();
  const isTaken = [...bindings.values()].some(({ path }) => path === 'value' || path === SCALAR_COLUMN);
  for (const { path, text } of bindings.values())
    if (path === WHOLE_ITEM && !asTheLanguage && !isTaken) columns.set(SCALAR_COLUMN, text);
    else if (path !== undefined) columns.set(path.startsWith('parent_') ? path : `parent_${path}`, text);
  return [...columns];
}

const WHOLE_ITEM = '.';
const SCALAR_COLUMN = 'parent_value';
