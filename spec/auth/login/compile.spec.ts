import { isLeft } from 'fp-ts/Either';
import { compileLogin, loginUrl } from '../../../src/auth/login/compile';
import type { CompiledLogin, OauthContexts } from '../../../src/auth/login/compile';
import type { LoginWritten } from '../../../src/auth/login/options';
import { valuesOf } from '../../../src/auth/login/place';
import type { LoginValues } from '../../../src/auth/login/place';
import { faultLine } from '../../../src/core/errors/errors';
import type { Fault } from '../../../src/core/errors/errors';
import { flatten } from '../../../src/core/json/objects';
import type { Headers, JsonObject } from '../../../src/core/model';
import { scopeOf } from '../../support/expressions';

describe('compile', () => {
  const BASE = 'https://api.example/v2/';
  const ATTR = { attr: flatten({ '#key': 'top-secret', user: 'me' }) };

  const given = (content: JsonObject, headers: Headers = {}): LoginValues => valuesOf({ content, headers });

  interface Changes {
    readonly loginRequest?: Partial<LoginWritten['loginRequest']>;
    readonly apiRequest?: Partial<LoginWritten['apiRequest']>;
    readonly oauth?: OauthContexts;
  }

  function configured(changes: Changes): LoginWritten {
    return {
      loginRequest: {
        endpoint: 'login',
        method: 'GET',
        params: {},
        functionsInLists: false,
        headers: {},
        ...changes.loginRequest,
      },
      format: 'json',
      apiRequest: { headers: {}, query: {}, ...changes.apiRequest },
      expires: { kind: 'never' },
      margin: undefined,
      refusedStatusCodes: [401],
    };
  }

  const compiled = (changes: Changes) =>
    compileLogin(configured(changes), { baseUrl: BASE, scope: scopeOf(ATTR) }, changes.oauth);

  function planned(changes: Changes): CompiledLogin {
    const result = compiled(changes);
    if (result._tag === 'Left') throw new Error(JSON.stringify(result.left));
    return result.right;
  }

  function faults(changes: Changes): readonly Fault[] {
    const result = compiled(changes);
    return result._tag === 'Left' ? result.left : [];
  }

  describe('language 4.5.2: the login request', () => {
    it('carries its own parameters and headers only; what came from secrets is a secret', () => {
      const { plan, secrets } = planned({
        loginRequest: {
          endpoint: '/auth?x=1',
          params: { user: { attr: 'user' }, key: { attr: '#key' } },
          headers: { 'X-Sum': { function: 'concat', args: ['k:', { attr: '#key' }] }, 'X-Null': null },
        },
      });
      expect(plan.request().request).toMatchObject({
        method: 'GET',
        url: 'https://api.example/auth?x=1&user=me&key=top-secret',
        headers: { 'x-sum': 'k:top-secret', 'x-null': '' },
        purpose: { kind: 'login' },
      });
      expect(secrets).toEqual(['top-secret', 'k:top-secret']);
    });

    it.each([
      [undefined, 'scopes[0]=read&scopes[1]=write'],
      ['repeat' as const, 'scopes=read&scopes=write'],
      ['brackets' as const, 'scopes[]=read&scopes[]=write'],
    ])('with the batchStyle %s writes arrays as %s', (batchStyle, body) => {
      const form = { method: 'FORM' as const, params: { scopes: ['read', 'write'] } };
      const { plan } = planned({ loginRequest: batchStyle === undefined ? form : { ...form, batchStyle } });
      expect(decodeURIComponent(plan.request().request.body ?? '')).toBe(body);
    });

    it('language 4.4: a header has to be a scalar, be it written or computed', () => {
      const headers = { a: { x: 1 }, b: [1] };
      expect(faults({ loginRequest: { headers } }).map(({ path }) => path)).toEqual([
        'api.authentication.loginRequest.headers.a',
        'api.authentication.loginRequest.headers.b',
      ]);
      const computed = { c: { function: 'ifempty', args: [[1], 2] } };
      expect(faults({ loginRequest: { headers: computed } })).toEqual([
        { path: 'api.authentication.loginRequest.headers.c', message: 'expected a string or a number, found array' },
      ]);
    });
  });

  describe('language 4.5.4: what a login adds to requests', () => {
    it('specification 5: bare strings are paths, or themselves; objects are expressions', () => {
      const { plan } = planned({
        apiRequest: {
          headers: { 'X-Token': 'a.token', 'X-Kind': 'plain text', 'X-Number': 7 },
          query: { both: { function: 'concat', args: [{ attr: 'user' }, ':', { response: 'a.id' }] } },
        },
      });
      expect(plan.apply(given({ a: { token: 'T', id: 5 } }))).toEqual({
        headers: [
          ['x-token', 'T'],
          ['x-kind', 'plain text'],
          ['x-number', '7'],
        ],
        query: [['both', 'me:5']],
      });
      expect(plan.secretPlaces).toEqual(['a.token', 'plain text', '7', 'a.id']);
    });

    it('a header of the login response is an expression, whatever the case of its name', () => {
      const { plan } = planned({
        apiRequest: {
          headers: { 'X-Auth-Token': { responseHeader: 'X-Subject-Token' } },
          query: { t: { function: 'concat', args: ['t-', { responseHeader: 'x-subject-TOKEN' }] } },
        },
      });
      expect(plan.apply(given({}, { 'x-subject-token': 'b7d1' }))).toEqual({
        headers: [['x-auth-token', 'b7d1']],
        query: [['t', 't-b7d1']],
      });
      expect(plan.secretPlaces).toEqual([{ responseHeader: 'x-subject-token' }, { responseHeader: 'x-subject-token' }]);
      expect(() => plan.apply(given({}, { 'x-subject-tokn': 'b7d1' }))).toThrow(
        /responseHeader 'x-subject-token' not found! .*x-subject-tokn/,
      );
    });

    it('language 4.4: lists and objects that are no expressions are faults; others are errors', () => {
      const headers = { a: ['a.token'], b: { respons: 'a' } };
      expect(faults({ apiRequest: { headers } }).map(({ path }) => path)).toEqual([
        'api.authentication.apiRequest.headers.a',
        'api.authentication.apiRequest.headers.b',
      ]);
      const { plan } = planned({ apiRequest: { query: { c: { function: 'ifempty', args: [[1], 2] } } } });
      expect(() => plan.apply(given({}))).toThrow(
        'api.authentication.apiRequest.query.c: expected a string or a number, found array',
      );
    });
  });

  describe('language 4.8: a login with OAuth 2.0 credentials', () => {
    const oauth = {
      consumer: flatten({ client_id: 'id', client_secret: 'cs' }),
      user: flatten({ refresh: { token: 'rt' } }),
    };

    it('consumer and user are contexts of the login request; all but client_id is secret', () => {
      const params = {
        id: { consumer: 'client_id' },
        proof: { function: 'concat', args: [{ consumer: 'client_secret' }, '/', { user: 'refresh.token' }] },
      };
      const { plan, secrets } = planned({ oauth, loginRequest: { params } });
      expect(plan.request().request.url).toBe('https://api.example/v2/login?id=id&proof=cs%2Frt');
      expect(secrets).toEqual(['cs/rt', 'rt']);
    });

    it('a name that they do not have is a fault; so is using them in apiRequest', () => {
      const changes = {
        oauth,
        loginRequest: { params: { a: { user: 'refresh.tokn' }, b: { consumer: 'id' } } },
        apiRequest: { query: { c: { user: 'refresh.token' } } },
      };
      expect(faults(changes).map(({ path }) => path)).toEqual([
        'api.authentication.loginRequest.params.a',
        'api.authentication.loginRequest.params.b',
        'api.authentication.apiRequest.query.c',
      ]);
    });

    it('without OAuth they are no contexts: the object is sent as it is', () => {
      const { plan } = planned({ loginRequest: { params: { a: { user: 'x' } } } });
      expect(plan.request().request.url).toBe('https://api.example/v2/login?a%5Buser%5D=x');
    });
  });

  describe('language 4.5.4 rule 2: a bare string in apiRequest', () => {
    const { plan } = planned({ apiRequest: { headers: {}, query: { q: 'a.b' } } });
    const query = (response: JsonObject): unknown => plan.apply(given(response)).query;

    it.each<[string, JsonObject, string]>([
      ['is a path in the login response', { a: { b: 1 } }, '1'],
      ['is itself when the path does not exist', { a: 1 }, 'a.b'],
    ])('%s', (_, response, value) => {
      expect(query(response)).toEqual([['q', value]]);
    });

    it.each<[string, JsonObject, string]>([
      ['null', { a: { b: null } }, 'null'],
      ['an object', { a: { b: { c: 1 } } }, 'a structure'],
      ['a list', { a: { b: [1] } }, 'a structure'],
    ])('is refused when it leads to %s (4.4, 7.3)', (_, response, found) => {
      expect(() => query(response)).toThrow(
        `api.authentication.apiRequest.query.q: the login response has ${found} at "a.b": expected a string or a number`,
      );
    });
  });
});

