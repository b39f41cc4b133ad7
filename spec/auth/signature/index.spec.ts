/** Whole runs against a server that verifies signatures. */
import { createHmac } from 'node:crypto';
import { validate } from '../../../src';
import { json } from '../../support/answers';
import { header, onceUnavailable, useRunner } from '../support';

const { run } = useRunner();
const KEY = { '#signatureKey': 's3cret', keyId: 'k1' };
const hmac = (text: string): string => createHmac('sha256', 's3cret').update(text).digest('hex');
const TIMED = {
  type: 'signature',
  parts: [{ request: 'method' }, { request: 'resource' }, { signature: 'timestamp' }, { signature: 'nonce' }],
  header: 'X-Signature',
  headers: { 'X-Time': { signature: 'timestamp' }, 'X-Nonce': { signature: 'nonce' }, 'X-Key': { attr: 'keyId' } },
  timestamp: 'milliseconds',
};

describe('signature', () => {
  it('each attempt is signed anew, with one time and one nonce in parts and headers', async () => {
    const { requests } = await run(
      { authentication: TIMED, config: KEY, job: { params: { page: 2 } } },
      onceUnavailable(),
    );
    const [nonces, times] = [header(requests, 'x-nonce'), header(requests, 'x-time')];
    expect(requests).toHaveLength(2);
    expect(new Set(nonces).size).toBe(2);
    expect(header(requests, 'x-signature')).toEqual(
      nonces.map((nonce, at) => hmac(['GET', '/items?page=2', times[at], nonce].join('\n'))),
    );
    expect(header(requests, 'x-key')).toEqual(['k1', 'k1']);
  });

  it('the body of the request is signed as it is sent, and each redirect anew', async () => {
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

  it.each<[object, object, string]>([
    [{}, {}, 'api.authentication.parts: required'],
    [{ parts: [] }, {}, 'api.authentication.parts: required'],
    [{ parts: ['a'], template: 'x' }, {}, 'api.authentication.template: has no {signature}'],
    [{ parts: ['a'], header: 'a b' }, {}, 'api.authentication.header: is no name of a header'],
    [{ parts: ['a'], headers: { authorization: 'x' } }, {}, 'api.authentication.headers: has the header'],
    [{ parts: ['a'], algorithm: 'sha255' }, {}, 'did you mean "sha256"'],
    [{ parts: ['a'] }, { '#signatureKey': '' }, 'config.#signatureKey: required by signature authentication'],
    [{ parts: ['a'], template: '{keyId}{signature}' }, { keyId: '' }, 'config.keyId: required by signature'],
  ])('%j with %j is refused', (authentication, config, message) => {
    const api = { baseUrl: 'https://api.example', authentication: { type: 'signature', ...authentication } };
    expect(() => validate({ api, config: { ...KEY, ...config, jobs: [{ endpoint: 'items' }] } })).toThrow(message);
  });
});
