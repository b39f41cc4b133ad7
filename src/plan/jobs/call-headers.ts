import * as E from 'fp-ts/Either';
import { pipe } from 'fp-ts/function';
import { expressionFailed } from '../../core/errors/errors';
import type { Fault } from '../../core/errors/errors';
import type { Scope } from '../../language/expressions/expression';
import { entriesOf, isList, isObject, keysOf } from '../../core/json/keys';
import { isScalar, typeName } from '../../core/json/text';
import type { Headers, JsonObject } from '../../core/model';
import { compileForCalls } from './call-entries';
import { headerTexts } from '../../language/requests/headers';
import type { CallValues } from '../plan';
import { contextsOfCalls } from './times';
import type { Checked } from '../../language/codec/checked';

/** Headers of one call, by lower-case name. */
export interface CallHeaders {
  readonly texts: Headers;
  readonly secrets: readonly string[];
}

/**
 * Compiles headers that may hold functions (docs/extensions/functions.md) and, those of a job, placeholders.
 *
 * @param path where they stand
 * @returns what throws FatalError EXPRESSION_FAILED when a value is neither a scalar nor an array of scalars
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

/** A header is no object: a context that is not known here is a slip. */
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
