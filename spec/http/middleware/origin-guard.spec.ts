import { lastValueFrom, of } from 'rxjs';
import { originGuard } from '../../../src/http/middleware/origin-guard';
import type { RequestableHost } from '../../../src/language/configuration/configuration';
import type { OriginRules } from '../../../src/http/middleware/origin-guard';
import { FatalError } from '../../../src/core/errors/errors';
import type { Request } from '../../../src/core/model';
import { aRequest, aResponse, HOME, secretsOf } from '../../support/requests';

/** The URLs that were sent, or the error that refused. */
async function outcome(request: Partial<Request>, rules: Partial<OriginRules> = {}): Promise<string[] | FatalError> {
  const sent: string[] = [];
  const guard = originGuard({
    baseUrl: `${HOME}/v1/`,
    credentialHosts: [],
    requestableHosts: [],
    secrets: secretsOf('s3cret-key'),
    ...rules,
  });
  const send = guard((passed) => {
    sent.push(passed.url);
    return of(aResponse());
  });
  return lastValueFrom(send(aRequest(request))).then(
    () => sent,
    (error: unknown) => {
      expect(sent).toEqual([]);
      return error as FatalError;
    },
  );
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
  ])('may be at %s', async (_, request, rules) => {
    expect(await outcome(request, rules)).toEqual([request.url]);
  });

  it.each([
    ['another host', received('https://evil.example/')],
    ['another port', received('https://api.example:8443/')],
    ['http after https', received('http://api.example/')],
    ['a host that only looks like the base', received('https://api.example.evil.example/')],
    ['another scheme', received('ftp://api.example/')],
  ])('may not be at %s', async (_, request) => {
    expect(await outcome(request)).toMatchObject({ code: 'ORIGIN_REFUSED', recovery: 'fatal' });
  });

  it('the error names the address, where the request has to stay, and the remedy', async () => {
    const error = await outcome(received('https://evil.example/x?key=s3cret-key'));
    expect(error).toBeInstanceOf(FatalError);
    expect(String(error)).toContain('GET https://evil.example/x?key=*** was not sent');
    expect(String(error)).toContain(`has to stay at ${HOME}.`);
    expect(String(error)).toContain('If "evil.example" belongs to the API, name it in api.http.allowedHosts.');
  });

  it('what is no URL is not sent', async () => {
    for (const rules of [{}, { requestableHosts: [{ host: 'api.example' }] }])
      expect(await outcome(received('https://['), rules)).toMatchObject({ code: 'ERR_INVALID_URL' });
  });

  it('an address that a person wrote may be anywhere', async () => {
    expect(await outcome({ url: 'https://other.example/' })).toEqual(['https://other.example/']);
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
  ])('%s: %j and %s: %p', async (_, rule, url, allowed) => {
    const result = await outcome({ url }, { requestableHosts: [{ host: 'unused.example' }, rule] });
    if (allowed) expect(result).toEqual([url]);
    else expect(result).toMatchObject({ code: 'HOST_REFUSED' });
  });

  it('covers every address, also received ones and those of hosts that may receive credentials', async () => {
    const rules = { requestableHosts: [{ host: 'other.example' }], credentialHosts: ['files.example'] };
    expect(await outcome(received(`${HOME}/next`), rules)).toMatchObject({ code: 'HOST_REFUSED' });
    expect(await outcome(received('https://files.example/'), rules)).toMatchObject({ code: 'HOST_REFUSED' });
  });

  it('the error has the text of the language, with secrets masked', async () => {
    const error = await outcome({ url: `${HOME}/?key=s3cret-key` }, { requestableHosts: [{ host: 'other.example' }] });
    expect(error).toMatchObject({ message: `URL "${HOME}/?key=***" is not in the allowed hosts whitelist.` });
  });
});
