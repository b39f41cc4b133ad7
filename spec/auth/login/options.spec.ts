import { lifeOf } from '../../../src/auth/login/expiry';
import { configuration, faults, mistakes, run, warnings } from '../../language/configuration/support';

const withLogin = (changes: object) =>
  configuration({ authentication: { type: 'login', loginRequest: { endpoint: 'login' }, ...changes } });

describe('api.authentication.persist (docs/language/authentication.md#kept-tokens)', () => {
  it('gives names to paths in the login response', () => {
    const persist = { token: { response: 'data.token' }, other: 'other' };
    expect(run(withLogin({ persist })).api.authentication).toMatchObject({
      options: { persist: { token: 'data.token', other: 'other' } },
    });
    expect(warnings(withLogin({ persist }))).toEqual([]);
    expect(run(withLogin({ persist: {} })).api.authentication?.options).not.toHaveProperty('persist');
  });

  it('may keep a header', () => {
    const persist = { token: { responseHeader: 'X-Refresh' } };
    expect(run(withLogin({ persist })).api.authentication).toMatchObject({ options: { persist } });
    expect(warnings(withLogin({ persist }))).toEqual([]);
  });

  it.each([
    [{ a: 5 }, 'api.authentication.persist.a: expected {"response": a path in the login response}, found 5'],
    [{ a: {} }, 'api.authentication.persist.a.response: required: a path in the login response'],
    [
      { '#a': 'x' },
      'api.authentication.persist.#a: write the name without "#": what is kept of a login is always a secret',
    ],
    ['token', 'api.authentication.persist: expected an object, found a string of 5 characters'],
  ])('%j is refused', (persist, fault) => {
    expect(faults(withLogin({ persist }))).toEqual([fault]);
  });

  it('belongs to logins', () => {
    const authentication = { type: 'query', query: { a: 1 }, persist: { a: 'b' } };
    expect(warnings(configuration({ authentication }))).toEqual([
      'api.authentication.persist: has no effect with type query: it is an option of login and oauth20.login',
    ]);
  });
});

const login = (more: Record<string, unknown>) => configuration({ authentication: { type: 'login', ...more } });

describe('api.authentication of type login', () => {
  it('specification 5: applies its defaults', () => {
    expect(run(login({ loginRequest: { endpoint: 'login' } })).api.authentication?.options).toEqual({
      loginRequest: { endpoint: 'login', method: 'GET', params: {}, functionsInLists: false, headers: {} },
      format: 'json',
      apiRequest: { headers: {}, query: {} },
      expires: { kind: 'never' },
      margin: undefined,
      refusedStatusCodes: [401],
    });
  });

  it('specification 5: takes every option, the method in any case', () => {
    const loginRequest = { endpoint: 'login', method: 'form', params: { u: { attr: 'u' } }, headers: { A: 'a' } };
    const apiRequest = { headers: { T: 'token' }, query: { k: { response: 'key' } } };
    expect(run(login({ loginRequest, apiRequest, format: 'text', expires: 60 })).api.authentication?.options).toEqual({
      loginRequest: { ...loginRequest, method: 'FORM', functionsInLists: false },
      format: 'text',
      apiRequest,
      expires: { kind: 'after', seconds: 60 },
      margin: undefined,
      refusedStatusCodes: [401],
    });
  });

  it.each([undefined, null, {}, []])('language 4.5.1: needs a loginRequest; %j is none', (loginRequest) => {
    expect(faults(login({ loginRequest }))[0]).toMatch(
      /^api\.authentication\.loginRequest: required: the login request/,
    );
  });

  it('language 4.5.1: needs the endpoint of the login, as text', () => {
    expect(faults(login({ loginRequest: { method: 'POST' } }))).toEqual([
      'api.authentication.loginRequest.endpoint: required: the path or URL of the login',
    ]);
    expect(faults(login({ loginRequest: { endpoint: ['login'] } }))).toEqual([
      'api.authentication.loginRequest.endpoint: expected the path or URL as a string, found an array',
    ]);
  });

  it('docs/language/expressions.md#places: the endpoint may be an expression, and lists may be searched', () => {
    const loginRequest = { endpoint: { attr: 'path' }, params: { a: [{ function: 'time' }] } };
    expect(run(login({ loginRequest })).api.authentication?.options).toMatchObject({ loginRequest });
    expect(warnings(login({ loginRequest }))).toEqual([
      expect.stringMatching(/^api\.authentication\.loginRequest\.params\.a: is sent as it is: functions in arrays/),
    ]);
    expect(warnings(login({ loginRequest: { ...loginRequest, functionsInLists: true } }))).toEqual([]);
  });

  it('language 3.1, 4.5.1: refuses other methods and formats, with the likely meant one', () => {
    expect(faults(login({ loginRequest: { endpoint: 'l', method: 'POTS' }, format: 'jsn' }))).toEqual([
      'api.authentication.loginRequest.method: expected one of GET, POST, FORM, found "POTS"; did you mean "POST"?',
      'api.authentication.format: expected one of json, text, found "jsn"; did you mean "json"?',
    ]);
  });

  it('language 1.2: warns about options that stand in the wrong place', () => {
    const loginRequest = { endpoint: 'login', expires: 60, apiRequest: {} };
    expect(warnings(login({ loginRequest, query: { k: 'v' } }))).toEqual([
      'api.authentication.loginRequest.expires: has no effect here; it belongs to api.authentication',
      'api.authentication.loginRequest.apiRequest: has no effect here; it belongs to api.authentication',
      'api.authentication.query: has no effect with type login: it is an option of oauth20 and query; login has apiRequest.query',
    ]);
  });
});

