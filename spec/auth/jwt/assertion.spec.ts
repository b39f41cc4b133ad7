import { constants, createSecretKey, createHmac, generateKeyPairSync, verify } from 'node:crypto';
import type { KeyObject } from 'node:crypto';
import { keyOf, signedToken } from '../../../src/auth/jwt/assertion';
import type { Algorithm } from '../../../src/auth/jwt/assertion';

type Pair = Readonly<Record<'privateKey' | 'publicKey', KeyObject>>;

const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 });
const small = generateKeyPairSync('rsa', { modulusLength: 1024 });
const p256 = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const p384 = generateKeyPairSync('ec', { namedCurve: 'P-384' });
const p521 = generateKeyPairSync('ec', { namedCurve: 'P-521' });
const ed = generateKeyPairSync('ed25519');
const pem = ({ privateKey }: Pair, type: 'pkcs8' | 'pkcs1' | 'sec1' = 'pkcs8'): string =>
  privateKey.export({ type, format: 'pem' }).toString();

const decoded = (part = ''): unknown => JSON.parse(Buffer.from(part, 'base64url').toString());

const isGenuine = (token: string, algorithm: Algorithm, { publicKey }: Pair): boolean => {
  const at = token.lastIndexOf('.');
  const signature = Buffer.from(token.slice(at + 1), 'base64url');
  const hash = algorithm === 'EdDSA' ? null : `sha${algorithm.slice(2)}`;
  const padding = algorithm.startsWith('PS')
    ? { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: Number(algorithm.slice(2)) / 8 }
    : {};
  return verify(
    hash,
    Buffer.from(token.slice(0, at)),
    { key: publicKey, dsaEncoding: 'ieee-p1363', ...padding },
    signature,
  );
};

const keyFor = (text: string, algorithm: Algorithm): KeyObject => {
  const found = keyOf(text, algorithm, 'utf8', 'key');
  if (found._tag === 'Left') throw new Error(JSON.stringify(found.left));
  return found.right;
};
const faultOf = (text: string, algorithm: Algorithm): string => {
  const found = keyOf(text, algorithm, 'utf8', 'key');
  return found._tag === 'Left' ? (found.left[0]?.message ?? '') : '';
};

describe('signed tokens', () => {
  it.each<readonly [Algorithm, Pair, string]>([
    ['RS256', rsa, pem(rsa)],
    ['RS384', rsa, pem(rsa, 'pkcs1')],
    ['RS512', rsa, pem(rsa)],
    ['PS256', rsa, pem(rsa)],
    ['PS512', rsa, pem(rsa)],
    ['ES256', p256, pem(p256, 'sec1')],
    ['ES384', p384, pem(p384)],
    ['ES512', p521, pem(p521)],
    ['EdDSA', ed, pem(ed)],
  ])('%s is verified by the public key, and by no changed text', (algorithm, pair, text) => {
    const token = signedToken(
      algorithm,
      keyFor(text, algorithm),
      { typ: 'JWT', kid: 'k' },
      { sub: 'ä', n: 9007199254740993n },
    );
    const [header, claims] = token.split('.');
    expect(decoded(header)).toEqual({ alg: algorithm, typ: 'JWT', kid: 'k' });
    expect(Buffer.from(claims ?? '', 'base64url').toString()).toBe('{"sub":"ä","n":9007199254740993}');
    expect(isGenuine(token, algorithm, pair)).toBe(true);
    expect(isGenuine(token.replace('.', 'x.'), algorithm, pair)).toBe(false);
  });

  it.each(['HS256', 'HS384', 'HS512'] as const)('%s is the HMAC of both parts', (algorithm) => {
    const token = signedToken(algorithm, createSecretKey(Buffer.from('s3')), {}, { sub: 'a' });
    const [header = '', claims = '', signature] = token.split('.');
    const expected = createHmac(`sha${algorithm.slice(2)}`, 's3')
      .update(`${header}.${claims}`)
      .digest('base64url');
    expect(signature).toBe(expected);
  });
});

describe('keys of tokens', () => {
  it('a PEM in one line is read: a variable has no other', () => {
    expect(keyFor(pem(p256).replaceAll('\n', '\\n'), 'ES256').asymmetricKeyType).toBe('ec');
  });

  it.each<readonly [string, string, Algorithm, string]>([
    ['no PEM', 'abc', 'RS256', 'is no private key: expected an RSA key as PEM'],
    ['a public key', rsa.publicKey.export({ type: 'spki', format: 'pem' }).toString(), 'RS256', 'is no private key'],
    [
      'a key with a passphrase',
      rsa.privateKey.export({ type: 'pkcs8', format: 'pem', cipher: 'aes-256-cbc', passphrase: 'p' }).toString(),
      'RS256',
      'without a passphrase',
    ],
    ['an RSA key for a curve', pem(rsa), 'ES256', 'ES256 signs with a key of the curve P-256'],
    ['another curve', pem(p384), 'ES256', 'ES256 signs with a key of the curve P-256'],
    ['too few bits', pem(small), 'RS256', 'has 1024 bits: RS256 demands 2048 or more'],
    ['a PEM as a shared secret', pem(rsa), 'HS256', 'signs with a secret that both sides share'],
  ])('%s is a fault that does not quote it', (_, text, algorithm, message) => {
    expect(faultOf(text, algorithm)).toContain(message);
    expect(faultOf(text, algorithm)).not.toContain(text.slice(40, 60) || text);
  });
});
