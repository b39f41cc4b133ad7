/** Comments in a configuration (docs/language/configuration.md#comments). */
import { lastValueFrom, toArray } from 'rxjs';
import { extract } from '../../../src';
import type { Json } from '../../../src';
import { configurationSchema, schemaValidator } from '../../support/language';
import { prepare } from '../../../src/run/validate';

const NOTE = { '//': 'a comment', '// endpoint': { old: [1] } };

const everywhere = {
  ...NOTE,
  api: {
    ...NOTE,
    baseUrl: 'https://api.example',
    http: {
      ...NOTE,
      defaultOptions: { ...NOTE, params: { page: 1 } },
      rules: [{ ...NOTE, when: { ...NOTE, status: 404 }, do: 'skip' }],
    },
    retryConfig: { ...NOTE, maxRetries: 1, http: { ...NOTE, codes: [500] } },
    pagination: {
      ...NOTE,
      method: 'multiple',
      scrollers: { ...NOTE, a: { ...NOTE, method: 'offset', limit: 10, limitStop: { ...NOTE, count: 100 } } },
    },
    authentication: {
      ...NOTE,
      type: 'login',
      loginRequest: { ...NOTE, endpoint: 'login' },
      apiRequest: { ...NOTE, headers: { 'X-Token': { response: 'token' } } },
    },
  },
  config: {
    ...NOTE,
    mappings: { ...NOTE, items: { id: { ...NOTE, type: 'column', mapping: { ...NOTE, destination: 'id' } } } },
    jobs: [
      {
        ...NOTE,
        endpoint: 'items',
        dataType: 'items',
        dataField: { ...NOTE, path: 'a' },
        scroller: 'a',
        total: { ...NOTE, path: 'total' },
        format: { ...NOTE, type: 'csv' },
        window: { ...NOTE, from: '2024-01-01', step: '1 month' },
        partitions: { ...NOTE, kind: ['x'] },
        params: { kind: '{kind}', from: '{window.from}', to: '{window.to}' },
        children: [{ ...NOTE, endpoint: 'below/{id}', placeholders: { id: { ...NOTE, path: 'id' } } }],
      },
    ],
  },
};

describe('a key that begins with "//"', () => {
  // The schema takes its time to compile.

  it('is a comment in every section, and among the names that an author chooses', () => {
    expect(prepare(everywhere as unknown as Json, {}).planned.warnings).toEqual([]);
    const isValid = schemaValidator().compile(configurationSchema());
    isValid(everywhere);
    expect(isValid.errors ?? []).toEqual([]);
  });

  it('names no scroller, and no mapping', () => {
    const pagination = {
      method: 'multiple',
      scrollers: { '//old': { method: 'offset' }, a: { method: 'offset', limit: 1 } },
    };
    const config = { api: { baseUrl: 'https://api.example', pagination }, config: { jobs: [{ endpoint: 'a' }] } };
    const job = { endpoint: 'a', scroller: '//old' };
    expect(() => prepare(config, {})).not.toThrow();
    expect(() => prepare({ ...config, config: { jobs: [job] } }, {})).toThrow(/scroller/);
  });

  it('is data in parameters, bodies, headers and user data', async () => {
    const asked: string[] = [];
    const fetch = (input: string | URL | globalThis.Request): Promise<globalThis.Response> => {
      asked.push(decodeURIComponent(String(input instanceof Request ? input.url : input)));
      return Promise.resolve(Response.json([{ id: 1 }]));
    };
    const data = { '//': 'data' };
    const config = {
      api: { baseUrl: 'https://api.example' },
      config: {
        jobs: [
          { endpoint: 'a', params: data, userData: data },
          { endpoint: 'b', method: 'POST', body: data },
        ],
      },
    };
    const pages = await lastValueFrom(extract(config, { fetch }).pages$.pipe(toArray()));
    expect(asked[0]).toContain('/a?//=data');
    expect(pages[1]?.reply.response.request.body).toBe('{"//":"data"}');
    expect([...(pages[0]?.extra ?? [])]).toEqual([['//', 'data']]);
  });
});
