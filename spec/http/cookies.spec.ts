import { cookies } from '../../src/http/cookies';
import type { Request } from '../../src/core/model';
import { Secrets } from '../../src/core/secrets/secrets';
import { aRequest, aResponse } from '../support/requests';

const TRUSTED = ['https://api.example', 'https://files.api.example'];

/** Answers each request with the cookies of its URL; gives what `cookie` header each request had. */
function api(set: Readonly<Record<string, readonly string[]>>) {
  const secrets = new Secrets();
  const jars = cookies({ getsCredentials: (url) => TRUSTED.includes(new URL(url).origin), secrets });
  const cookieOf = async (url: string, headers: Request['headers'] = {}): Promise<unknown> => {
    const { request, kept } = await jars.added(aRequest({ url, headers }));
    kept(aResponse({ request, headers: { 'set-cookie': set[url] ?? [] } }));
    return request.headers['cookie'];
  };
  return { cookieOf, secrets };
}

describe('cookies', () => {
  it('are sent where the jar says so: by path, by host, by scheme', async () => {
    const { cookieOf } = api({
      'https://api.example/login': ['sid=a1b2c3; Path=/v2; HttpOnly', 'all=every; Path=/', 'safe=yes1; Secure; Path=/'],
    });
    expect(await cookieOf('https://api.example/login')).toBeUndefined();
    expect(await cookieOf('https://api.example/v2/items')).toBe('sid=a1b2c3; all=every; safe=yes1');
    expect(await cookieOf('https://api.example/other')).toBe('all=every; safe=yes1');
    expect(await cookieOf('https://files.api.example/1')).toBeUndefined();
  });

  it('of a whole domain go to trusted hosts only', async () => {
    const { cookieOf } = api({ 'https://api.example/login': ['sid=a1b2c3; Domain=api.example; Path=/'] });
    await cookieOf('https://api.example/login');
    expect(await cookieOf('https://files.api.example/1')).toBe('sid=a1b2c3');
    expect(await cookieOf('https://foreign.api.example/1')).toBeUndefined();
    expect(await cookieOf('https://api.example:8443/1')).toBeUndefined();
  });

  it('of a host that is not trusted stay with its origin', async () => {
    const { cookieOf } = api({ 'https://id.api.example/login': ['id=d4e5f6; Domain=api.example; Path=/'] });
    await cookieOf('https://id.api.example/login');
    expect(await cookieOf('https://id.api.example/again')).toBe('id=d4e5f6');
    expect(await cookieOf('https://api.example/items')).toBeUndefined();
  });

  it('replace one that the configuration writes, beside the others', async () => {
    const { cookieOf } = api({ 'https://api.example/login': ['sid=new1; Path=/'] });
    const cookie = 'lang=en; sid=old1';
    expect(await cookieOf('https://api.example/login', { cookie })).toBe(cookie);
    expect(await cookieOf('https://api.example/items', { cookie })).toBe('lang=en; sid=new1');
  });

  it('are deleted and replaced as the API says; what is no cookie for this host is ignored', async () => {
    const { cookieOf } = api({
      'https://api.example/1': ['sid=one1; Path=/', 'tld=bad1; Domain=example', 'far=bad2; Domain=other.example'],
      'https://api.example/2': ['sid=two2; Path=/'],
      'https://api.example/3': ['sid=; Path=/; Max-Age=0'],
    });
    await cookieOf('https://api.example/1');
    expect(await cookieOf('https://api.example/2')).toBe('sid=one1');
    expect(await cookieOf('https://api.example/3')).toBe('sid=two2');
    expect(await cookieOf('https://api.example/4')).toBeUndefined();
  });

  it('are secrets', async () => {
    const { cookieOf, secrets } = api({ 'https://api.example/': ['plain=river7; Path=/', 'lang=en; Path=/'] });
    await cookieOf('https://api.example/');
    expect(secrets.mask('river7 en')).toBe('*** en');
  });
});
