/** Certificates of servers and clients, made at run time by `node:crypto` alone. */
import { createPrivateKey, generateKeyPairSync, randomBytes, sign, X509Certificate } from 'node:crypto';
import { content, der, identifier, list, text, time } from './der';

/** A certificate and its private key, both PEM. */
export interface Identity {
  readonly certificate: string;
  readonly key: string;
}

export interface IdentityOptions {
  readonly name?: string;
  /** Signs the certificate; absent: it signs itself. */
  readonly issuer?: Identity;
  readonly validUntil?: Date;
}

const YEAR_MS = 365 * 24 * 3600 * 1000;

const ECDSA_WITH_SHA256 = list(identifier('1.2.840.10045.4.3.2'));
const COMMON_NAME = '2.5.4.3';
const BASIC_CONSTRAINTS = '2.5.29.19';
const SUBJECT_ALTERNATIVE_NAME = '2.5.29.17';

/** Makes a certificate (RFC 5280) for a server (`localhost` unless named) or a client. */
export function createIdentity({ name = 'localhost', issuer, validUntil }: IdentityOptions): Identity {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const end = validUntil ?? new Date(Date.now() + YEAR_MS);
  const body = list(
    der(0xa0, der(0x02, Buffer.from([2]))),
    der(0x02, Buffer.concat([Buffer.from([1]), randomBytes(8)])),
    ECDSA_WITH_SHA256,
    named(issuer === undefined ? name : nameOf(issuer)),
    list(time(new Date(end.getTime() - 2 * YEAR_MS)), time(end)),
    named(name),
    publicKey.export({ format: 'der', type: 'spki' }),
    der(
      0xa3,
      list(
        extension(BASIC_CONSTRAINTS, issuer === undefined ? list(der(0x01, Buffer.from([0xff]))) : list()),
        extension(SUBJECT_ALTERNATIVE_NAME, list(der(0x82, Buffer.from(name)))),
      ),
    ),
  );
  const signature = sign('sha256', body, issuer === undefined ? privateKey : createPrivateKey(issuer.key));
  const made = new X509Certificate(
    list(body, ECDSA_WITH_SHA256, der(0x03, Buffer.concat([Buffer.from([0]), signature]))),
  );
  return { certificate: made.toString(), key: privateKey.export({ format: 'pem', type: 'pkcs8' }).toString() };
}

const named = (name: string): Buffer => list(der(0x31, list(identifier(COMMON_NAME), text(name))));

const nameOf = ({ certificate }: Identity): string => new X509Certificate(certificate).subject.replace(/^CN=/, '');

const extension = (id: string, value: Buffer): Buffer => list(identifier(id), content(value));
