import { andThen, attempt, fault, mapValid, type Checked } from '../../language/codec/checked';
import { compileExpression, type Contexts, type Scope } from '../../language/expressions/expression';
import { isScalar, textOf } from '../../core/json/text';
import type { JsonObject } from '../../core/model';
import { endpointIn } from '../../language/requests/endpoint';

/** The URL of a login, and strings in it that must not be printed. */
export interface LoginUrl {
  readonly url: string;
  readonly secrets: readonly string[];
}

/** The URL of a login, whose endpoint may be an expression over the user attributes (docs/extensions/functions.md). */
export function loginUrl(
  endpoint: string | JsonObject,
  baseUrl: string,
  path: string,
  { known: { attr }, ...scope }: Scope,
): Checked<LoginUrl> {
  const plain = (text: string, secrets: readonly string[]): Checked<LoginUrl> =>
    mapValid(endpointIn(baseUrl, text, path), (url) => ({ url, secrets }));
  if (typeof endpoint === 'string') return plain(endpoint, []);
  const known: Contexts = attr === undefined ? {} : { attr };
  const compiled = compileExpression(endpoint, { path, contexts: ['attr'], ...scope, known });
  return andThen(compiled, ({ evaluate, usesSecrets }) =>
    andThen(
      attempt(path, () => evaluate(known)),
      (value) => {
        const text = isScalar(value) ? textOf(value) : '';
        return text === ''
          ? fault(path, 'the function gives no string; expected the path or URL of the login')
          : plain(text, usesSecrets ? [text] : []);
      },
    ),
  );
}
