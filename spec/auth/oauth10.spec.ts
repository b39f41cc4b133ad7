import { createHmac } from 'node:crypto';
import type { ReceivedRequest } from '../support/api-server';
import { oauth, useRunner } from './support';

const { run, server } = useRunner();

/** The fields of the header, decoded. */
const fieldsOf = ({ headers }: ReceivedRequest): Readonly<Record<string, string>> =>
  Object.fromEntries(
    [...String(headers.authorization).matchAll(/(\w+)="([^"]*)"/g)].map(([, name, value]) => [
      String(name),
      decodeURIComponent(String(value)),
    ]),
  );

/** The signature as a server computes it: from what it received. */
function serverSignature(request: ReceivedRequest): string {
  const url = new URL(request.url, server().origin);
  const body = request.headers['content-type']?.includes('form') === true ? request.body : '';
  const enc = (text: string): string =>
    encodeURIComponent(text).replace(/[!'()*]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`);
  const pairs = [...url.searchParams, ...new URLSearchParams(body), ...Object.entries(fieldsOf(request))]
    .filter(([name]) => name !== 'oauth_signature')
    .map(([name, value]) => `${enc(name)}=${enc(value)}`)
    .sort();
  const base = [request.method, enc(url.origin + url.pathname), enc(pairs.join('&'))].join('&');
  return createHmac('sha1', `${enc('app-secret')}&${enc('token&secret')}`)
    .update(base)
    .digest('base64');
}

describe('language 4.6: oauth10', () => {
  const authentication = { type: 'oauth10' };
  const root = oauth('{"oauth_token":"user token","oauth_token_secret":"token&secret"}', { appKey: 1234 });
  const FIELDS = [
    'oauth_consumer_key',
    'oauth_nonce',
    'oauth_signature',
    'oauth_signature_method',
    'oauth_timestamp',
    'oauth_token',
    'oauth_version',
  ];
  it.each(['GET', 'POST', 'FORM'])(
    'a server accepts the signature of a %s; the header has 7 fields in order',
    async (method) => {
      const { requests } = await run({
        authentication,
        root,
        job: { method, params: { f: { a: "b c=d'&" }, z: [1, 2] } },
      });
      const [request] = requests;
      if (request === undefined) throw new Error('no request came');
      const fields = fieldsOf(request);
      expect(Object.keys(fields)).toEqual(FIELDS);
      expect(fields).toMatchObject({ oauth_consumer_key: '1234', oauth_token: 'user token', oauth_version: '1.0' });
      expect(fields['oauth_signature']).toBe(serverSignature(request));
      expect(Math.abs(Number(fields['oauth_timestamp']) - Date.now() / 1000)).toBeLessThan(60);
    },
  );
});
