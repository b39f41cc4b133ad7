import { defer, lastValueFrom, of } from 'rxjs';
import type { HeadwaterError } from '../../src/core/errors/errors';
import type { HttpMethod, Request, Send } from '../../src/core/model';
import { parseUrl } from '../../src/core/url/address';
import { aRequest, aResponse, HOME, secretsOf } from '../support/requests';
import { senderOver } from '../support/sender';
import { originRefusal } from '../../src/http/redirects';
import type { RequestableHost } from '../../src/language/configuration/configuration';
import type { OriginRules } from '../../src/http/redirects';
import { FatalError } from '../../src/core/errors/errors';

interface Given {
  readonly request?: Partial<Request>;
  /** Status and `Location` of each response in turn; then a 200. */
  readonly redirects: readonly (readonly [number, string?])[];
  readonly credentialOrigins?: readonly string[];
}

/** Sends a request; gives all that went out, and the response or the error at the end. */
async function follow({ request, redirects, credentialOrigins = [HOME] }: Given) {
  const sent: Request[] = [];
  const [baseUrl = 'https://unused.example', ...credentialHosts] = credentialOrigins;
  const answer: Send = (hop) =>
    defer(() => {
      const [status, location] = redirects[sent.length] ?? [200];
      sent.push(hop);
      return of(aResponse({ request: hop, status, headers: location === undefined ? {} : { location } }));
    });
  const { pages } = senderOver(answer, { baseUrl, credentialHosts, secrets: secretsOf('s3cret-key') });
  const asked = aRequest(request);
  // The guard lets the last redirect pass.
  const target = parseUrl(redirects.at(-1)?.[1] ?? '', asked.url)?.origin ?? HOME;
  const response$ = pages(undefined)({ ...asked, home: target });
  const outcome = await lastValueFrom(response$).catch((error: unknown) => error as HeadwaterError);
  const message = 'message' in outcome ? outcome.message : '';
  return { sent, outcome, message, last: sent.at(-1) };
}

describe('language 2.6: redirects', () => {
  it('an ordinary response is passed on as it is', async () => {
    const { sent, outcome } = await follow({ redirects: [] });
    expect(outcome).toMatchObject({ status: 200 });
    expect(sent).toEqual([aRequest()]);
  });

  it('the response names the last request, which came from a response', async () => {
    const { outcome } = await follow({ redirects: [[302, '/v2/items?page=2&key=a#top']] });
    expect(outcome).toMatchObject({
      status: 200,
      request: aRequest({
        url: `${HOME}/v2/items?page=2&key=a`,
        provenance: 'received',
        receivedNames: ['page', 'key'],
      }),
    });
  });

  it('what else a request has goes with it', async () => {
    const kept: Partial<Request> = {
      ...{
        isLater: true,
        streams: true,
        downloadHosts: ['files.example'],
        trace: { run: 'r', request: 7, attempt: 1 },
      },
      purpose: { kind: 'page', job: 'items' },
    };
    const { last } = await follow({ request: kept, redirects: [[302, '/moved']] });
    expect(last).toEqual({
      ...aRequest(kept),
      ...{ url: `${HOME}/moved`, provenance: 'received', redirectedFrom: { method: 'GET', url: aRequest().url } },
    });
    const plain = await follow({ redirects: [[302, '/moved']] });
    expect(Object.keys(plain.last ?? {}).sort()).toEqual([...Object.keys(aRequest()), 'redirectedFrom'].sort());
  });

  it.each([
    ['an absolute URL', 'https://b.example/x', 'https://b.example/x'],
    ['a path from the root', '/x', `${HOME}/x`],
    ['a relative path, as a browser does', 'x', `${HOME}/a/x`],
    ['a query', '?p=2', `${HOME}/a/b?p=2`],
    ['another host with the same scheme', '//b.example/x', 'https://b.example/x'],
  ])('the Location may be %s', async (_, location, url) => {
    const { last } = await follow({ request: { url: `${HOME}/a/b?p=1` }, redirects: [[302, location]] });
    expect(last?.url).toBe(url);
  });

  it.each<[number, HttpMethod, HttpMethod]>([
    [301, 'POST', 'GET'],
    [302, 'POST', 'GET'],
    [303, 'POST', 'GET'],
    [303, 'PUT', 'GET'],
    [307, 'POST', 'POST'],
    [308, 'POST', 'POST'],
    [301, 'PUT', 'PUT'],
    [302, 'DELETE', 'DELETE'],
    [301, 'GET', 'GET'],
  ])('on %i a %s becomes a %s', async (status, method, expected) => {
    const headers = { 'content-type': 'application/json', 'content-length': '2', 'x-own': '1' };
    const request = { method, headers, ...(method === 'GET' ? {} : { body: '{}' }) };
    const { last } = await follow({ request, redirects: [[status, '/moved']] });
    expect(last?.method).toBe(expected);
    const loses = method !== expected;
    expect(last?.body).toBe(loses || method === 'GET' ? undefined : '{}');
    expect(last?.headers).toEqual(loses ? { 'x-own': '1' } : headers);
  });

  it.each([300, 304, 302])('a %i without Location is an ordinary response', async (status) => {
    const { sent, outcome } = await follow({ redirects: [[status]] });
    expect(outcome).toMatchObject({ status });
    expect(sent).toHaveLength(1);
  });

  it('a Location without a redirect status has no meaning', async () => {
    expect((await follow({ redirects: [[201, '/created']] })).outcome).toMatchObject({ status: 201 });
  });

  it('5 redirects are followed, a 6th is an error', async () => {
    const five = Array<readonly [number, string]>(5).fill([302, '/again?key=s3cret-key']);
    expect((await follow({ redirects: five })).outcome).toMatchObject({ status: 200 });

    const { sent, outcome, message } = await follow({ redirects: [...five, [302, '/again?key=s3cret-key']] });
    expect(sent).toHaveLength(6);
    const facts = { status: 302, method: 'GET', url: `${HOME}/again?key=***` };
    expect(outcome).toMatchObject({ code: 'TOO_MANY_REDIRECTS', recovery: 'fatal', ...facts });
    expect(message).toContain('GET https://api.example/again?key=*** was redirected again');
    expect(message).not.toContain('s3cret-key');
  });

  it('a Location that is no URL is an error that shows it, masked', async () => {
    const { outcome, message } = await follow({ redirects: [[302, 'http://s3cret-key:bad port/']] });
    const facts = { status: 302, method: 'GET', url: `${HOME}/items` };
    expect(outcome).toMatchObject({ code: 'NETWORK_PROTOCOL', recovery: 'fatal', ...facts });
    expect(message).toContain('to what is no http or https address: "http://***:bad port/"');
  });
});

