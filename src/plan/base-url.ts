import * as E from 'fp-ts/Either';
import { pipe } from 'fp-ts/function';
import type { Api } from '../language/configuration/configuration';
import { compileExpression } from '../language/expressions/expression';
import type { Scope } from '../language/expressions/expression';
import { isScalar, textOf } from '../core/json/text';
import { isAbsolute } from '../core/url/address';
import { parseUrl } from '../core/url/parse-url';
import { attempt, fault } from '../language/codec/checked';
import type { Checked } from '../language/codec/checked';

/**
 * An address without user, password and query; `***` for what is no address at all, such as a key that was taken for
 * one.
 */
const addressOnly = (text: string): string =>
  /[./]/.test(text) ? text.replace(/[?#].*$/s, '').replace(/^([a-z][a-z0-9+.-]*:\/\/)?.*@/is, '$1***@') : '***';

/**
 * The base URL: literal, or the result of an expression over the user attributes (docs/language/requests.md#base-url).
 */
export function baseUrlOf(api: Api, scope: Scope): Checked<string> {
  const { baseUrl } = api;
  if (typeof baseUrl === 'string') return E.right(baseUrl);
  const path = 'api.baseUrl';
  return pipe(
    compileExpression(baseUrl, { path, contexts: ['attr'], ...scope }),
    E.flatMap((compiled) => attempt(path, () => compiled.evaluate(scope.known))),
    E.flatMap((value) => {
      const text = isScalar(value) ? textOf(value) : '';
      return isAbsolute(text) && parseUrl(text) !== undefined
        ? E.right(text)
        : fault(path, `The "baseUrl" attribute in API configuration resulted in an invalid URL (${addressOnly(text)})`);
    }),
  );
}
