import * as E from 'fp-ts/Either';
import { pipe } from 'fp-ts/function';
import { compileExpression } from '../expressions/expression';
import type { Contexts, Scope } from '../expressions/expression';
import { isScalar, textOf } from '../json/text';
import type { JsonObject } from '../model';
import { endpointIn } from './endpoint';
import { attempt, fault } from './validation';
import type { Checked } from './validation';

/** The URL of a login, and texts in it that must not be printed. */
export interface LoginUrl {
  readonly url: string;
  readonly secrets: readonly string[];
}

const PATH = 'api.authentication.loginRequest.endpoint';

/** The URL of a login, whose endpoint may be an expression over the user attributes (docs/extensions/functions.md). */
export function loginUrl(
  endpoint: string | JsonObject,
  baseUrl: string,
  { functions, known: { attr } }: Scope,
): Checked<LoginUrl> {
  const plain = (text: string): Checked<string> => endpointIn(baseUrl, text, PATH);
  if (typeof endpoint === 'string')
    return pipe(
      plain(endpoint),
      E.map((url) => ({ url, secrets: [] })),
    );
  const known: Contexts = attr === undefined ? {} : { attr };
  return pipe(
    compileExpression(endpoint, { path: PATH, contexts: ['attr'], functions, known }),
    E.flatMap(({ evaluate, usesSecrets }) =>
      pipe(
        attempt(PATH, () => evaluate(known)),
        E.flatMap((value) =>
          isScalar(value) && textOf(value) !== ''
            ? E.right(textOf(value))
            : fault(PATH, 'the function gives no text; expected the path or URL of the login'),
        ),
        E.flatMap((text) =>
          pipe(
            plain(text),
            E.map((url) => ({ url, secrets: usesSecrets ? [text] : [] })),
          ),
        ),
      ),
    ),
  );
}
