import { createPrivateKey, createSecretKey } from 'node:crypto';
import type { KeyObject } from 'node:crypto';
import { fault, valid } from '../../language/codec/checked';
import type { Checked } from '../../language/codec/checked';
import { keyBytes } from '../signature/key';
import type { KeyEncoding } from '../signature/key';
import type { Algorithm } from './sign';

/** What is known of the key of an algorithm beside its bytes. */
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
/** RFC 7518 section 3.3. */
const LEAST_BITS = 2048;
const PEM = '-----BEGIN ';

/**
 * The key that an algorithm signs with: a shared secret for HS256 and the like, a private key as PEM for all others. Faults never quote it.
 *
 * @param path where the key is written
 * @param encoding how a shared secret is written
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

/** Variables of an environment have one line: `\n` stands for the end of one there. */
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
    // Its message may say something of the key.
    return undefined;
  }
}
