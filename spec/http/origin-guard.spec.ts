import { originRefusal } from '../../src/http/origin-guard';
import type { RequestableHost } from '../../src/language/configuration/configuration';
import type { OriginRules } from '../../src/http/origin-guard';
import { FatalError } from '../../src/core/errors/errors';
import type { Request } from '../../src/core/model';
import { aRequest, HOME, secretsOf } from '../support/requests';

/** The URL that may be sent, or the error that refuses it. */
function outcome(request: Partial<Request>, rules: Partial<OriginRules> = {}): unknown {
  const all = { baseUrl: `${HOME}/v1/`, credentialHosts: [], requestableHosts: [], secrets: secretsOf('s3cret-key') };
  try {
    const asked = aRequest(request);
    return originRefusal(asked, { ...all, ...rules }) ?? asked.url;
  } catch (error) {
    return error;
  }
}
const received = (url: string, home = HOME): Partial<Request> => ({ url, home, provenance: 'received' });

describe('language 2.6: addresses that a response gave', () => {
  it.each([
    ['the origin of the base URL', received(`${HOME}/v2/next`), {}],
    [
      'the same host, upgraded to https',
      received('https://a.example/', 'http://a.example'),
      { baseUrl: 'http://a.example' },
    ],
    ['a host of api.http.allowedHosts', received('https://files.example/'), { credentialHosts: ['files.example'] }],
    ['the home of the request', received('https://other.example/next', 'https://other.example/x'), {}],
  ])('may be at %s', (_, request, rules) => {
    expect(outcome(request, rules)).toBe(request.url);
  });

  it.each([
    ['another host', received('https://evil.example/')],
    ['another port', received('https://api.example:8443/')],
    ['http after https', received('http://api.example/')],
    ['a host that only looks like the base', received('https://api.example.evil.example/')],
    ['another scheme', received('ftp://api.example/')],
  ])('may not be at %s', (_, request) => {
    expect(outcome(request)).toMatchObject({ code: 'ORIGIN_REFUSED', recovery: 'fatal' });
  });

  it('the error names the address, where the request has to stay, and the remedy', () => {
    const error = outcome(received('https://evil.example/x?key=s3cret-key'));
    expect(error).toBeInstanceOf(FatalError);
    expect(String(error)).toContain('GET https://evil.example/x?key=*** was not sent');
    expect(String(error)).toContain(`has to stay at ${HOME}.`);
    expect(String(error)).toContain('If "evil.example" belongs to the API, name it in api.http.allowedHosts.');
  });

  it('the error shows the names of parameters, and none of their values', () => {
    const error = outcome(received('https://evil.example/x=1?key=abc&other=d&none=#at=e'));
    expect(String(error)).toContain('GET https://evil.example/x=1?key=***&other=***&none=');
    expect(JSON.stringify(error) + String(error)).not.toMatch(/abc|=d|=e/);
  });

  it('a host for downloads may get an address, and nothing else', () => {
    const download = { ...received('https://files.example/1'), downloadHosts: ['files.example'] };
    expect(outcome(download)).toBe('https://files.example/1');
    const refused = { code: 'ORIGIN_REFUSED' };
    expect(outcome({ ...download, method: 'POST' })).toMatchObject(refused);
    expect(outcome({ ...download, body: '{}' })).toMatchObject(refused);
    expect(outcome({ ...download, url: 'https://other.example/1' })).toMatchObject(refused);
    expect(outcome(received('https://files.example/1'))).toMatchObject(refused);
  });

  it('what is no URL is an error', () => {
    for (const rules of [{}, { requestableHosts: [{ host: 'api.example' }] }])
      expect(outcome(received('https://['), rules)).toMatchObject({ code: 'ERR_INVALID_URL' });
  });

  it('an address that a person wrote may be anywhere', () => {
    expect(outcome({ url: 'https://other.example/' })).toBe('https://other.example/');
  });
});

describe('language 1.6: the requestableHosts of hosts', () => {
  it.each<[string, RequestableHost, string, boolean]>([
    ['host', { host: 'api.example' }, 'https://api.example/x', true],
    ['host', { host: 'api.example' }, 'https://sub.api.example/x', false],
    ['scheme', { host: 'api.example', scheme: 'https' }, 'https://api.example/x', true],
    ['scheme', { host: 'api.example', scheme: 'https' }, 'http://api.example/x', false],
    ['port', { host: 'api.example', port: 8080 }, 'https://api.example:8080/x', true],
    ['port', { host: 'api.example', port: 8080 }, 'https://api.example:8081/x', false],
    ['port', { host: 'api.example', port: 443 }, 'https://api.example/x', false],
    ['endpoint', { host: 'api.example', endpoint: 'api' }, 'https://api.example/api/x', true],
    ['endpoint', { host: 'api.example', endpoint: 'api' }, 'https://api.example/api?a=b', true],
    ['endpoint', { host: 'api.example', endpoint: 'api' }, 'https://api.example/apix', false],
    ['endpoint', { host: 'api.example', endpoint: 'a/b' }, 'https://api.example/a/b/', true],
    ['endpoint', { host: 'api.example', endpoint: 'a/b' }, 'https://api.example/a', false],
  ])('%s: %j and %s: %p', (_, rule, url, allowed) => {
    const result = outcome({ url }, { requestableHosts: [{ host: 'unused.example' }, rule] });
    if (allowed) expect(result).toBe(url);
    else expect(result).toMatchObject({ code: 'HOST_REFUSED' });
  });

  it('covers every address, also received ones and those of hosts that may receive credentials', () => {
    const rules = { requestableHosts: [{ host: 'other.example' }], credentialHosts: ['files.example'] };
    expect(outcome(received(`${HOME}/next`), rules)).toMatchObject({ code: 'HOST_REFUSED' });
    expect(outcome(received('https://files.example/'), rules)).toMatchObject({ code: 'HOST_REFUSED' });
  });

  it('the error has the text of the language, with secrets masked', () => {
    const error = outcome({ url: `${HOME}/?key=s3cret-key` }, { requestableHosts: [{ host: 'other.example' }] });
    expect(error).toMatchObject({ message: `URL "${HOME}/?key=***" is not in the allowed hosts whitelist.` });
  });
});
