import type { Json, JsonObject } from '../../../src/core/model';
import { askedBy, askedByJob, fingerprintOf } from '../../../src/language/configuration/fingerprint';

describe('fingerprint', () => {
  const config = (changes: object = {}, iteration: object = { n: 1 }): Json =>
    ({
      api: { baseUrl: 'https://api.example/', '#token': 'a', headers: ['a', 'b'] },
      config: { jobs: [{ endpoint: 'x', params: { maxColumns: 1 } }], ...changes },
      iterations: [iteration],
    }) as Json;
  const print = fingerprintOf(config());

  describe('the fingerprint of a configuration', () => {
    it('is the same for the same configuration, and short enough to be kept', () => {
      expect(fingerprintOf(config())).toBe(print);
      expect(print).toMatch(/^[\w-]{43}\.[\w-]{43}$/);
    });

    it.each<[string, Json]>([
      ['a job', config({ jobs: [{ endpoint: 'y', params: { maxColumns: 1 } }] })],
      ['a parameter that is called like a setting', config({ jobs: [{ endpoint: 'x', params: { maxColumns: 2 } }] })],
      ['a run', config({}, { n: 2 })],
      ['a setting beside the configuration', { ...(config() as object), completeness: 'off' }],
      ['nothing', null],
    ])('is another one with %s', (_, other) => {
      expect(fingerprintOf(other)).not.toBe(print);
    });

    it('tells the orders of an array, and numbers from strings, apart', () => {
      expect(fingerprintOf(['a', 'b'])).not.toBe(fingerprintOf(['b', 'a']));
      expect(fingerprintOf({ n: 1 })).not.toBe(fingerprintOf({ n: '1' }));
    });

    it('does not depend on secrets, wherever they stand', () => {
      expect(fingerprintOf(config({ '#password': 'p' }, { n: 1, '#key': 'k' }))).toBe(print);
      expect(fingerprintOf([{ a: 1, '#b': 2 }])).toBe(fingerprintOf([{ a: 1 }]));
    });

    it('does not depend on what runs are judged by', () => {
      expect(fingerprintOf(config({ maxColumns: 9, completeness: 'warning' }))).toBe(print);
      expect(fingerprintOf(config({}, { n: 1, maxColumns: 9, completeness: 'off' }))).toBe(print);
    });
  });
});

describe('asked', () => {
  const config = ({ api = {}, settings = {}, job = {}, child = {} }: Record<string, JsonObject>): Json => ({
    api: { baseUrl: 'https://api.example/', http: { headers: { 'X-Account': 'eu' } }, ...api },
    config: {
      account: 7,
      jobs: [
        {
          endpoint: 'users',
          params: { per_page: 50, status: 'open' },
          ...job,
          children: [{ endpoint: 'users/{id}/orders', placeholders: { id: 'id' }, ...child }],
        },
      ],
      ...settings,
    },
  });
  const JOB = 'config.jobs[0]';
  const CHILD = 'config.jobs[0].children[0]';

  describe.each<[string, (document: Json) => string]>([
    ['a configuration', askedBy],
    ['a job', (document) => askedByJob(document, JOB)],
    ['a child', (document) => askedByJob(document, CHILD)],
  ])('what %s asks', (what, asks) => {
    const plain = asks(config({}));

    it.each<[string, Json]>([
      ['page sizes', config({ job: { params: { per_page: 100, status: 'open' } } })],
      ['the pagination', config({ api: { pagination: { method: 'offset', limit: 10 } } })],
      ['retries', config({ api: { retryConfig: { maxRetries: 2 } } })],
      ['limits', config({ api: { http: { headers: { 'X-Account': 'eu' }, maxRequests: 2, requestTimeout: 5 } } })],
      ['secrets', config({ api: { '#token': 'x' } })],
      ['comments', config({ job: { '//': 'all of them' } })],
      [
        'what becomes of the items',
        config({ settings: { sinks: ['csv:x'], load: 'append', primaryKeys: { users: 'id' } } }),
      ],
      ['what becomes of the items of a job', config({ job: { load: 'merge', primaryKey: 'id', nested: 'json' } })],
    ])('does not change with %s', (_, other) => {
      expect(asks(other)).toBe(plain);
      expect(asks({ parameters: other })).toBe(plain);
    });

    it.each<[string, Json]>([
      ['the address', config({ api: { baseUrl: 'https://api.example/v2/' } })],
      ['a header', config({ api: { http: { headers: { 'X-Account': 'us' } } } })],
      ['a login', config({ api: { authentication: { type: 'basic' } } })],
      ['an attribute', config({ settings: { account: 8 } })],
      ['a filter', config({ job: { params: { per_page: 50, status: 'all' } } })],
      ['a parameter that only looks like a page size', config({ job: { params: { status: 'open', limit: 'none' } } })],
      ['the endpoint', config({ job: { endpoint: 'people' } })],
      ['the table', config({ job: { tableName: 'people' } })],
      ['the field that it goes by', config({ job: { incremental: { field: 'changed', param: 'since' } } })],
    ])('changes with %s', (_, other) => {
      expect(asks(other)).not.toBe(plain);
    });

    it('changes with a child only where it is that', () => {
      const other = asks(config({ child: { params: { status: 'paid' } } }));
      expect(other === plain).toBe(what === 'a job');
    });
  });

  describe('what a job asks', () => {
    it('is the same beside other jobs', () => {
      const document = config({}) as { config: { jobs: Json[] } };
      const before = askedByJob(document, JOB);
      document.config.jobs.push({ endpoint: 'other' });
      expect(askedByJob(document as unknown as Json, JOB)).toBe(before);
      expect(askedByJob(document as unknown as Json, 'config.jobs[1]')).not.toBe(before);
    });

    it('does not depend on its id', () => {
      expect(askedByJob(config({ job: { id: 'u' } }), JOB)).toBe(askedByJob(config({}), JOB));
    });
  });
});
