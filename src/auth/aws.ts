import { sign } from 'aws4';
import type { AwsSignature } from '../language/configuration/configuration';
import type { Request } from '../core/model';
import type { Secrets } from '../core/secrets/secrets';
import { encodePairs, parseQuery } from '../core/url/query';

/**
 * Signs requests with AWS Signature Version 4 in headers (docs/language/configuration.md#aws-signatures). The signature
 * covers method, path, query, body, and the headers that AWS demands: `host`, `content-type` and `x-amz-*`; other
 * headers may be changed on the way. A signature is valid for one host only.
 *
 * @returns a function to call for each attempt, because the signature contains the time
 * @example awsSigner(plan.http.aws, secrets)(request).headers['x-amz-date'] // '20150830T123600Z'
 */
export function awsSigner(credentials: AwsSignature, secrets: Secrets): (request: Request) => Request {
  const { accessKeyId, secretKey: secretAccessKey, serviceName: service, regionName: region } = credentials;
  return (request) => {
    const { method, body } = request;
    const signable = { service, region, method, path: pathOf(request.url), headers: signedHeaders(request) };
    const whole = { ...signable, ...(body === undefined ? {} : { body }), extraHeadersToIgnore: ADDED };
    const { headers = {} } = sign(whole, { accessKeyId, secretAccessKey });
    const authorization = String(headers['Authorization']);
    secrets.learn(authorization.slice(authorization.lastIndexOf('=') + 1));
    const hash = headers['X-Amz-Content-Sha256'];
    return {
      ...request,
      headers: {
        ...request.headers,
        'x-amz-date': String(headers['x-amz-date']),
        ...(hash === undefined ? {} : { 'x-amz-content-sha256': String(hash) }),
        authorization,
      },
    };
  };
}

/** Headers that are not signed: the transport counts the bytes itself. */
const ADDED = { 'content-length': true };

/** Returns the path with a strictly encoded query, so that there is only one way to read it. */
function pathOf(url: string): string {
  const { pathname, search } = new URL(url);
  const pairs = parseQuery(search.slice(1)).map(({ name, value = '' }) => ({ name, value }));
  return pairs.length === 0 ? pathname : `${pathname}?${encodePairs(pairs)}`;
}

function signedHeaders({ url, headers }: Request): Record<string, string> {
  const demanded = Object.entries(headers).filter(([name]) => /^(host|content-type|x-amz-.*)$/.test(name));
  return {
    host: new URL(url).host,
    ...Object.fromEntries(demanded.map(([name, value]) => [name, String(value)])),
    'x-amz-date': new Date(Date.now()).toISOString().replace(/[:-]|\.\d{3}/g, ''),
  };
}
