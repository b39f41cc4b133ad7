import { mayReceiveCredentials, sameOriginOrUpgrade } from '../../../src/core/url/origin';

const BASE = 'https://api.example.com/v1/';

describe('sameOriginOrUpgrade', () => {
  it.each([
    ['another path', 'https://a.example/x?y', 'https://a.example/'],
    ['a default port that is written', 'https://a.example:443/', 'https://a.example/'],
    ['upper case', 'HTTPS://A.Example/', 'https://a.example/'],
    ['another spelling of a name', 'https://xn--bcher-kva.example/', 'https://bücher.example/'],
    ['userinfo', 'https://u:p@a.example/', 'https://a.example/'],
    ['an upgrade', 'https://a.example/', 'http://a.example/'],
    ['an upgrade between default ports', 'https://a.example:443/', 'http://a.example:80/'],
    ['an upgrade to another port', 'https://a.example:8443/', 'http://a.example/'],
    ['an upgrade from another port', 'https://a.example/', 'http://a.example:3000/'],
    ['an upgrade at the same port', 'https://a.example:8443/', 'http://a.example:8443/'],
  ])('%s is the same origin', (_, url, home) => {
    expect(sameOriginOrUpgrade(url, home)).toBe(true);
  });

  it.each([
    ['another host', 'https://b.example/', 'https://a.example/'],
    ['a subdomain', 'https://x.a.example/', 'https://a.example/'],
    ['another port', 'https://a.example:8443/', 'https://a.example/'],
    ['a downgrade', 'http://a.example/', 'https://a.example/'],
    ['a downgrade at the same port', 'http://a.example:8443/', 'https://a.example:8443/'],
    ['an upgrade of another host', 'https://b.example/', 'http://a.example/'],
    ['a trailing dot', 'https://a.example./', 'https://a.example/'],
    ['another scheme', 'ftp://a.example/', 'https://a.example/'],
  ])('%s is another origin', (_, url, home) => {
    expect(sameOriginOrUpgrade(url, home)).toBe(false);
  });
});

describe('language 2.6: hosts that credentials may go to', () => {
  it.each([
    ['the base URL', BASE],
    ['its origin', 'https://api.example.com/other?a=1#b'],
    ['its default port', 'https://api.example.com:443/'],
    ['upper case', 'https://API.EXAMPLE.COM/'],
    ['userinfo before the host', 'https://user:pass@api.example.com/'],
  ])('%s', (_, url) => {
    expect(mayReceiveCredentials(url, BASE, [])).toBe(true);
  });

  it.each([
    ['a longer name', 'https://api.example.com.evil.test/'],
    ['a name that ends alike', 'https://evilapi.example.com/'],
    ['a subdomain', 'https://x.api.example.com/'],
    ['the parent domain', 'https://example.com/'],
    ['the host as a user', 'https://api.example.com@evil.test/'],
    ['the host as user and password', 'https://api.example.com:443@evil.test/'],
    ['the host after a backslash', 'https://evil.test\\@api.example.com/'],
    ['the host in the path', 'https://evil.test/api.example.com'],
    ['the host in the query', 'https://evil.test?api.example.com/'],
    ['the host in the fragment', 'https://evil.test#@api.example.com/'],
    ['a trailing dot', 'https://api.example.com./'],
    ['a downgrade', 'http://api.example.com/'],
    ['a downgrade at the port of https', 'http://api.example.com:443/'],
    ['another port', 'https://api.example.com:8443/'],
    ['a letter of another alphabet', 'https://\u0430pi.example.com/'],
    ['another scheme', 'ftp://api.example.com/'],
    ['no host', 'data:,x'],
  ])('not %s, whether the host is named or not', (what, url) => {
    expect(mayReceiveCredentials(url, BASE, [])).toBe(false);
    const anyPort = what === 'another port';
    expect(mayReceiveCredentials(url, BASE, ['api.example.com'])).toBe(anyPort);
    expect(mayReceiveCredentials(url, BASE, ['https://api.example.com'])).toBe(false);
    expect(mayReceiveCredentials(url, BASE, ['api.example.com:443'])).toBe(false);
  });

  it.each<[string, string, boolean]>([
    ['files.example', 'https://files.example/x', true],
    ['files.example', 'https://files.example:8443/x', true],
    ['files.example', 'http://files.example/x', false],
    ['files.example', 'https://x.files.example/', false],
    ['files.example', 'https://files.example.evil.test/', false],
    ['files.example', 'https://files.example@evil.test/', false],
    ['Files.EXAMPLE', 'https://files.example/x', true],
    ['bücher.example', 'https://xn--bcher-kva.example/', true],
    ['files.example:8443', 'https://files.example:8443/', true],
    ['files.example:8443', 'https://files.example/', false],
    ['files.example:8443', 'https://files.example:844/', false],
    ['files.example:443', 'https://files.example/', true],
    ['files.example:443', 'https://files.example:443/', true],
    ['files.example:80', 'https://files.example/', false],
    ['https://files.example', 'https://files.example/x', true],
    ['https://files.example', 'https://files.example:8443/x', false],
    ['https://files.example', 'http://files.example/x', false],
    ['https://files.example:8443', 'https://files.example:8443/x', true],
    ['HTTPS://files.example', 'https://files.example/x', true],
    ['http://files.example', 'http://files.example/x', true],
    ['http://files.example', 'https://files.example/x', false],
    ['http://files.example:80', 'http://files.example/x', true],
    ['http://api.example.com', 'http://api.example.com/x', true],
    ['127.0.0.1:8080', 'https://127.0.0.1:8080/', true],
    ['127.0.0.1', 'https://127.1/', true],
    ['[::1]', 'https://[::1]:8080/', true],
    ['[::1]:8080', 'https://[0:0::1]:8080/', true],
    ['[::1]:8080', 'https://[::1]/', false],
    ['my_files.example', 'https://my_files.example/', true],
  ])('allowedHosts %s and %s: %p', (entry, url, receives) => {
    expect(mayReceiveCredentials(url, BASE, [entry])).toBe(receives);
    expect(mayReceiveCredentials(url, BASE, ['unused.example', entry])).toBe(receives);
  });

  it('a base URL of http may use named hosts by http and https, and by nothing else', () => {
    const receives = (url: string): boolean => mayReceiveCredentials(url, 'http://api.example.com/', ['files.example']);
    expect(receives('http://files.example/')).toBe(true);
    expect(receives('https://files.example/')).toBe(true);
    expect(receives('ftp://files.example/')).toBe(false);
    expect(receives('https://api.example.com/')).toBe(true);
  });

  it('what is no URL is an error', () => {
    expect(() => mayReceiveCredentials('/x', BASE, [])).toThrow('Invalid URL');
  });
});
