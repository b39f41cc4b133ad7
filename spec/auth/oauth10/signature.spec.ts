import { createHmac } from 'node:crypto';
import { signOauth10 } from '../../../src/auth/oauth10';
import type { Request } from '../../../src/core/model';
import { aRequest } from '../../support/requests';

const CREDENTIALS = {
  consumerKey: '9djdj82h48djs9d2',
  consumerSecret: 'j49sk3j29djd',
  token: 'kkk9d7dh3k39sjv7',
  tokenSecret: 'dh893hdasih9',
};
const ATTEMPT = { nonce: '7d8f3e4a', timestamp: 137131201 };
const FORM = { 'content-type': 'application/x-www-form-urlencoded' };

const hmac = (base: string, key: string): string => createHmac('sha1', key).update(base).digest('base64');
const signatureOf = (changes: Partial<Request>): string =>
  signOauth10(aRequest(changes), CREDENTIALS, ATTEMPT).signature;
/** The signature over these parameters, encoded and sorted by hand. */
const expected = (method: string, encodedUri: string, parameters: readonly string[]): string =>
  hmac([method, encodedUri, encodeURIComponent(parameters.join('&'))].join('&'), 'j49sk3j29djd&dh893hdasih9');
const PROTOCOL = [
  'oauth_consumer_key=9djdj82h48djs9d2',
  'oauth_nonce=7d8f3e4a',
  'oauth_signature_method=HMAC-SHA1',
  'oauth_timestamp=137131201',
  'oauth_token=kkk9d7dh3k39sjv7',
  'oauth_version=1.0',
];

describe('language 4.6: the OAuth 1.0 signature, against published examples', () => {
  it('OAuth Core 1.0, appendix A.5', () => {
    const { signature } = signOauth10(
      aRequest({ url: 'http://photos.example.net/photos?file=vacation.jpg&size=original' }),
      {
        consumerKey: 'dpf43f3p2l4k3l03',
        consumerSecret: 'kd94hf93k423kf44',
        token: 'nnch734d00sl2jdk',
        tokenSecret: 'pfkkdhi9sl3r4s00',
      },
      { nonce: 'kllo9940pd9333jh', timestamp: 1191242096 },
    );
    expect(signature).toBe('tR3+Ty81lMeYAr/Fid0kMTYa/WM=');
  });

  it('a form with a query, from the guide of a large API', () => {
    const { signature } = signOauth10(
      aRequest({
        method: 'POST',
        url: 'https://api.twitter.com/1.1/statuses/update.json?include_entities=true',
        headers: FORM,
        body: 'status=Hello%20Ladies%20%2B%20Gentlemen%2C%20a%20signed%20OAuth%20request%21',
      }),
      {
        consumerKey: 'xvz1evFS4wEEPTGEFPHBog',
        consumerSecret: 'kAcSOqF21Fu85e7zjz7ZN2U4ZRhfV3WpwPAoE3Z7kBw',
        token: '370773112-GmHxMAgYyLbNEtIKZeRNFsMKPR9EyMZeS9weJAEb',
        tokenSecret: 'LswwdoUaIvS8ltyTt5jkRh4J50vUPVVHtR2YPi5kE',
      },
      { nonce: 'kYjzVBB8Y0ZFabxSWbWovY3uYSQ2pTgmZeNu2VS4cg', timestamp: 1318622958 },
    );
    expect(signature).toBe('hCtSmYh+iHYCEqBWrE7C7hYmtUk=');
  });

  it('RFC 5849 3.4.1.1: query, form and repeated names; the version is added to its base string', () => {
    const base =
      'POST&http%3A%2F%2Fexample.com%2Frequest&a2%3Dr%2520b%26a3%3D2%2520q%26a3%3Da%26b5%3D%253D%25253D%26c%2540%3D' +
      '%26c2%3D%26oauth_consumer_key%3D9djdj82h48djs9d2%26oauth_nonce%3D7d8f3e4a%26oauth_signature_method%3DHMAC-SHA1' +
      '%26oauth_timestamp%3D137131201%26oauth_token%3Dkkk9d7dh3k39sjv7%26oauth_version%3D1.0';
    const url = 'http://EXAMPLE.com:80/request?b5=%3D%253D&a3=a&c%40=&a2=r%20b';
    expect(signatureOf({ method: 'POST', url, headers: FORM, body: 'c2&a3=2+q' })).toBe(
      hmac(base, 'j49sk3j29djd&dh893hdasih9'),
    );
  });

  it('a recorded exchange, header and all', () => {
    const { authorization, signature } = signOauth10(
      aRequest({ url: 'http://mock-server:80/102-oauth1/users' }),
      { consumerKey: '1234', consumerSecret: 'TopSecret', token: 'userToken', tokenSecret: 'tokenSecret' },
      { nonce: '72469d96572dabb4d0ea02b057ea4f246d722b72', timestamp: 1492904452 },
    );
    expect(signature).toBe('zl0y5CyySCPj8IqODV3Egjqgg6Q=');
    expect(authorization).toBe(
      'OAuth oauth_consumer_key="1234", oauth_nonce="72469d96572dabb4d0ea02b057ea4f246d722b72", ' +
        'oauth_signature="zl0y5CyySCPj8IqODV3Egjqgg6Q%3D", oauth_signature_method="HMAC-SHA1", ' +
        'oauth_timestamp="1492904452", oauth_token="userToken", oauth_version="1.0"',
    );
  });
});

describe('language 4.6: what the signature covers', () => {
  const HOME_URI = 'https%3A%2F%2Fapi.example%2Fitems';

  it('values with `=` and `&` in them are covered whole', () => {
    expect(signatureOf({ url: 'https://api.example/items?filter=a=b%26c' })).toBe(
      expected('GET', HOME_URI, ['filter=a%3Db%26c', ...PROTOCOL]),
    );
  });

  it('the port is, where it is not implied; a user name in the URL is not', () => {
    expect(signatureOf({ url: 'https://me:pw@api.example:8443/items' })).toBe(
      expected('GET', 'https%3A%2F%2Fapi.example%3A8443%2Fitems', PROTOCOL),
    );
  });

  it('a JSON body is not', () => {
    const json = { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{"a":1}' } as const;
    expect(signatureOf(json)).toBe(expected('POST', HOME_URI, PROTOCOL));
  });

  it('characters that percent-encoding treats in special ways are encoded by RFC 3986', () => {
    expect(signatureOf({ url: "https://api.example/items?z=!'()*~-._" })).toBe(
      expected('GET', HOME_URI, [...PROTOCOL, 'z=%21%27%28%29%2A~-._']),
    );
  });

  it('a parameter that looks like a field of the protocol does not get into the header', () => {
    const { authorization } = signOauth10(
      aRequest({ url: 'https://api.example/items?oauth_callback=oob' }),
      CREDENTIALS,
      ATTEMPT,
    );
    expect(authorization).not.toContain('oauth_callback');
  });
});