describe('url', () => {
  const BASE = 'https://api.example/v2';
  const scope = scopeOf({ attr: flatten({ office: 'north', '#path': 'hidden', list: ['a'] }) });
  const faultsOf = (endpoint: string | JsonObject): string[] => {
    const checked = loginUrl(endpoint, BASE, 'api.authentication.loginRequest.endpoint', scope);
    return isLeft(checked) ? checked.left.map(faultLine) : [];
  };

  describe('docs/language/expressions.md#places: the endpoint of a login', () => {
    it.each<[string | JsonObject, string, readonly string[]]>([
      ['login', `${BASE}/login`, []],
      [{ attr: 'office' }, `${BASE}/north`, []],
      [
        { function: 'concat', args: ['https://', { attr: 'office' }, '.example/login'] },
        'https://north.example/login',
        [],
      ],
      [{ function: 'urlencode', args: ['a b'] }, `${BASE}/a+b`, []],
      [{ attr: '#path' }, `${BASE}/hidden`, ['hidden']],
    ])('%j', (endpoint, url, secrets) => {
      expect(loginUrl(endpoint, BASE, 'api.authentication.loginRequest.endpoint', scope)).toMatchObject({
        right: { url, secrets },
      });
    });

    const place = 'api.authentication.loginRequest.endpoint';
    it.each<[JsonObject, string]>([
      [{ attr: 'nope' }, `${place}: User script error: Error evaluating user function - attr 'nope' not found!`],
      [{ time: 'currentStart' }, `${place}: the function gives no string; expected the path or URL of the login`],
      [{ function: 'concat', args: [] }, `${place}: the function gives no string`],
      [{ function: 'concat', args: ['http://'] }, `${place}: expected an endpoint that makes a URL with the base URL`],
    ])('%j is refused before the run', (endpoint, message) => {
      expect(faultsOf(endpoint)).toEqual([expect.stringContaining(message)]);
    });
  });
});
