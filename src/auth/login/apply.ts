import { allOf, andThen, collect, mapValid, valid, type Checked } from '../../codec/checked';
import { expressionFailed } from '../../errors';
import { compileExpression, type Scope } from '../../expressions/expression';
import { canBeScalar, scalar } from '../../expressions/scalar-entries';
import { entriesOf } from '../../json/keys';
import { isScalar, textOf } from '../../json/text';
import type { Json, JsonObject } from '../../model';
import type { LoginPlan, LoginValues } from './plan';

const PATH = 'api.authentication.apiRequest';

interface Entry {
  readonly name: string;
  readonly value: (response: LoginValues) => string;
  readonly paths: readonly string[];
}

/** Compiles what a login adds to other requests (docs/language/authentication.md#what-travels-where). */
export function compileApplied(
  { headers, query }: { readonly headers: JsonObject; readonly query: JsonObject },
  scope: Scope,
): Checked<Pick<LoginPlan, 'apply' | 'secretPaths'>> {
  const entriesIn = (raw: JsonObject, key: string): Checked<readonly Entry[]> =>
    allOf(entriesOf(raw).map(([name, value]) => entry(name, value, `${PATH}.${key}.${name}`, scope)));
  const compiled = collect({ headers: entriesIn(headers, 'headers'), query: entriesIn(query, 'query') });
  return mapValid(compiled, (entries) => ({
    apply: (response) => ({
      headers: entries.headers.map(({ name, value }) => [name.toLowerCase(), value(response)]),
      query: entries.query.map(({ name, value }) => [name, value(response)]),
    }),
    secretPaths: [...entries.headers, ...entries.query].flatMap(({ paths }) => paths),
  }));
}

/**
 * A bare string is a path in the login response; if that leads nowhere, it stands for itself
 * (docs/language/authentication.md#logging-in).
 */
function entry(name: string, raw: Json, path: string, scope: Scope): Checked<Entry> {
  if (isScalar(raw)) {
    const text = textOf(raw);
    return valid({ name, paths: [text], value: (response) => atPathOrItself(text, response, path) });
  }
  const place = { path, contexts: ['attr', 'response'] as const, ...scope };
  const compiled = andThen(canBeScalar(raw, place), () => compileExpression(raw, place));
  return mapValid(compiled, ({ responsePaths, evaluate }) => ({
    name,
    paths: responsePaths,
    value: (response: LoginValues) => textOf(scalar(evaluate({ ...scope.known, response }), path)),
  }));
}

/**
 * The value at the path. `null` counts as not found, and what is no scalar is no value
 * (docs/language/authentication.md#what-travels-where).
 */
function atPathOrItself(text: string, response: LoginValues, path: string): string {
  const found = response.get(text);
  if (found !== undefined && found !== null) return textOf(found);
  const holds =
    found === null ? 'null' : [...response.keys()].some((key) => key.startsWith(`${text}.`)) && 'a structure';
  if (holds === false) return text;
  const message = `the login response has ${holds} at ${JSON.stringify(text)}: expected a string or a number`;
  throw expressionFailed({ path, message });
}
