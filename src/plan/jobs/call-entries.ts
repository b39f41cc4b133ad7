import * as E from 'fp-ts/Either';
import { pipe } from 'fp-ts/function';
import { FatalError, faultLine } from '../../core/errors/errors';
import type { Contexts, Place } from '../../language/expressions/expression';
import { entriesOf, objectFrom } from '../../core/json/keys';
import type { JsonObject } from '../../core/model';
import { compileEntries } from '../../language/expressions/entries';
import type { Evaluated, ListRule } from '../../language/expressions/entries';
import { fillJson, mayHoldPlaceholder } from './fill';
import type { CallValues } from '../plan';
import { callContexts } from './times';
import type { Checked } from '../../language/codec/checked';

/** How an object is made ready for each call of its job. */
export interface CallRules {
  readonly contexts: Contexts;
  readonly lists: ListRule;
  /** Whether placeholders are replaced, and whether those of a batch become lists. */
  readonly fill: 'no' | 'texts' | 'lists';
}

/**
 * As {@link compileEntries}, with the context `time`, and with placeholders replaced before the expressions are
 * evaluated, so that they may be arguments. What a placeholder brings is only ever text, never an expression.
 */
export const compileForCalls = (
  raw: JsonObject,
  place: Place,
  { contexts, lists, fill }: CallRules,
): Checked<(call: CallValues) => Evaluated> =>
  pipe(
    compileEntries(raw, place, lists),
    E.map((unfilled) => {
      const fills = fill !== 'no' && mayHoldPlaceholder(raw);
      return (call) => {
        const { bindings } = call;
        const evaluate =
          fills && bindings.size > 0
            ? ready(compileEntries(filled(raw, bindings, fill === 'lists'), place, lists))
            : unfilled;
        return evaluate(callContexts(contexts, call));
      };
    }),
  );

const filled = (raw: JsonObject, bindings: CallValues['bindings'], asLists: boolean): JsonObject =>
  objectFrom(entriesOf(raw).map(([name, value]) => [name, fillJson(value, bindings, asLists)]));

function ready<T>(checked: Checked<T>): T {
  if (E.isRight(checked)) return checked.right;
  const [fault] = checked.left;
  throw new FatalError('EXPRESSION_FAILED', checked.left.map(faultLine).join('\n  '), { fault });
}
