import { constants, createHmac, createPrivateKey, createSecretKey, randomUUID, sign } from 'node:crypto';
import type { KeyObject } from 'node:crypto';
import { isObject, merge } from '../../core/json/objects';
import { parseJson } from '../../core/json/parse';
import { stringifyJson } from '../../core/json/stringify';
import type { Json, JsonObject } from '../../core/model';
import { andThen, attempt, collect, fault, mapValid, valid } from '../../language/codec/codec';
import type { Checked } from '../../language/codec/codec';
import { compileEntries } from '../../language/expressions/entries';
import type { Evaluated } from '../../language/expressions/entries';
import type { Contexts } from '../../language/expressions/expression';
import type { AuthenticationPlace } from '../../language/parts/authentication';
import { staticText } from '../per-request';
import { keyBytes } from '../signature';
import type { KeyEncoding } from '../signature';

const PATH = 'api.authentication';
/** Claims that Headwater computes itself from the clock. */
const OWN = ['iat', 'exp', 'jti'];

/** The parts of a token. */
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

/** Tokens that are signed on demand. */
export interface Assertion {
  /** Values known before the run that must never be printed. */
  readonly secrets: readonly string[];
  /**
   * Returns a new token.
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

/** The signature algorithms of RFC 7518 and RFC 8037. */
export const ALGORITHMS = [
  ...(['HS256', 'HS384', 'HS512', 'RS256', 'RS384', 'RS512'] as const),
  ...(['PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA'] as const),
] as const;

export type Algorithm = (typeof ALGORITHMS)[number];

/**
 * Returns a signed JSON Web Token (RFC 7519, RFC 7515) in its compact form.
 *
 * @param key a key for the algorithm
 * @example signedToken('HS256', createSecretKey(Buffer.from('s3')), { typ: 'JWT' }, { sub: 'reader' })
 */
export function signedToken(algorithm: Algorithm, key: KeyObject, header: JsonObject, claims: JsonObject): string {
  const signed = `${part(merge({ alg: algorithm }, header))}.${part(claims)}`;
  return `${signed}.${signatureOf(algorithm, key, Buffer.from(signed)).toString('base64url')}`;
}

const part = (content: JsonObject): string => Buffer.from(stringifyJson(content)).toString('base64url');

function signatureOf(algorithm: Algorithm, key: KeyObject, data: Buffer): Buffer {
  if (algorithm === 'EdDSA') return sign(null, data, key);
  const hash = `sha${algorithm.slice(2)}`;
  switch (algorithm.slice(0, 2)) {
    case 'HS':
      return createHmac(hash, key).update(data).digest();
    case 'PS':
      return sign(hash, data, {
        ...{ key, padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: constants.RSA_PSS_SALTLEN_DIGEST },
      });
    case 'ES':
      // RFC 7518 section 3.4 requires a pair of numbers of fixed length; the default is DER.
      return sign(hash, data, { key, dsaEncoding: 'ieee-p1363' });
    default:
      return sign(hash, data, key);
  }
}

/** The requirements of an algorithm for its key. */
interface Kind {
  readonly type: string;
  readonly curve?: string;
  readonly called: string;
}

const CURVES: Readonly<Record<string, Kind>> = {
  ES256: { type: 'ec', curve: 'prime256v1', called: 'a key of the curve P-256' },
  ES384: { type: 'ec', curve: 'secp384r1', called: 'a key of the curve P-384' },
  ES512: { type: 'ec', curve: 'secp521r1', called: 'a key of the curve P-521' },
  EdDSA: { type: 'ed25519', called: 'an Ed25519 key' },
};
const RSA: Kind = { type: 'rsa', called: 'an RSA key' };
/** The least bits of an RSA key (RFC 7518 section 3.3). */
const LEAST_BITS = 2048;
const PEM = '-----BEGIN ';

/**
 * Returns the key for an algorithm: a shared secret for HS256 and the like, a private key as PEM for all others. Faults
 * never quote it.
 *
 * @param path the path of the key in the configuration
 * @param encoding the encoding of a shared secret
 */
export function keyOf(text: string, algorithm: Algorithm, encoding: KeyEncoding, path: string): Checked<KeyObject> {
  if (!algorithm.startsWith('HS')) return privateKeyOf(pemOf(text), algorithm, path);
  if (text.includes(PEM))
    return fault(path, `is a key as PEM, and ${algorithm} signs with a secret that both sides share`);
  const bytes = keyBytes(text, encoding);
  return bytes === undefined
    ? fault(path, `is not in ${encoding}, as api.authentication.keyEncoding says`)
    : valid(createSecretKey(bytes));
}

/** Returns a PEM text with line breaks. Environment variables have one line, with `\n` for a line break. */
const pemOf = (text: string): string => (text.includes('\n') ? text : text.replaceAll('\\n', '\n'));

function privateKeyOf(pem: string, algorithm: Algorithm, path: string): Checked<KeyObject> {
  const { type, curve, called } = CURVES[algorithm] ?? RSA;
  const key = readPrivateKey(pem);
  if (key === undefined)
    return fault(
      path,
      `is no private key: expected ${called} as PEM, "-----BEGIN PRIVATE KEY-----…", without a passphrase`,
    );
  const { namedCurve, modulusLength = LEAST_BITS } = key.asymmetricKeyDetails ?? {};
  if (key.asymmetricKeyType !== type || namedCurve !== curve)
    return fault(path, `is a private key of another kind: ${algorithm} signs with ${called}`);
  return modulusLength < LEAST_BITS
    ? fault(path, `has ${modulusLength} bits: ${algorithm} demands ${LEAST_BITS} or more`)
    : valid(key);
}

function readPrivateKey(pem: string): KeyObject | undefined {
  try {
    return createPrivateKey(pem);
  } catch {
    // The message of the error may contain a part of the key.
    return undefined;
  }
}

/** A key with its metadata. */
export interface KeyFile {
  readonly key: string;
  /** Headers and claims that apply if the configuration has none. */
  readonly header: JsonObject;
  readonly claims: JsonObject;
}

/**
 * Reads a key, or the key file of a Google service account: a JSON object with the key and its owner.
 *
 * @example keyFileOf('{"private_key":"-----BEGIN…","client_email":"a@b.example"}').claims // { iss: 'a@b.example' }
 */
function keyFileOf(text: string): KeyFile {
  const file = text.trimStart().startsWith('{') ? objectIn(text) : undefined;
  const key = file?.['private_key'];
  if (file === undefined || typeof key !== 'string') return { key: text, header: {}, claims: {} };
  return {
    key,
    header: taken({ kid: file['private_key_id'] }),
    claims: taken({ iss: file['client_email'], aud: file['token_uri'] }),
  };
}

const taken = (values: Readonly<Record<string, Json | undefined>>): JsonObject =>
  Object.fromEntries(
    Object.entries(values).flatMap(([name, value]) => (typeof value === 'string' ? [[name, value] as const] : [])),
  );

function objectIn(text: string): JsonObject | undefined {
  try {
    const value = parseJson(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
