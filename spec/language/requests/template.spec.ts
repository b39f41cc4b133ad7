import type { JsonObject } from '../../../src/core/model';
import { parseJson } from '../../../src/core/json/parse';
import type { RequestChange, RequestTemplate } from '../../../src/language/requests/template';
import { buildRequest } from '../../../src/language/requests/template';

const BASE = 'https://api.example/v2/';
const template = (changes: Partial<RequestTemplate> = {}): RequestTemplate => ({
  url: `${BASE}items`,
  method: 'GET',
  defaultParams: {},
  headers: () => ({ accept: 'application/json' }),
  purpose: { kind: 'page', job: 'a' },
  home: changes.url ?? `${BASE}items`,
  provenance: 'configured',
  ...changes,
});
const built = (changes: Partial<RequestTemplate>, change: Partial<RequestChange> = {}) =>
  buildRequest(template(changes), { params: {}, ...change });
/** Query with readable brackets. */
const query = (changes: Partial<RequestTemplate>, change: Partial<RequestChange> = {}): string =>
  decodeURIComponent(new URL(built(changes, change).url).search.slice(1));

describe('buildRequest: GET (specification 4.2, language 3)', () => {
  it('specification 4.2 rule 4: a job param overrides a default param of its name, in the place of the default', () => {
    expect(query({ defaultParams: { v: 1, sort: 'id' } }, { params: { q: 'x', sort: 'name' } })).toBe(
      'v=1&sort=name&q=x',
    );
  });

  it('language 2.4: nested defaults merge key by key and index by index', () => {
    const defaultParams = { f: { a: 1, b: 2 }, ids: [1, 2, 3] };
    expect(query({ defaultParams }, { params: { f: { b: 9 }, ids: [7] } })).toBe(
      'f[a]=1&f[b]=9&ids[0]=7&ids[1]=2&ids[2]=3',
    );
  });

  it('language 3.2: the sample', () => {
    const params: JsonObject = { on: true, off: false, none: null, ids: [7, 8], f: { name: 'a b', deep: { x: 1.5 } } };
    expect(query({}, { params })).toBe('on=1&off=0&ids[0]=7&ids[1]=8&f[name]=a b&f[deep][x]=1.5');
  });

  it('language 3.2: names 0 and empty are left out', () => {
    expect(query({}, { params: { '0': 1, '': 2, a: { '0': 3 } } })).toBe('a[0]=3');
  });

  it('language 0.3: keys that look like numbers keep their order', () => {
    const params = parseJson('{"b":1,"10":2,"2":3}') as JsonObject;
    expect(query({}, { params })).toBe('b=1&10=2&2=3');
  });

  it('language 3.3: parameters replace those of the endpoint in place, others follow', () => {
    expect(query({ url: `${BASE}items?page=2&q=x` }, { params: { q: 'y', lang: 'en' } })).toBe('page=2&q=y&lang=en');
  });

  it('language 3.3: without parameters the endpoint stays as written', () => {
    const url = `${BASE}items?a=%7e&b&c=1+2&a=2`;
    expect(built({ url }).url).toBe(url);
  });

  it('language 3.3: repeated names and names without = stay unless replaced', () => {
    expect(built({ url: `${BASE}items?a=1&a=2&b&c=3` }, { params: { c: 4 } }).url).toBe(`${BASE}items?a=1&a=2&b&c=4`);
  });

  it('has no body, and is written by a person', () => {
    expect(built({}, { params: { a: 1 } })).toEqual({
      method: 'GET',
      url: `${BASE}items?a=1`,
      headers: { accept: 'application/json' },
      purpose: { kind: 'page', job: 'a' },
      home: `${BASE}items`,
      provenance: 'configured',
      receivedNames: [],
    });
  });
});

describe('buildRequest: next pages (specification 4.3.2, language 5.5)', () => {
  const address = `${BASE}items?page=2&cursor=c`;

  it('stands for itself, and its parameters are known to be received', () => {
    expect(built({}, { address })).toMatchObject({
      url: address,
      provenance: 'received',
      receivedNames: ['page', 'cursor'],
      home: `${BASE}items`,
    });
  });

  it('specification 4.3.2 rule 3: a job param overwrites one of the address', () => {
    const request = built({}, { address, params: { page: 1, q: 'x' } });
    expect(request.url).toBe(`${BASE}items?page=1&cursor=c&q=x`);
    expect(request.receivedNames).toEqual(['cursor']);
  });

  it('a default lies below the address', () => {
    expect(built({ defaultParams: { page: 1, v: 3 } }, { address }).url).toBe(`${address}&v=3`);
  });

  it('a job param lies above the address even where there is a default too', () => {
    expect(built({ defaultParams: { page: 5 } }, { address, params: { page: 1 } }).url).toBe(
      `${BASE}items?page=1&cursor=c`,
    );
  });

  it('specification 4.3.2 rule 4: a received query overrides job params, the others stay', () => {
    const request = built({}, { params: { account: 7, page: 1 }, received: 'page=2' });
    expect(request.url).toBe(`${BASE}items?account=7&page=2`);
    expect(request.receivedNames).toEqual(['page']);
    expect(request.provenance).toBe('configured');
  });

  it('a received query keeps repeated and bracketed names', () => {
    expect(query({}, { received: 'a[]=1&a[]=2&f[x]=3' })).toBe('a[]=1&a[]=2&f[x]=3');
  });
});

