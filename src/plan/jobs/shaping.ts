import * as E from 'fp-ts/Either';
import { pipe } from 'fp-ts/function';
import type { Job } from '../../language/configuration/configuration';
import { compileExpression } from '../../language/expressions/expression';
import type { Scope } from '../../language/expressions/expression';
import { entriesOf, isList, isObject } from '../../core/json/objects';
import type { Json } from '../../core/model';
import { allOf, fault } from '../../language/codec/codec';
import type { Checked } from '../../language/codec/codec';
import type { ComputedField, ShapingPlan, RowsMethod, RowsPlan } from '../plan';
import { timesContext } from './call-values';
import { stepsOf } from './steps';

const METHODS = 'keys, names, header and columns';

/** Returns how the rows of a job are made; `undefined` if the items are rows. */
export function planRows({ path, rows }: Pick<Job, 'path' | 'rows'>): Checked<RowsPlan | undefined> {
  if (rows === undefined) return E.right(undefined);
  const { keys, names, header, columns, add } = rows;
  const place = `${path}.rows`;
  const methods: readonly RowsMethod[] = [
    ...(keys === undefined ? [] : [{ kind: 'keys' as const, column: keys }]),
    ...(names === undefined ? [] : [{ kind: 'names' as const, names }]),
    ...(header ? [{ kind: 'header' as const }] : []),
    ...(columns ? [{ kind: 'columns' as const }] : []),
  ];
  const [method = { kind: 'items' as const }] = methods;
  if (methods.length > 1) return fault(place, `has more than one of ${METHODS}: each is a way of its own`);
  if (method.kind === 'items' && Object.keys(add).length === 0)
    return fault(place, `has none of ${METHODS}, and no "add": say how rows are made, or leave it out`);
  const taken = method.kind === 'keys' ? [method.column] : typeof names === 'string' ? [] : (names ?? []);
  const all = [...taken, ...Object.keys(add)];
  const again = all.find((name, at) => all.indexOf(name) < at);
  if (again !== undefined) return fault(place, `gives two columns the name ${JSON.stringify(again)}`);
  return method.kind === 'names' && names?.length === 0
    ? fault(`${place}.names`, 'has no names')
    : E.right({ method, add });
}

/** Compiles the operations of a job on its items (docs/language/items.md). */
export function shapingOf({ path, shaping }: Job, scope: Scope): Checked<ShapingPlan | undefined> {
  if (shaping === undefined) return E.right(undefined);
  return pipe(
    allOf(
      entriesOf(shaping.compute).map(([name, value]) => computedField(name, value, `${path}.compute.${name}`, scope)),
    ),
    E.flatMap((compute) =>
      pipe(
        stepsOf(shaping.steps, `${path}.steps`, scope),
        E.map((steps) => {
          const { unnest, filter, exclude, unique, rename } = shaping;
          const plan = {
            ...{ compute, filter, exclude, unique, rename: new Map(Object.entries(rename)) },
            ...(unnest === undefined ? {} : { unnest }),
          };
          return steps === undefined ? plan : { ...plan, steps };
        }),
      ),
    ),
  );
}

function computedField(name: string, raw: Json, path: string, scope: Scope): Checked<ComputedField> {
  const meant = fieldMeant(raw);
  if (meant !== undefined)
    return fault(
      path,
      `would be the same in every item: expected {"item": ${JSON.stringify(meant)}} for the value of a field, ` +
        `or a function such as {"function": "concat", "args": ["No. ", {"item": "id"}]}`,
    );
  const functions = ofItems(scope.functions);
  return pipe(
    compileExpression(raw, { path, contexts: ['attr', 'time', 'item'], ...scope, functions }),
    E.flatMap(({ evaluate, usesSecrets }) =>
      usesSecrets
        ? fault(path, 'uses a secret: its value would stand in every item, and items are no secrets')
        : E.right({
            name,
            reads: itemPathsIn(raw),
            value: (item, times) => evaluate({ item, ...timesContext(scope.known, times) }, times.currentStart),
          }),
    ),
  );
}

/**
 * Returns the functions for values of items: an item without a date has no date in another format either, and not the
 * one of 1970.
 */
function ofItems(functions: Scope['functions']): Scope['functions'] {
  const date = functions.get('date');
  if (date === undefined) return functions;
  const call: typeof date.call = (args, now) =>
    NO_MOMENT.some((none) => none === args[1]) ? null : date.call(args, now);
  return new Map(functions).set('date', { ...date, call });
}

/** The values of a missing date, and the result of `strtotime` for it. */
const NO_MOMENT: readonly Json[] = [null, '', false];

/** Returns the field that was probably meant by a value that looks like a reference and is none. */
function fieldMeant(raw: Json): string | undefined {
  if (typeof raw === 'string')
    return /^(?:item|\$)\.([^\s]+)$/.exec(raw)?.[1] ?? /\{(?:item\.)?([^{}\s"':,]+)\}/.exec(raw)?.[1];
  if (!isObject(raw)) return undefined;
  const [only, ...others] = entriesOf(raw);
  const [key, value] = only ?? ['', null];
  return others.length === 0 && LIKE_ITEM.has(key) && typeof value === 'string' ? value : undefined;
}

/** Keys that people write instead of `item`. */
const LIKE_ITEM: ReadonlySet<string> = new Set([
  'items',
  'Item',
  'field',
  'path',
  'column',
  'row',
  'record',
  'response',
  'ref',
]);

/** Returns the paths of all `{"item": path}` in an expression. */
function itemPathsIn(raw: Json): readonly string[] {
  if (isList(raw)) return raw.flatMap(itemPathsIn);
  if (!isObject(raw)) return [];
  return entriesOf(raw).flatMap(([key, value]) =>
    key === 'item' && typeof value === 'string' ? [value] : itemPathsIn(value),
  );
}
