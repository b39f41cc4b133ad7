/** AWS signatures over whole runs; aws.spec.ts shows the algorithm itself. */
import { createHash, createHmac } from 'node:crypto';
import { json, redirectTo } from '../../support/answers';
import type { ReceivedRequest } from '../../support/api-server';
import { header, onceUnavailable, urls, useRunner } from '../support';

const { run, failure, server } = useRunner();

describe('language 4.9: AWS signature', () => {
  const aws = {
    signature: {
      credentials: { accessKeyId: 'key-id', '#secretKey': 'aws-secret', serviceName: 'svc', regionName: 'eu-1' },
    },
  };
  const AWS =
    /^AWS4-HMAC-SHA256 Credential=key-id\/\d{8}\/eu-1\/svc\/aws4_request, SignedHeaders=.*host;x-amz-date, Signature=[0-9a-f]{64}$/;

  it('signs login and requests, each attempt and each redirect again, over the values of the login', async () => {
    const authentication = {
      type: 'login',
      loginRequest: { endpoint: 'login' },
      apiRequest: { query: { t: 'token' } },
    };
    const unavailableThenMoved = onceUnavailable(redirectTo('/moved'));
    const { requests } = await run({ authentication, root: { aws } }, ({ url }) =>
      url === '/login' ? json({ token: 'T' }) : url.startsWith('/items') ? unavailableThenMoved() : json([1]),
    );
    expect(urls(requests)).toEqual(['/login', '/items?t=T', '/items?t=T', '/moved?t=T']);
    expect(header(requests)).toEqual(requests.map((): unknown => expect.stringMatching(AWS)));
    for (const request of requests) expect(header([request])).toEqual([serverHeader(request)]);
  });

  it('after any other authentication: the header of basic gives way', async () => {
    const config = { username: 'u', password: 'p' };
    const { requests } = await run({ authentication: { type: 'basic' }, config, root: { aws } });
    expect(header(requests)).toEqual([expect.stringMatching(AWS)]);
  });

  it('the signature is never printed', async () => {
    const message = await failure({ root: { aws } }, ({ headers }) => json({ seen: headers.authorization }, 400));
    expect(message).toContain('SignedHeaders=host;x-amz-date, Signature=***"');
  });

  /** The header as AWS computes it: from what it received. */
  function serverHeader({ method, url, headers }: ReceivedRequest): string {
    const date = String(headers['x-amz-date']);
    const sha = (key: string | Buffer, text: string): Buffer => createHmac('sha256', key).update(text).digest();
    const { pathname, search } = new URL(url, server().origin);
    const empty = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855';
    const canonical = [
      method,
      pathname,
      search.slice(1),
      `host:${headers.host}`,
      `x-amz-date:${date}`,
      '',
      'host;x-amz-date',
      empty,
    ].join('\n');
    const scope = [date.slice(0, 8), 'eu-1', 'svc', 'aws4_request'];
    const key = scope.reduce<string | Buffer>(sha, 'AWS4aws-secret');
    const digest = createHash('sha256').update(canonical).digest('hex');
    const signature = sha(key, ['AWS4-HMAC-SHA256', date, scope.join('/'), digest].join('\n')).toString('hex');
    return `AWS4-HMAC-SHA256 Credential=key-id/${scope.join('/')}, SignedHeaders=host;x-amz-date, Signature=${signature}`;
  }
});
