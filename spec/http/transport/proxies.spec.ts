import { FatalError } from '../../../src/core/errors/errors';
import { proxiesOf } from '../../../src/http/transport/proxies';
import type { ProxyVariables } from '../../../src/http/transport/proxies';

describe('proxiesOf', () => {
  const PROXY = 'http://proxy.example:3128';
  const originOf = (variables: ProxyVariables, origin = 'https://api.example'): string | undefined =>
    proxiesOf(variables)?.of(origin)?.origin;

  it('knows none where no variable names one', () => {
    expect([proxiesOf({}), proxiesOf({ NO_PROXY: '*', HTTPS_PROXY: ' ' })]).toEqual([undefined, undefined]);
  });

  it.each<[ProxyVariables, string | undefined, string | undefined]>([
    [{ HTTP_PROXY: PROXY }, PROXY, undefined],
    [{ https_proxy: PROXY }, undefined, PROXY],
    [{ ALL_PROXY: 'proxy.example:3128' }, PROXY, PROXY],
    [{ HTTPS_PROXY: 'http://other:1', https_proxy: PROXY, all_proxy: 'http://all:1' }, 'http://all:1', PROXY],
    [{ HTTPS_PROXY: 'https://user:pass@proxy.example' }, undefined, 'https://proxy.example'],
  ])('takes the proxies for http and https from %j', (variables, http, https) => {
    expect([originOf(variables, 'http://api.example'), originOf(variables)]).toEqual([http, https]);
  });

  it.each<[string, string, boolean]>([
    ['*', 'https://api.example', true],
    ['api.example', 'https://api.example', true],
    ['example', 'https://api.example', true],
    ['.example,other', 'https://api.example', true],
    ['*.example', 'https://api.example', true],
    ['xample', 'https://api.example', false],
    ['API.Example.', 'https://api.example:8443', true],
    ['other api.example:443', 'https://api.example', true],
    ['api.example:80', 'https://api.example', false],
    ['api.example:80', 'http://api.example', true],
    ['', 'https://127.0.0.1', true],
    ['', 'http://127.8.8.8:9000', true],
    ['', 'http://localhost:3000', true],
    ['', 'http://api.localhost', true],
    ['', 'http://localhost.example', false],
    ['192.0.2.1', 'https://192.0.2.1:9000', true],
    ['10.0.0.0/8', 'https://10.20.30.40', true],
    ['10.0.0.0/8,10.0.0.0/99', 'https://11.0.0.1', false],
    ['10.0.0.0/8', 'https://api.example', false],
    ['', 'https://[::1]:8443', true],
    ['fd00::1', 'https://[fd00::1]:8443', true],
    ['[fd00::1]:443', 'https://[fd00::1]', true],
    ['fd00::/8', 'https://[fd12::1]', true],
    ['0.2.1', 'https://192.0.2.1', false],
  ])('NO_PROXY "%s" lets %s be reached directly: %s', (list, origin, isDirect) => {
    const variables = { ALL_PROXY: PROXY, NO_PROXY: list };
    expect(originOf(variables, origin) === undefined).toBe(isDirect);
  });

  it('has credentials of the address in a header, and among what is never printed', () => {
    const proxies = proxiesOf({ HTTPS_PROXY: 'http://me:p%40ss%zz@proxy.example:3128' });
    expect(proxies?.of('https://api.example')).toEqual({
      origin: PROXY,
      variable: 'HTTPS_PROXY',
      authorization: `Basic ${Buffer.from('me:p%40ss%zz').toString('base64')}`,
    });
    expect(proxies?.secrets).toContain('p%40ss%zz');
    const { secrets = [] } = proxiesOf({ HTTPS_PROXY: 'http://me:p%40ss@proxy.example' }) ?? {};
    expect(secrets).toEqual(['p%40ss', 'p@ss', Buffer.from('me:p@ss').toString('base64')]);
  });

  it.each([
    ['socks5://me:s3cret@proxy.example:1080', 'a proxy of "socks5:"'],
    ['http://me:s3cret@:80', 'no address'],
  ])('refuses %s, without its credentials, when a host is to be reached by it', (address, what) => {
    const proxies = proxiesOf({ ALL_PROXY: address, NO_PROXY: 'direct.example' });
    expect(proxies?.of('https://direct.example')).toBeUndefined();
    const message = `ALL_PROXY names ${what}, and requests go through proxies of http: and https: alone. Correct it, or name the host in NO_PROXY.`;
    expect(() => proxies?.of('https://api.example')).toThrow(new FatalError('PROXY', message));
  });
});
