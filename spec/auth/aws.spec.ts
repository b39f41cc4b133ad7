import { createHash, createHmac } from 'node:crypto';
import { awsSigner } from '../../src/auth/aws';
import type { Request } from '../../src/core/model';
import { Secrets } from '../../src/core/secrets/secrets';
import { aRequest } from '../support/requests';
import { useClock } from '../end-to-end/specification/support';

useClock('2015-08-30T12:36:00Z');

const KEY = { accessKeyId: 'AKIDEXAMPLE', secretKey: 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY' };
const SUITE = { ...KEY, serviceName: 'service', regionName: 'us-east-1' };
const HOST = 'https://example.amazonaws.com';
const FORM = 'application/x-www-form-urlencoded';

const signed = (changes: Partial<Request>, credentials = SUITE): Request =>
  awsSigner(credentials, new Secrets())(aRequest(changes));
const headerOf = (changes: Partial<Request>, credentials = SUITE): string =>
  String(signed(changes, credentials).headers['authorization']);
const signatureOf = (changes: Partial<Request>, credentials = SUITE): string =>
  headerOf(changes, credentials).split('Signature=')[1] ?? '';

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');
const hmac = (key: string | Buffer, text: string): Buffer => createHmac('sha256', key).update(text).digest();
/** The algorithm as AWS describes it, over a canonical request written by hand. */
function expected(canonicalRequest: readonly string[], service = 'service'): string {
  const scope = `20150830/us-east-1/${service}/aws4_request`;
  const text = ['AWS4-HMAC-SHA256', '20150830T123600Z', scope, sha256(canonicalRequest.join('\n'))].join('\n');
  const key = ['20150830', 'us-east-1', service, 'aws4_request'].reduce<string | Buffer>(hmac, `AWS4${KEY.secretKey}`);
  return hmac(key, text).toString('hex');
}

describe('language 4.9: AWS Signature Version 4, against the published test suite', () => {
  it('get-vanilla, the header as a whole', () => {
    expect(headerOf({ url: `${HOST}/` })).toBe(
      'AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20150830/us-east-1/service/aws4_request, ' +
        'SignedHeaders=host;x-amz-date, Signature=5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31',
    );
  });

  it.each<[string, Partial<Request>, string]>([
    [
      'get-vanilla-query-order-key-case',
      { url: `${HOST}/?Param2=value2&Param1=value1` },
      'b97d918cfa904a5beff61c982a1b6f458b799221646efd99d3219ec94cdf2500',
    ],
    [
      'post-vanilla',
      { method: 'POST', url: `${HOST}/` },
      '5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b',
    ],
    [
      'post-x-www-form-urlencoded',
      { method: 'POST', url: `${HOST}/`, headers: { 'content-type': FORM }, body: 'Param1=value1' },
      'ff11897932ad3f4e8b18135d722051e5ac45fc38421b1da7b9d196a0fe09473a',
    ],
  ])('%s', (_, changes, signature) => {
    expect(signatureOf(changes)).toBe(signature);
  });

  it('ListUsers of IAM, from the reference guide', () => {
    const changes = {
      url: 'https://iam.amazonaws.com/?Action=ListUsers&Version=2010-05-08',
      headers: { 'content-type': `${FORM}; charset=utf-8` },
    };
    expect(signatureOf(changes, { ...SUITE, serviceName: 'iam' })).toBe(
      '5d672d79c15b13162d9279b0855cfba6789a8edb4c82c400e06b5924a6f2b5d7',
    );
  });
});

describe('language 4.9: AWS Signature Version 4, computed again', () => {
  it('a query with brackets, a plus, a name without value and a repeated name; a JSON body', () => {
    const body = '{"a":"é"}';
    const changes = {
      method: 'POST',
      url: 'http://localhost:8080/v1/a%20b?f%5Bx%5D=1+2&flag&r=2&r=1&u=%C3%A9!',
      headers: { 'content-type': 'application/json', accept: 'text/plain' },
      body,
    } as const;
    const canonical = [
      'POST',
      '/v1/a%2520b',
      'f%5Bx%5D=1%202&flag=&r=1&r=2&u=%C3%A9%21',
      'content-type:application/json',
      'host:localhost:8080',
      'x-amz-date:20150830T123600Z',
      '',
      'content-type;host;x-amz-date',
      sha256(body),
    ];
    expect(signatureOf(changes)).toBe(expected(canonical));
    expect(headerOf(changes)).toContain('SignedHeaders=content-type;host;x-amz-date,');
  });

  it('S3 gets a header with the hash of the body, which is signed as well', () => {
    const s3 = { ...SUITE, serviceName: 's3' };
    const { headers } = signed({ url: 'https://bucket.s3.amazonaws.com/a%20b' }, s3);
    expect(headers['x-amz-content-sha256']).toBe(sha256(''));
    const canonical = [
      'GET',
      '/a%20b',
      '',
      'host:bucket.s3.amazonaws.com',
      `x-amz-content-sha256:${sha256('')}`,
      'x-amz-date:20150830T123600Z',
      '',
      'host;x-amz-content-sha256;x-amz-date',
      sha256(''),
    ];
    expect(headers['authorization']).toContain(`Signature=${expected(canonical, 's3')}`);
  });
});

describe('language 4.9: the signed request', () => {
  it('is the same but for its headers; Authorization of another authentication gives way', () => {
    const request = aRequest({
      method: 'POST',
      headers: { 'content-type': FORM, authorization: 'Basic eDp5', 'x-amz-date': '20010101T000000Z', 'x-other': '1' },
      body: 'a=1',
    });
    const { headers, ...rest } = awsSigner(SUITE, new Secrets())(request);
    const { headers: before, ...unsigned } = request;
    expect(rest).toEqual(unsigned);
    expect(headers).toEqual({
      ...before,
      'x-amz-date': '20150830T123600Z',
      authorization: expect.stringMatching(/^AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE\/20150830\//) as string,
    });
  });

  it('a header that names the host is what is signed', () => {
    const changes = { url: 'https://127.0.0.1/', headers: { host: 'example.amazonaws.com' } };
    expect(signatureOf(changes)).toBe('5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31');
  });

  it('the signature is a secret', () => {
    const secrets = new Secrets();
    const signature = String(awsSigner(SUITE, secrets)(aRequest()).headers['authorization']).split('Signature=')[1];
    expect(secrets.mask(`signature ${signature}`)).toBe('signature ***');
  });
});
