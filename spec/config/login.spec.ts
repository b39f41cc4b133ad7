import { configuration, faults, run, warnings } from './support';

const login = (more: Record<string, unknown>) => configuration({ authentication: { type: 'login', ...more } });

describe('api.authentication of type login', () => {
  it('specification 5: applies its defaults', () => {
    expect(run(login({ loginRequest: { endpoint: 'login' } })).api.authentication).toEqual({
      type: 'login',
      loginRequest: { endpoint: 'login', method: 'GET', params: {}, functionsInLists: false, headers: {} },
      format: 'json',
      apiRequest: { headers: {}, query: {} },
      expires: { kind: 'never' },
    });
  });

  it('specification 5: takes every option, the method in any case', () => {
    const loginRequest = { endpoint: 'login', method: 'form', params: { u: { attr: 'u' } }, headers: { A: 'a' } };
    const apiRequest = { headers: { T: 'token' }, query: { k: { response: 'key' } } };
    expect(run(login({ loginRequest, apiRequest, format: 'text', expires: 60 })).api.authentication).toEqual({
      type: 'login',
      loginRequest: { ...loginRequest, method: 'FORM', functionsInLists: false },
      format: 'text',
      apiRequest,
      expires: { kind: 'after', seconds: 60 },
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
      'api.authentication.loginRequest.endpoint: expected the path or URL as text, found a list',
    ]);
  });

  it('docs/extensions/functions.md: the endpoint may be an expression, and lists may be searched', () => {
    const loginRequest = { endpoint: { attr: 'path' }, params: { a: [{ function: 'time' }] } };
    expect(run(login({ loginRequest })).api.authentication).toMatchObject({ loginRequest });
    expect(warnings(login({ loginRequest }))).toEqual([
      expect.stringMatching(/^api\.authentication\.loginRequest\.params\.a: is sent as it is: functions in lists/),
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
      'api.authentication.query: has no effect with type login: it is an option of query and oauth20; login has apiRequest.query',
    ]);
  });
});
