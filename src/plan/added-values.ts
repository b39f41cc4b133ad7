import type { ContextName, Contexts } from '../expressions/expression';
import type { Functions } from '../expressions/functions/define';
import type { JsonObject, JsonScalar } from '../model';
import type { Evaluated } from './entries';
import { compileScalars } from './scalar-entries';
import type { Checked } from './validation';

/** Names of the context `request` (language 7.1). */
const REQUEST_NAMES = ['url', 'path', 'queryString', 'method', 'hostname', 'port', 'resource'];
const REQUEST: Contexts = { request: new Map(REQUEST_NAMES.map((name) => [name, ''])) };

/**
 * Compiles the values that an authentication adds to each request (language 4.3, 4.7), to be evaluated against it.
 *
 * @param path where the object stands
 * @param context what it may refer to beside `query` and `request`
 * @param names all names in that context; a reference to any other is a fault before the run
 */
export function compileAdded(
  raw: JsonObject,
  path: string,
  context: ContextName,
  names: ReadonlyMap<string, JsonScalar>,
  functions: Functions,
): Checked<(contexts: Contexts) => Evaluated> {
  const known: Contexts = { ...REQUEST, [context]: names };
  return compileScalars(raw, { path, contexts: [context, 'query', 'request'], functions, known });
}