describe('docs/language/authentication.md#renewal', () => {
  const loginRequest = { endpoint: 'login' };
  const read = (more: object) => run(login({ loginRequest, ...more })).api.authentication?.options;

  it.each([
    [
      { expires: 60, margin: 5 },
      { kind: 'after', seconds: 60, margin: 5 },
    ],
    [
      { expires: 60, margin: '0' },
      { kind: 'after', seconds: 60, margin: 0 },
    ],
    [
      { expires: { response: 'ttl', relative: true }, margin: 1.5 },
      { kind: 'response', path: 'ttl', relative: true, margin: 1.5 },
    ],
    [{ expires: { response: 'ends', margin: 0 } }, { kind: 'response', path: 'ends', relative: false, margin: 0 }],
    [
      { expires: 60, margin: null },
      { kind: 'after', seconds: 60 },
    ],
  ])('reads the margin of %j', (written, expires) => {
    expect(lifeOf(read(written) as Parameters<typeof lifeOf>[0])).toEqual(expires);
    expect(warnings(login({ loginRequest, ...written }))).toEqual([]);
  });

  it('refuses a margin that is no number of seconds, and one that is given twice', () => {
    expect(faults(login({ loginRequest, expires: 60, margin: -1 }))).toEqual([
      'api.authentication.margin: expected a number of seconds, 0 or more, found -1',
    ]);
    expect(faults(login({ loginRequest, expires: { response: 'ttl', margin: 'soon' } }))).toEqual([
      'api.authentication.expires.margin: expected a number, found a string of 4 characters',
    ]);
    expect(faults(login({ loginRequest, expires: { response: 'ttl', margin: 1 }, margin: 2 }))).toEqual([
      'api.authentication.margin: stands in "expires" already',
    ]);
  });

  it.each([
    [{ margin: 5 }, 'has no effect: "expires" does not say when credentials end'],
    [{ margin: 5, expires: 0 }, 'has no effect: "expires" does not say when credentials end'],
    [{ margin: 50, expires: 60 }, 'counts as 30 seconds: at most half of "expires"'],
  ])('warns of the margin of %j', (written, message) => {
    expect(warnings(login({ loginRequest, ...written }))).toEqual([`api.authentication.margin: ${message}`]);
  });

  it.each([
    [undefined, [401]],
    [null, [401]],
    [[], []],
    [
      ['401', 403],
      [401, 403],
    ],
  ])('reads refusedStatusCodes %j', (refusedStatusCodes, codes) => {
    expect(read({ refusedStatusCodes })).toMatchObject({ refusedStatusCodes: codes });
  });

  it('refuses statuses that are none of a failure', () => {
    expect(faults(login({ loginRequest, refusedStatusCodes: [401, 200] }))).toEqual([
      'api.authentication.refusedStatusCodes[1]: expected an integer from 400 to 599, found 200',
    ]);
  });

  it.each(['margin', 'refusedStatusCodes'])('%s has no effect where nothing can be renewed', (key) => {
    const authentication = { type: 'query', query: { k: 'v' }, [key]: key === 'margin' ? 1 : [403] };
    expect(warnings(configuration({ authentication }))).toEqual([
      `api.authentication.${key}: has no effect with type query: it is an option of jwt, login, oauth2, oauth20.login and session`,
    ]);
  });
});

describe('a name in braces in the endpoint of a login', () => {
  const unfilled = (name: string): string =>
    `nothing fills {${name}}, so it would be sent as %7B${name}%7D. Join the endpoint by {"function": "concat", "args": ["a/", {"attr": "b"}]}, ` +
    `or write %7B${name}%7D if that is meant`;
  const authenticated = (authentication: object) =>
    configuration({ authentication }, { jobs: [{ endpoint: 'a' }], tenant: 't' });

  it.each<[object, string]>([
    [{ type: 'login', loginRequest: { endpoint: '{tenant}/login' } }, 'loginRequest.endpoint'],
    [
      {
        type: 'login',
        loginRequest: { endpoint: 'login' },
        refreshRequest: { endpoint: 'again/{tenant}' },
        persist: { a: 'a' },
      },
      'refreshRequest.endpoint',
    ],
    [{ type: 'oauth2', tokenEndpoint: 'https://login.example/{tenant}/token' }, 'tokenEndpoint'],
  ])('is a mistake in %j', (authentication, place) => {
    expect(mistakes(authenticated(authentication))).toEqual([`api.authentication.${place}: ${unfilled('tenant')}`]);
  });

  it('is none where an expression joins it, and where its braces are encoded', () => {
    for (const endpoint of [{ function: 'concat', args: ['a/', { attr: 'tenant' }] }, 'a/%7Btenant%7D'])
      expect(mistakes(authenticated({ type: 'login', loginRequest: { endpoint } }))).toEqual([]);
  });

  it('is a warning in the query, where APIs have braces of their own', () => {
    const loginRequest = { endpoint: 'login?fields={name}' };
    expect(mistakes(authenticated({ type: 'login', loginRequest }))).toEqual([]);
    expect(warnings(authenticated({ type: 'login', loginRequest }))).toEqual([
      `api.authentication.loginRequest.endpoint: ${unfilled('name')}`,
    ]);
  });
});