describe('language 2.6: credentials are not sent to another host', () => {
  const headers = {
    authorization: 'Bearer t',
    cookie: 'session=1',
    'x-api-key': 'k',
    'x-auth-token': 't',
    host: 'api.example',
    'x-own': '1',
  };

  it('an origin that may not receive credentials gets no header that looks like credentials', async () => {
    const { last } = await follow({ request: { headers }, redirects: [[307, 'https://other.example/']] });
    expect(last?.headers).toEqual({ 'x-own': '1' });
  });

  it.each([
    'proxy-authorization',
    'x-authorization',
    'x-client-secret',
    'x-signature-256',
    'x-password',
    'apikey',
    'my-api-key-2',
  ])('%s looks like a credential', async (name) => {
    const request = { headers: { [name]: 'k', 'cookie-policy': '1' } };
    const { last } = await follow({ request, redirects: [[307, 'https://other.example/']] });
    expect(last?.headers).toEqual({ 'cookie-policy': '1' });
  });

  it('an origin that may receive credentials gets all but the host', async () => {
    const credentialOrigins = [HOME, 'https://files.example'];
    const { last } = await follow({
      request: { headers },
      redirects: [[307, 'https://files.example/']],
      credentialOrigins,
    });
    expect({ ...last?.headers, host: headers.host }).toEqual(headers);
    expect(last?.headers['host']).toBeUndefined();
  });

  it('a host for downloads gets no headers at all, unless it is of the API', async () => {
    const given = { headers, downloadHosts: ['files.example'] };
    const headersAt = async (location: string, request: Partial<Request>): Promise<unknown> =>
      (await follow({ request, redirects: [[307, location]], credentialOrigins: [HOME, 'https://own.example'] })).last
        ?.headers;
    expect(await headersAt('https://files.example/1', given)).toEqual({});
    expect(await headersAt('https://files.example/1', { headers })).toEqual({ 'x-own': '1' });
    expect(await headersAt('/1', given)).toEqual(headers);
    expect(await headersAt('https://own.example/1', given)).toMatchObject({ 'x-own': '1', 'x-auth-token': 't' });
  });

  it('the same origin gets all, whatever may receive credentials', async () => {
    const { last } = await follow({ request: { headers }, redirects: [[307, '/moved']], credentialOrigins: [] });
    expect(last?.headers).toEqual(headers);
  });

  it('the userinfo of a URL stays at its origin', async () => {
    const request = { url: 'https://user:pass@api.example/items' };
    expect((await follow({ request, redirects: [[302, `${HOME}/moved`]] })).last?.url).toBe(
      'https://user:pass@api.example/moved',
    );
    expect((await follow({ request, redirects: [[302, 'https://other.example/']] })).last?.url).toBe(
      'https://other.example/',
    );
    expect((await follow({ request, redirects: [[302, 'https://me:mine@api.example/']] })).last?.url).toBe(
      'https://me:mine@api.example/',
    );
  });
});

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
