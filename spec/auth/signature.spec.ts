import { createHash, createHmac } from 'node:crypto';
import {
  compileSignature,
  filled,
  keyBytes,
  momentOf,
  namesKeyId,
  templateFault,
  timestampAs,
} from '../../src/auth/signature';
import type { SignatureOptions } from '../../src/auth/signature';
import type { Request } from '../../src/core/model';
import { json } from '../support/answers';
import { scopeOf } from '../support/expressions';
import { header, useRunner } from './support';

describe('the moment of a signature', () => {
  it.each([
    ['seconds', '1767225599'],
    ['milliseconds', '1767225599999'],
    ['iso', '2025-12-31T23:59:59.999Z'],
    ['httpdate', 'Wed, 31 Dec 2025 23:59:59 GMT'],
  ] as const)('%s: %s', (form, text) => {
    expect(timestampAs(form, 1_767_225_599_999)).toBe(text);
  });

  it('a nonce is hexadecimal or a UUID, and never the same', () => {
    const nonces = (['hex', 'hex', 'uuid'] as const).map((nonce) => momentOf({ timestamp: 'seconds', nonce }).nonce);
    expect(nonces).toEqual([
      expect.stringMatching(/^[0-9a-f]{32}$/),
      expect.stringMatching(/^[0-9a-f]{32}$/),
      expect.stringMatching(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/),
    ]);
    expect(new Set(nonces).size).toBe(3);
  });
});

/** Whole runs against a server that verifies signatures. */

describe('index', () => {
  const { run } = useRunner();
  const KEY = { '#signatureKey': 's3cret', keyId: 'k1' };
  const hmac = (text: string): string => createHmac('sha256', 's3cret').update(text).digest('hex');

  describe('signature', () => {
    it('the body of the request is signed as it is sent, and each redirect again', async () => {
      const authentication = {
        type: 'signature',
        parts: [{ request: 'path' }, { request: 'body' }],
        template: 'HMAC {keyId}:{signature}',
      };
      const { requests } = await run(
        { authentication, config: KEY, job: { method: 'POST', params: { q: 'ö' } } },
        ({ url }) => (url === '/items' ? json({}, 307, { location: '/moved' }) : json([1])),
      );
      expect(header(requests)).toEqual(requests.map(({ url, body }) => `HMAC k1:${hmac(`${url}\n${body}`)}`));
      expect(requests.map(({ url }) => url)).toEqual(['/items', '/moved']);
    });
  });
});

describe('compile', () => {
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
});

const VALUES = { signature: '5a', timestamp: '7', nonce: 'n', keyId: '$&' };

describe('the template of a signature', () => {
  it('names signature, time, nonce and key, each as often as it likes', () => {
    const template = 'HMAC {keyId}:{signature};t={timestamp};n={nonce};{signature}';
    expect(filled(template, VALUES)).toBe('HMAC $&:5a;t=7;n=n;5a');
    expect(templateFault(template)).toBeUndefined();
    expect([template, '{signature}'].map(namesKeyId)).toEqual([true, false]);
  });

  it('has the signature, and no other names', () => {
    expect(templateFault('v1={signatur}')).toBe("has {…} with an unknown name. Did you mean 'signature'?");
    expect(templateFault('t={timestamp}')).toBe('has no {signature}: nothing would be signed');
  });
});

describe('keyBytes', () => {
  it.each([
    ['s3cret', 'utf8', 's3cret'],
    ['733363726574', 'hex', 's3cret'],
    ['733363726574', 'utf8', '733363726574'],
    ['czNjcmV0', 'base64', 's3cret'],
    ['czNjcmV0MQ==', 'base64', 's3cret1'],
    ['czNjcmV0MQ', 'base64', 's3cret1'],
    [' czNjcmV0\n', 'base64', 's3cret'],
  ] as const)('%j in %s', (text, encoding, bytes) => {
    expect(keyBytes(text, encoding)?.toString()).toBe(bytes);
  });

  it.each([
    ['s3cret', 'hex'],
    ['733', 'hex'],
    ['not base 64', 'base64'],
    ['czNjcmV0!', 'base64'],
    ['', 'base64'],
  ] as const)('%j is not in %s', (text, encoding) => {
    expect(keyBytes(text, encoding)).toBeUndefined();
  });
});
