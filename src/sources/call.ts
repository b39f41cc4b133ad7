import { expressionFailed } from '../core/errors/errors';
import type { FatalError } from '../core/errors/errors';
import type { Report } from '../core/events';
import { exactAt } from '../core/json/literals';
import { isList } from '../core/json/objects';
import { pathHint, exactValueAt } from '../core/json/path';
import { isScalar, shortened, textOf, typeName } from '../core/json/scalars';
import { stringifyJson } from '../core/json/stringify';
import type { Item, Json } from '../core/model';
import type { ChildJobPlan, JobPlan, PlaceholderPlan, PlaceholderValue, SliceContexts } from '../plan/plan';

/** The input of a call. A top-level job has no lineage, and no bindings unless it is divided into slices. */
export interface CallInput {
  /** The parent items, the direct parent's first; `null` in place of the items of a batch. */
  readonly lineage: readonly Item[];
  readonly bindings: PlaceholderBindings;
  /** The slices of the job and of its parents; absent: none of them is divided. */
  readonly slice?: SliceContexts;
}

/** One call of a job. */
export interface Call extends CallInput {
  /** The key of the call, as in `Checkpoint.call`. */
  readonly key: readonly number[];
}

export const topLevelCall = (run: number, job: number): Call => ({ key: [run, job], lineage: [], bindings: new Map() });

/** Returns whether a call belongs to no parent item. */
export const isTopLevel = ({ lineage }: Call): boolean => lineage.length === 0;

/** The value of a placeholder in one call, and where it comes from. */
export interface PlaceholderBinding extends PlaceholderValue {
  /**
   * The path in a parent item of the column that the value adds to the rows of the call (docs/language/jobs.md#placeholders); absent for
   * the value of a slice, which adds none.
   */
  readonly path?: string;
  /** True if a function has made the value, which it may have encoded. */
  readonly isComputed?: true;
}

/**
 * The placeholder bindings of one call by name: inherited ones first; own ones replace inherited ones of the same name.
 */
export type PlaceholderBindings = ReadonlyMap<string, PlaceholderBinding>;

/**
 * Returns the bindings of the calls of a child for one parent item (docs/language/jobs.md#placeholders): one, or one for each combination
 * of array values.
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

/** Returns all combinations, the last choice varying fastest; none if a choice is empty. */
function combinations<T>(choices: readonly (readonly T[])[]): readonly (readonly T[])[] {
  return choices.reduce<readonly (readonly T[])[]>(
    (sofar, choice) => sofar.flatMap((chosen) => choice.map((option) => [...chosen, option])),
    [[]],
  );
}

function textsOf(placeholder: PlaceholderPlan, lineage: readonly Item[], jobPath: string): readonly string[] {
  const { name, level, path, isOptional, compute } = placeholder;
  const where = `${jobPath}.placeholders.${name}`;
  const item = lineage[level - 1];
  if (item === undefined)
    throw failure(where, `Level ${level} not found in parent results! Maximum level: ${lineage.length}`);
  const found = exactValueAt(item, path);
  const value = found === undefined && isOptional === true ? '' : found;
  if (value === undefined)
    throw failure(
      where,
      `No value found for ${name} in parent result. (level: ${level}, path: ${path})${pathHint(path)} ` +
        'Where only some items have it, "recursionFilter" of the child passes the others over, and {"path": …, "optional": true} leaves it empty.',
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

/** Returns whether any binding is a value of a parent item. */
export const hasParentValue = (bindings: PlaceholderBindings): boolean =>
  [...bindings.values()].some(({ path }) => path !== undefined);

/**
 * Returns the columns that the placeholders of a call add (docs/language/jobs.md#placeholders): one for each path, with the last value. The
 * column of an item that is a scalar is `parent_value`, where the language says `parent_.`.
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

// Warnings about placeholder values that change the address of an endpoint (docs/language/jobs.md#placeholders).

const WRITTEN = /\{([^{}]+)\}/g;
/** Matches a text that is already encoded: each `%` belongs to an escape, and no other character needs one. */
const ENCODED = /^(?:[\w\-.~/]|%[0-9a-f]{2})*$/i;
/** Matches a string that stays in its segment of a path, and needs no encoding. */
const PLAIN = /^[\w-]+$/;
const DOTS = /^(?:\.|%2e){1,2}$/i;

const ENCODE = 'Let the function rawurlencode encode it';
const LEAVE_OUT = 'If such items are not meant, leave them out by "recursionFilter"';

/** How to warn, and the warnings that a run has given; absent: it warns each time. */
export interface WarningReporter {
  readonly report: Report;
  readonly warnOnce?: Set<string>;
}

/**
 * Warns, once for each job, about a value that changes the address it is put into: one with `#`, `?` or `%`, `.` or `..`, or an empty one.
 * The request is sent all the same, since values are inserted unchanged.
 */
export function warnOfChangedAddress(
  { id, path, endpoint, dataType }: JobPlan,
  { report, warnOnce: warnOnce }: WarningReporter,
  { bindings }: Call,
): void {
  if (areAllPlain(bindings)) return;
  for (const { 0: written, 1: name = '', index } of endpoint.matchAll(WRITTEN)) {
    const binding = bindings.get(name);
    if (binding === undefined) continue;
    const before = endpoint.slice(0, index);
    const what = change(binding, before, endpoint.slice(index + written.length));
    const key = `${id} ${name}`;
    if (what === undefined || warnOnce?.has(key) === true) continue;
    warnOnce?.add(key);
    const message = `${path}.endpoint: a value of ${written} ${what}.`;
    report({ type: 'warning', code: 'PLACEHOLDER_CHANGES_URL', message, job: { id, path, endpoint, dataType } });
  }
}

function areAllPlain(bindings: PlaceholderBindings): boolean {
  for (const { text } of bindings.values()) if (!PLAIN.test(text)) return false;
  return true;
}

/** Returns how a value changes the address, by the text before and behind it; `undefined` if it does not. */
function change({ text, isComputed }: PlaceholderBinding, before: string, after: string): string | undefined {
  if (PLAIN.test(text)) return undefined;
  if (text === '') return `is empty, and the address is that of something else. ${LEAVE_OUT}`;
  // An endpoint that begins with a value gets a whole path or address from the API.
  if (before === '') return undefined;
  const inQuery = before.includes('?');
  if (!inQuery && isStepAside(text, before, after))
    return `is "." or "..", or has it as a part of its path, and the address leads elsewhere. ${LEAVE_OUT}`;
  if (text.includes('#')) return `has "#", and what follows it is not sent. ${ENCODE}`;
  if (inQuery && text.includes('&')) return `has "&", and what follows it is another parameter. ${ENCODE}`;
  if (!inQuery && /\?(?![^=?]+=)/.test(text)) return `has "?", and what follows it is no part of the path. ${ENCODE}`;
  if (isComputed !== true && text.includes('%') && !ENCODED.test(text))
    return `has "%", which begins a character that is encoded. ${ENCODE}`;
  return undefined;
}

/** Returns whether a value makes a segment of the path `.` or `..`. */
function isStepAside(text: string, before: string, after: string): boolean {
  const plain = (part: string): string => part.replace(WRITTEN, 'x').replace(/[?#].*$/s, '');
  const segments = (value: string): number =>
    `${plain(before)}${value}${plain(after)}`.split('/').filter((each) => DOTS.test(each)).length;
  return segments(text) > segments('x');
}
