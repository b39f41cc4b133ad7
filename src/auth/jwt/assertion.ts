import { randomUUID } from 'node:crypto';
import { andThen, attempt, collect, fault, mapValid, valid } from '../../language/codec/checked';
import type { Checked } from '../../language/codec/checked';
import { compileEntries } from '../../language/expressions/entries';
import type { Evaluated } from '../../language/expressions/entries';
import type { Contexts } from '../../language/expressions/expression';
import { merge } from '../../core/json/merge';
import type { JsonObject } from '../../core/model';
import type { AuthenticationPlace } from '../../language/parts/authentication/authentication';
import type { KeyEncoding } from '../signature/key';
import { staticText } from '../static-secret';
import { keyOf } from './key';
import { keyFileOf } from './service-account';
import { signedToken } from './sign';
import type { Algorithm } from './sign';

const PATH = 'api.authentication';
/** What Headwater says itself, by the clock. */
const OWN = ['iat', 'exp', 'jti'];

/** What a token is made of. */
export interface AssertionOptions {
  readonly algorithm: Algorithm;
  readonly key: string | JsonObject;
  readonly keyEncoding: KeyEncoding;
  readonly keyId?: string;
  readonly claims: JsonObject;
  readonly header: JsonObject;
  readonly lifetime: number;
  readonly jti: boolean;
}

/** Tokens that are signed when they are needed. */
export interface Assertion {
  /** Values known before the run that must never be printed. */
  readonly secrets: readonly string[];
  /**
   * A new token.
   *
   * @param now milliseconds since the epoch
   * @throws FatalError EXPRESSION_FAILED
   */
  readonly token: (now: number) => { readonly token: string; readonly secrets: readonly string[] };
}

/** Compiles the tokens of docs/language/authentication/jwt.md. */
export function compileAssertion(options: AssertionOptions, place: AuthenticationPlace): Checked<Assertion> {
  const { algorithm, keyEncoding, keyId, lifetime } = options;
  const { known, ...scope } = place.scope;
  const attr: Contexts = known.attr === undefined ? {} : { attr: known.attr };
  const evaluable = (raw: JsonObject, path: string): Checked<() => Evaluated> =>
    andThen(compileEntries(raw, { path, contexts: ['attr'], ...scope, known: attr }), (evaluate) =>
      mapValid(
        attempt(path, () => evaluate(attr)),
        () => () => evaluate(attr),
      ),
    );
  const compiled = collect({
    signer: andThen(staticText(options.key, `${PATH}.key`, place), (text) => {
      const file = keyFileOf(text);
      return mapValid(keyOf(file.key, algorithm, keyEncoding, `${PATH}.key`), (key) => ({ ...file, text, signs: key }));
    }),
    claims: evaluable(options.claims, `${PATH}.claims`),
    header: evaluable(options.header, `${PATH}.header`),
    own: OWN.some((name) => Object.hasOwn(options.claims, name))
      ? fault(`${PATH}.claims`, 'has "iat", "exp" or "jti": Headwater says these itself, by "lifetime" and "jti"')
      : valid(undefined),
  });
  return mapValid(compiled, ({ signer, claims, header }) => ({
    secrets: [...new Set([signer.text, signer.key])],
    token: (now) => {
      const iat = Math.floor(now / 1000);
      const said = claims();
      const about = header();
      const times = { iat, exp: iat + lifetime, ...(options.jti ? { jti: randomUUID() } : {}) };
      const token = signedToken(
        algorithm,
        signer.signs,
        [signer.header, keyId === undefined ? {} : { kid: keyId }, about.values].reduce<JsonObject>(merge, {
          typ: 'JWT',
        }),
        [said.values, times].reduce<JsonObject>(merge, signer.claims),
      );
      return { token, secrets: [...said.secrets, ...about.secrets, token] };
    },
  }));
}
