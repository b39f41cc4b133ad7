import { generate } from 'selfsigned';

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

/** Makes a certificate at run time, for a server (`localhost` unless named) or a client. */
export async function createIdentity({ name = 'localhost', issuer, validUntil }: IdentityOptions): Promise<Identity> {
  const end = validUntil ?? new Date(Date.now() + YEAR_MS);
  const made = await generate([{ name: 'commonName', value: name }], {
    keyType: 'ec',
    algorithm: 'sha256',
    notBeforeDate: new Date(end.getTime() - 2 * YEAR_MS),
    notAfterDate: end,
    extensions: [
      { name: 'basicConstraints', cA: issuer === undefined },
      { name: 'subjectAltName', altNames: [{ type: 2, value: name }] },
    ],
    ...(issuer === undefined ? {} : { ca: { key: issuer.key, cert: issuer.certificate } }),
  });
  return { certificate: made.cert, key: made.private };
}
