import * as E from 'fp-ts/Either';
import { pipe } from 'fp-ts/function';
import type { Job } from '../../config/configuration';
import { compileExpression } from '../../expressions/expression';
import type { Scope } from '../../expressions/expression';
import { entriesOf, isList, isObject } from '../../json/keys';
import type { Json } from '../../model';
import { allOf, fault } from '../../codec/checked';
import type { Checked } from '../../codec/checked';
import type { ComputedField, ShapingPlan } from '../shaping-plan';
import { timesContext } from './times';

/** Compiles what a job makes of its items (docs/language/items.md). */
export function shapingOf({ path, shaping }: Job, scope: Scope): Checked<ShapingPlan | undefined> {
  if (shaping === undefined) return E.right(undefined);
  return pipe(
    allOf(
      entriesOf(shaping.compute).map(([name, value]) => computedField(name, value, `${path}.compute.${name}`, scope)),
    ),
    E.map((compute) => ({ ...shaping, compute, rename: new Map(Object.entries(shaping.rename)) })),
  );
}

function computedField(name: string, raw: Json, path: string, scope: Scope): Checked<ComputedField> {
  return pipe(
    compileExpression(raw, { path, contexts: ['attr', 'time', 'item'], ...scope }),
    E.flatMap(({ evaluate, usesSecrets }) =>
      usesSecrets
        ? fault(path, 'uses a secret: its value would stand in every item, and items are no secrets')
        : E.right({
            name,
            reads: itemPathsIn(raw),
            value: (item, times) => evaluate({ ...timesContext(scope.known, times), item }, times.currentStart),
          }),
    ),
  );
}

/** The paths of `{"item": path}`, wherever one stands in an expression. */
function itemPathsIn(raw: Json): readonly string[] {
  if (isList(raw)) return raw.flatMap(itemPathsIn);
  if (!isObject(raw)) return [];
  return entriesOf(raw).flatMap(([key, value]) =>
    key === 'item' && typeof value === 'string' ? [value] : itemPathsIn(value),
  );
}