describe('buildRequest: bodies (specification 4.1, language 3.1)', () => {
  it('POST: parameters as JSON with their types, and the content type', () => {
    const params = { n: 1, t: 'x', yes: true, none: null, list: [1, { a: 2 }] };
    expect(built({ method: 'POST' }, { params })).toMatchObject({
      method: 'POST',
      url: `${BASE}items`,
      body: '{"n":1,"t":"x","yes":true,"none":null,"list":[1,{"a":2}]}',
      headers: { accept: 'application/json', 'content-type': 'application/json' },
    });
  });

  it('POST without parameters: []', () => {
    expect(built({ method: 'POST' }).body).toBe('[]');
  });

  it('POST keeps big integers and the order of keys', () => {
    const params = parseJson('{"z":9007199254740993,"1":2}') as JsonObject;
    expect(built({ method: 'POST' }, { params }).body).toBe('{"z":9007199254740993,"1":2}');
  });

  it('FORM: a POST with a form body', () => {
    expect(built({ method: 'FORM' }, { params: { user: 'a b', f: { x: true } } })).toMatchObject({
      method: 'POST',
      body: 'user=a%20b&f%5Bx%5D=1',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    });
  });

  it('keeps the query of the endpoint untouched', () => {
    expect(built({ method: 'POST', url: `${BASE}items?a=1` }, { params: { a: 2 } })).toMatchObject({
      url: `${BASE}items?a=1`,
      body: '{"a":2}',
    });
  });

  it('default and received parameters go into the body too', () => {
    const change = { params: { b: 2, page: 1 }, received: 'page=2&t=x&t=y' };
    expect(built({ method: 'POST', defaultParams: { a: 1, b: 1 } }, change).body).toBe(
      '{"a":1,"b":2,"page":"2","t":["x","y"]}',
    );
  });

  it('the content type of the method wins over a header of the job', () => {
    const headers = () => ({ 'content-type': 'text/plain' });
    expect(built({ method: 'FORM', headers }).headers).toEqual({ 'content-type': 'application/x-www-form-urlencoded' });
  });
});

describe('docs/language/requests.md#bodies', () => {
  it.each(['PUT', 'PATCH', 'DELETE'] as const)(
    '%s: the parameters are a JSON body; without any there is none',
    (method) => {
      expect(built({ method, defaultParams: { v: 1 } }, { params: { a: 'x' } })).toMatchObject({
        method,
        url: `${BASE}items`,
        body: '{"v":1,"a":"x"}',
        headers: { 'content-type': 'application/json' },
      });
      expect(built({ method })).not.toHaveProperty('body');
      expect(built({ method }).headers).not.toHaveProperty('content-type');
    },
  );

  it.each([
    ['GET', 'GET'],
    ['POST', 'POST'],
    ['PUT', 'PUT'],
    ['DELETE', 'DELETE'],
  ] as const)('%s with a body of its own: the parameters go to the query', (method, sent) => {
    const request = built({ method, body: '{"q":1}', defaultParams: { v: 1 } }, { params: { page: 2 } });
    expect(request).toMatchObject({
      method: sent,
      url: `${BASE}items?v=1&page=2`,
      body: '{"q":1}',
      headers: { 'content-type': 'application/json' },
    });
  });

  it('a next page and a received query keep the body', () => {
    const address = `${BASE}items?page=2`;
    expect(built({ method: 'POST', body: '{}' }, { address })).toMatchObject({ url: address, body: '{}' });
    expect(built({ method: 'POST', body: '{}' }, { received: 'page=3' })).toMatchObject({
      url: `${BASE}items?page=3`,
      receivedNames: ['page'],
    });
  });

  it('a content type of the job stays beside a body of its own', () => {
    const headers = () => ({ 'content-type': 'application/vnd.api+json' });
    expect(built({ method: 'POST', body: '{}', headers }).headers).toEqual(headers());
  });
});

describe('docs/language/jobs.md#batches', () => {
  it.each([
    ['repeat', 'ids=1&ids=2'],
    ['brackets', 'ids[]=1&ids[]=2'],
  ] as const)('lists %s in the query and in a form, and stay lists in JSON', (lists, expected) => {
    const params = { ids: ['1', '2'] };
    expect(query({ lists }, { params })).toBe(expected);
    expect(decodeURIComponent(built({ lists, method: 'FORM' }, { params }).body ?? '')).toBe(expected);
    expect(built({ lists, method: 'POST' }, { params }).body).toBe('{"ids":["1","2"]}');
  });
});
