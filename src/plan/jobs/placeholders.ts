import * as E from 'fp-ts/Either';
import { pipe } from 'fp-ts/function';
import { expressionFailed } from '../../core/errors/errors';
import { compileExpression } from '../../language/expressions/expression';
import type { Scope } from '../../language/expressions/expression';
import { outline } from '../../language/expressions/outline';
import { entriesOf, isObject, objectFrom, ownValue } from '../../core/json/keys';
import { isScalar, shortened, textOf } from '../../core/json/text';
import type { Json, JsonObject } from '../../core/model';
import type { PlaceholderPlan } from '../plan';
import { allOf } from '../../language/codec/checked';
import type { Checked } from '../../language/codec/checked';

const LEVEL = /^(\d+):/;

/**
 * How many levels up the item of a placeholder is (docs/language/jobs.md#placeholders): 1 is the item of the direct
 * parent.
 */
export const levelOf = (name: string): number => Number(LEVEL.exec(name)?.[1] ?? 1);

/** Compiles the `placeholders` of a child (docs/language/jobs.md#placeholders); their shape has been checked. */
export const planPlaceholders = (
  placeholders: JsonObject,
  jobPath: string,
  scope: Scope,
): Checked<readonly PlaceholderPlan[]> =>
  allOf(
    entriesOf(placeholders).map(([name, field]) =>
      planPlaceholder(name, field, `${jobPath}.placeholders.${name}`, scope),
    ),
  );

function planPlaceholder(name: string, field: Json, path: string, { functions }: Scope): Checked<PlaceholderPlan> {
  const level = levelOf(name);
  if (!isObject(field)) return E.right({ name, level, path: isScalar(field) ? textOf(field) : '' });
  const source = ownValue(field, 'path');
  const plan = { name, level, path: isScalar(source) ? textOf(source ?? null) : '' };
  const expression = objectFrom(entriesOf(field).filter(([key]) => key !== 'path'));
  if (Object.keys(expression).length === 0) return E.right(plan);
  return pipe(
    compileExpression(expression, { path, contexts: ['placeholder'], functions }),
    E.map(({ evaluate }) => ({
      ...plan,
      compute: (value: Json) => {
        if (isScalar(value)) return evaluate({ placeholder: new Map([['value', value]]) });
        const complaint = `User script error: Error evaluating user function - placeholder '${shortened(outline(value), 100)}'`;
        throw expressionFailed({ path, message: `${complaint} is not a string!` });
      },
    })),
  );
}
