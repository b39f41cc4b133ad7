import { allOf, andThen, collect, mapValid, valid, type Checked } from '../../language/codec/checked';
import { expressionFailed } from '../../core/errors/errors';
import { compileExpression, type Scope } from '../../language/expressions/expression';
import { canBeScalar, scalar } from '../../language/expressions/scalar-entries';
import { entriesOf } from '../../core/json/keys';
import { isScalar, textOf } from '../../core/json/text';
import type { Json, JsonObject } from '../../core/model';
import type { LoginPlace, LoginValues } from './given';
import type { LoginPlan } from './plan';

const PATH = 'api.authentication.apiRequest';

interface Entry {
  readonly name: string;
  readonly value: (given: LoginValues) => string;
  /** What it reads. */
  readonly places: readonly LoginPlace[];
}

/** Compiles what a login adds to other requests (docs/language/authentication.md#what-travels-where). */
export function compileApplied(
  { headers, query }: { readonly headers: JsonObject; readonly query: JsonObject },
  scope: Scope,
): Checked<Pick<LoginPlan, 'apply' | 'secretPlaces'>> {
  const entriesIn = (raw: JsonObject, key: string): Checked<readonly Entry[]> =>
    allOf(entriesOf(raw).map(([name, value]) => entry(name, value, `${PATH}.${key}.${name}`, scope)));
  const compiled = collect({ headers: entriesIn(headers, 'headers'), query: entriesIn(query, 'query') });
  return mapValid(compiled, (entries) => ({
    apply: (given) => ({
      headers: entries.headers.map(({ name, value }) => [name.toLowerCase(), value(given)]),
      query: entries.query.map(({ name, value }) => [name, value(given)]),
    }),
    secretPlaces: [...entries.headers, ...entries.query].flatMap(({ places }) => places),
  }));
}

/**
 * A bare string is a path in the login response; if that leads nowhere, it stands for itself
 * (docs/language/authentication.md#logging-in).
 */
function entry(name: string, raw: Json, path: string, scope: Scope): Checked<Entry> {
  if (isScalar(raw)) {
    const text = textOf(raw);
    return valid({ name, places: [text], value: ({ response }) => atPathOrItself(text, response, path) });
  }
  const place = { path, contexts: ['attr', 'response', 'responseHeader'] as const, ...scope };
  const compiled = andThen(canBeScalar(raw, place), () => compileExpression(raw, place));
  return mapValid(compiled, ({ responsePaths, responseHeaders, evaluate }) => ({
    name,
    places: [...responsePaths, ...responseHeaders.map((responseHeader) => ({ responseHeader }))],
    value: (given: LoginValues) => textOf(scalar(evaluate({ ...scope.known, ...given }), path)),
  }));
}

/**
 * The value at the path. `null` counts as not found, and what is no scalar is no value
 * (docs/language/authentication.md#what-travels-where).
 */
function atPathOrItself(text: string, response: LoginValues['response'], path: string): string {
  const found = response.get(text);
  if (found !== undefined && found !== null) return textOf(found);
  const holds =
    found === null ? 'null' : [...response.keys()].some((key) => key.startsWith(`${text}.`)) && 'a structure';
  if (holds === false) return text;
  const message = `the login response has ${holds} at ${JSON.stringify(text)}: expected a string or a number`;
  throw expressionFailed({ path, message });
}
