import * as E from 'fp-ts/Either';
import { pipe } from 'fp-ts/function';
import { FatalError, expressionFailed, faultLine } from '../../core/errors/errors';
import type { Fault } from '../../core/errors/errors';
import { entriesOf, isList, isObject, keysOf, objectFrom } from '../../core/json/objects';
import { isScalar, typeName } from '../../core/json/scalars';
import type { Headers, JsonObject } from '../../core/model';
import type { Checked } from '../../language/codec/codec';
import { compileEntries } from '../../language/expressions/entries';
import type { Evaluated, ListRule } from '../../language/expressions/entries';
import type { ContextName, Contexts, Place, Scope } from '../../language/expressions/expression';
import { headerTexts } from '../../language/requests/template';
import type { CallValues, RunTimes } from '../plan';
import { fillJson, mayHoldPlaceholder } from './fill';

/** The last result for each set of contexts: all calls of a job ask for the same times. */
const known = new WeakMap<Contexts, { readonly times: RunTimes; readonly result: Contexts }>();

/** Returns the contexts with `time` added (docs/language/expressions.md#contexts). */
export function timesContext(contexts: Contexts, times: RunTimes): Contexts {
  const last = known.get(contexts);
  if (last?.times === times) return last.result;
  const result = { ...contexts, time: new Map(Object.entries(times)) };
  known.set(contexts, { times, result });
  return result;
}

/** Returns the contexts with the values of one call: `time`, and `partition` and `window` if there are any. */
export const callContexts = (contexts: Contexts, { times, slice }: Pick<CallValues, 'times' | 'slice'>): Contexts =>
  slice === undefined ? timesContext(contexts, times) : { ...timesContext(contexts, times), ...slice };

/** Returns the contexts that expressions of a job may refer to. */
export const contextsOfCalls = ({ partition, window }: Contexts): readonly ContextName[] => [
  'attr',
  'time',
  ...(partition === undefined ? [] : (['partition'] as const)),
  ...(window === undefined ? [] : (['window'] as const)),
];

/** Options for compiling an object for each call of its job. */
export interface CallRules {
  readonly contexts: Contexts;
  readonly lists: ListRule;
  /**
   * The treatment of placeholders: `no` leaves them, `texts` replaces them, and `lists` replaces those of a batch by
   * arrays.
   */
  readonly fill: 'no' | 'texts' | 'lists';
}

/**
 * Does the same as {@link compileEntries}, with the context `time`, and with placeholders replaced before the
 * expressions are evaluated, so that they may be arguments. The value of a placeholder is always text, never an
 * expression.
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

/** Headers of one call, by lower-case name. */
export interface CallHeaders {
  readonly texts: Headers;
  readonly secrets: readonly string[];
}

/**
 * Compiles headers that may hold functions (docs/language/expressions.md#places) and, those of a job, placeholders.
 *
 * @param path the path of the headers
 * @returns a function that throws FatalError EXPRESSION_FAILED if a value is neither a scalar nor an array of scalars
 */
export const compileHeaders = (
  raw: JsonObject,
  path: string,
  scope: Scope,
  fill: 'no' | 'texts',
): Checked<(call: CallValues) => CallHeaders> =>
  pipe(
    checkContexts(raw, path, scope),
    E.flatMap(() =>
      compileForCalls(
        raw,
        { path, contexts: contextsOfCalls(scope.known), ...scope },
        { contexts: scope.known, lists: 'searched', fill },
      ),
    ),
    E.map((evaluate) => (call) => {
      const { values, secrets } = evaluate(call);
      for (const [name, value] of entriesOf(values)) {
        const wrong = [value].flat().find((line) => !isScalar(line));
        if (wrong === undefined) continue;
        const at = `${path}.${name}${isList(value) ? `[${value.indexOf(wrong)}]` : ''}`;
        throw expressionFailed({ path: at, message: `expected a string or a number, found ${typeName(wrong)}` });
      }
      return { texts: headerTexts(values), secrets };
    }),
  );

/** Refuses unknown contexts: a header is never an object, so an unknown context is a mistake. */
function checkContexts(raw: JsonObject, path: string, { known }: Scope): Checked<void> {
  const unknown = (['partition', 'window'] as const).filter((context) => known[context] === undefined);
  const faults = entriesOf(raw).flatMap(([name, value]): Fault[] => {
    const context = unknown.find((each) =>
      [value].flat().some((line) => isObject(line) && keysOf(line).join() === each),
    );
    const message = `nothing divides this job: the context "${context}" is not known here`;
    return context === undefined ? [] : [{ path: `${path}.${name}`, message }];
  });
  return faults.length > 0 ? E.left(faults) : E.right(undefined);
}
