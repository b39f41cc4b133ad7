import { createHash, createHmac } from 'node:crypto';
import { compileSignature } from '../../../src/auth/signature/compile';
import type { SignatureOptions } from '../../../src/auth/signature/compile';
import type { Request } from '../../../src/core/model';
import { scopeOf } from '../../support/expressions';

const OPTIONS: SignatureOptions = {
  algorithm: 'sha256',
  keyEncoding: 'utf8',
  parts: [{ request: 'method' }],
  separator: '\n',
  encoding: 'hex',
  header: 'X-Signature',
  template: '{signature}',
  timestamp: 'seconds',
  nonce: 'hex',
  headers: {},
};
const REQUEST: Request = {
  method: 'POST',
  url: 'https://api.example:8443/a%20b?z=1&a=x%20y&a=B&flag',
  headers: { 'content-type': 'application/json' },
  body: '{"a":"ö"}',
  purpose: { kind: 'page', job: 'j' },
  home: 'https://api.example:8443/',
  provenance: 'configured',
  receivedNames: [],
};
const MOMENT = { timestamp: '1700000000', nonce: 'n1' };
const scope = scopeOf({ attr: new Map([['#account', 'acc0unt']]) });

const compiled = (options: Partial<SignatureOptions>, key = 's3cret') =>
  compileSignature({ ...OPTIONS, ...options }, { key, keyId: 'k1' }, scope);
const signed = (options: Partial<SignatureOptions>, key?: string) => {
  const checked = compiled(options, key);
  if (checked._tag === 'Left') throw new Error(JSON.stringify(checked.left));
  return checked.right(REQUEST, MOMENT);
};
const hmac = (text: string, encoding: 'hex' | 'base64' | 'base64url' = 'hex', algorithm = 'sha256') =>
  createHmac(algorithm, 's3cret').update(text).digest(encoding);

describe('compileSignature', () => {
  it.each<[object, string]>([
    [{ request: 'path' }, '/a%20b'],
    [{ request: 'resource' }, '/a%20b?z=1&a=x%20y&a=B&flag'],
    [{ request: 'sortedQuery' }, 'a=B&a=x%20y&flag=&z=1'],
    [{ request: 'hostname' }, 'api.example'],
    [{ request: 'port' }, '8443'],
    [{ request: 'contentType' }, 'application/json'],
    [{ request: 'body' }, '{"a":"ö"}'],
    [{ request: 'bodyHash' }, createHash('sha256').update('{"a":"ö"}').digest('hex')],
    [{ query: 'z' }, '1'],
    [{ signature: 'timestamp' }, '1700000000'],
    [{ signature: 'nonce' }, 'n1'],
    [{ attr: '#account' }, 'acc0unt'],
    [{ function: 'concat', args: ['x=', { request: 'method' }] }, 'x=POST'],
  ])('%j is part of what is signed', (part, text) => {
    const { headers, secrets } = signed({ parts: ['v1', part as never, null, 7], separator: '.' });
    const signature = hmac(`v1.${text}..7`);
    expect(headers).toEqual({ 'x-signature': signature });
    expect(secrets).toContain(signature);
  });

  it.each(['hex', 'base64', 'base64url'] as const)(
    'writes the signature, and the hash of the body, in %s',
    (encoding) => {
      const hash = createHash('sha512').update('{"a":"ö"}').digest(encoding);
      const { headers } = signed({ encoding, algorithm: 'sha512', parts: [{ request: 'bodyHash' }] });
      expect(headers['x-signature']).toBe(hmac(hash, encoding, 'sha512'));
    },
  );

  it.each([
    ['hex', '733363726574'],
    ['base64', 'czNjcmV0'],
  ] as const)('reads a key in %s', (keyEncoding, key) => {
    expect(signed({ keyEncoding }, key).headers['x-signature']).toBe(hmac('POST'));
  });

  it('further headers share the moment, may have the signature, and register what is secret in them', () => {
    const headers = {
      'X-Time': { signature: 'timestamp' },
      'X-Nonce': { signature: 'nonce' },
      'X-Copy': { function: 'concat', args: ['v=', { signature: 'value' }] },
      'X-Account': { attr: '#account' },
    };
    const made = signed({ headers, template: 't={timestamp},k={keyId},v1={signature}' });
    expect(made.headers).toEqual({
      'x-time': '1700000000',
      'x-nonce': 'n1',
      'x-copy': `v=${hmac('POST')}`,
      'x-account': 'acc0unt',
      'x-signature': `t=1700000000,k=k1,v1=${hmac('POST')}`,
    });
    expect(made.secrets).toEqual(['acc0unt', hmac('POST')]);
  });

  it('finds what is wrong before the run, without showing the key', () => {
    const parts = [['a'], { request: 'bodyhash' }, { signature: 'value' }];
    expect(compiled({ parts, keyEncoding: 'hex', headers: { 'X-A': {} } }, 's3cret')).toEqual({
      _tag: 'Left',
      left: [
        { path: 'config.#signatureKey', message: 'is not in hex, as api.authentication.keyEncoding says' },
        expect.objectContaining({ path: 'api.authentication.parts[0]' }),
        expect.objectContaining({
          path: 'api.authentication.parts[1]',
          message: expect.stringContaining("Did you mean 'bodyHash'?") as string,
        }),
        expect.objectContaining({ path: 'api.authentication.parts[2]' }),
        expect.objectContaining({ path: 'api.authentication.headers.X-A' }),
      ],
    });
  });
});
