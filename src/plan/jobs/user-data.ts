import * as E from 'fp-ts/Either';
import { pipe } from 'fp-ts/function';
import type { Job, Settings } from '../../language/configuration/configuration';
import { expressionFailed } from '../../core/errors/errors';
import type { ContextName, Scope } from '../../language/expressions/expression';
import { entriesOf, isObject } from '../../core/json/keys';
import { isScalar, textOf } from '../../core/json/text';
import type { JsonObject, JsonScalar } from '../../core/model';
import { compileEntries } from '../../language/expressions/entries';
import type { JobPlan } from '../plan';
import { callContexts, contextsOfCalls } from './times';
import { allOf } from '../../language/codec/checked';
import type { Checked } from '../../language/codec/checked';

interface Layer {
  readonly path: string;
  readonly values: JsonObject;
  readonly contexts: readonly ContextName[];
}

const layer = (
  path: string,
  userData: JsonObject | JsonScalar | undefined,
  scalarName: string,
  contexts: readonly ContextName[],
): Layer[] => {
  if (userData === undefined) return [];
  return [{ path, values: isObject(userData) ? userData : { [scalarName]: userData }, contexts }];
};

/**
 * The extra columns from `userData` (docs/language/tables.md#parent-and-user-columns): those of `config` for top-level
 * jobs, then the job's own, which override them. Values are evaluated when the job run starts, and have to be scalars.
 */
export function userDataOf(job: Job, settings: Settings, isChild: boolean, scope: Scope): Checked<JobPlan['userData']> {
  const layers = [
    ...(isChild ? [] : layer('config.userData', settings.userData, 'userData', ['attr', 'time'])),
    ...layer(`${job.path}.userData`, job.userData, 'job_parent_id', contextsOfCalls(scope.known)),
  ];
  return pipe(
    allOf(
      layers.map(({ path, values, contexts }) =>
        pipe(
          compileEntries(values, { path, contexts, ...scope }),
          E.map((evaluate) => ({ path, evaluate })),
        ),
      ),
    ),
    E.map((compiled): JobPlan['userData'] => (call) => {
      const columns = compiled.flatMap(({ path, evaluate }) =>
        scalars(evaluate(callContexts(scope.known, call)).values, path),
      );
      return [...new Map(columns)];
    }),
  );
}

const scalars = (values: JsonObject, path: string): (readonly [string, string])[] =>
  entriesOf(values).map(([name, value]) => {
    if (isScalar(value)) return [name, textOf(value)];
    const message =
      'Error assigning parentId to a CSV file! $parentId array cannot be multidimensional. Expected a string or a number.';
    throw expressionFailed({ path: `${path}.${name}`, message });
  });
