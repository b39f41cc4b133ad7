/** A secret that is known before a run and sent as it is: a token or a key. */
import { andThen, attempt, fault, valid, type Checked } from '../language/codec/checked';
import { compileExpression, type Contexts } from '../language/expressions/expression';
import { isScalar, textOf } from '../core/json/text';
import type { JsonObject } from '../core/model';
import type { AuthenticationPlace } from '../language/parts/authentication/authentication';

/** A header cannot carry these, and whoever pastes a token may bring one along. */
const UNFIT = /[\0\r\n]/;

/**
 * The secret, before the first request, as it can be sent.
 *
 * @param path where it is written
 */
export const staticSecret = (written: string | JsonObject, path: string, place: AuthenticationPlace): Checked<string> =>
  andThen(staticText(written, path, place), (text) =>
    UNFIT.test(text) ? fault(path, 'has a line break or another character that cannot be sent') : valid(text),
  );

/**
 * As {@link staticSecret}, of what is never sent itself: it may have several lines. A string is the secret, though it holds JSON: keys in
 * files do.
 */
export function staticText(written: string | JsonObject, path: string, place: AuthenticationPlace): Checked<string> {
  if (typeof written === 'string') return valid(written);
  const { known, ...scope } = place.scope;
  const attr: Contexts = known.attr === undefined ? {} : { attr: known.attr };
  const compiled = compileExpression(written, { path, contexts: ['attr'], ...scope, known: attr });
  return andThen(compiled, ({ evaluate }) =>
    andThen(
      attempt(path, () => evaluate(attr)),
      (value) => {
        const text = isScalar(value) ? textOf(value) : '';
        return text === '' ? fault(path, 'gives no string: the secret is empty') : valid(text);
      },
    ),
  );
}
