import { outgoing } from '../../../src/http/transport/round-trip';
import { Secrets } from '../../../src/core/secrets/secrets';
import { aRequest } from '../../support/requests';

describe('language 1.4: the userinfo of a URL is not printed once a request has used it', () => {
  const pair = Buffer.from('bob:p@ss word').toString('base64');

  it('becomes basic credentials, and a secret in each of its forms', () => {
    const secrets = new Secrets();
    const { url, headers } = outgoing(aRequest({ url: 'https://bob:p%40ss%20word@api.example/x' }), {}, secrets);
    expect({ url, headers }).toEqual({ url: 'https://api.example/x', headers: { authorization: `Basic ${pair}` } });
    expect(secrets.mask(`bob, p@ss word, p%40ss%20word, bob:p@ss word, ${pair}`)).toBe('bob, ***, ***, ***, ***');
  });

  it('also when another header takes its place', () => {
    const secrets = new Secrets();
    const request = aRequest({ url: 'https://bob:hunter2@api.example/x', headers: { authorization: 'Bearer x' } });
    expect(outgoing(request, {}, secrets).headers).toEqual({ authorization: 'Bearer x' });
    expect(secrets.mask('hunter2')).toBe('***');
  });

  it('a user name without a password is a key', () => {
    const secrets = new Secrets();
    outgoing(aRequest({ url: 'https://sk_live_1@api.example/x' }), {}, secrets);
    expect(secrets.mask('key sk_live_1 was refused')).toBe('key *** was refused');
  });
});
