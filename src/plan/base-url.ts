import * as E from 'fp-ts/Either';
import { pipe } from 'fp-ts/function';
import type { Api } from '../config/configuration';
import { compileExpression } from '../expressions/expression';
import type { Contexts } from '../expressions/expression';
import { isScalar, textOf } from '../json/text';
import { isAbsolute } from '../url/address';
import { parseUrl } from '../url/parse-url';
import { attempt, fault } from './validation';
import type { Checked } from './validation';

/** The base URL: literal, or the result of an expression over the user attributes (language 2.2). */
export function baseUrlOf(api: Api, contexts: Contexts): Checked<string> {
  const { baseUrl } = api;
  if (typeof baseUrl === 'string') return E.right(baseUrl);
  const path = 'api.baseUrl';
  return pipe(
    compileExpression(baseUrl, { path, contexts: ['attr'], urlencode: true, known: contexts }),
    E.flatMap((compiled) => attempt(path, () => compiled.evaluate(contexts))),
    E.flatMap((value) => {
      const text = isScalar(value) ? textOf(value) : '';
      return isAbsolute(text) && parseUrl(text) !== undefined
        ? E.right(text)
        : fault(path, `The "baseUrl" attribute in API configuration resulted in an invalid URL (${text})`);
    }),
  );
}
