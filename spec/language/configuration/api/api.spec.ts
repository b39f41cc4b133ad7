import { configuration, faults, run, warnings } from '../support';

describe('api', () => {
  it('language 2.6: takes certificates; null and empty text are absent', () => {
    const { api } = run(configuration({ caCertificate: 'CA', '#clientCertificate': 'CLIENT' }));
    expect(api).toMatchObject({ caCertificate: 'CA', clientCertificate: 'CLIENT' });
    const { api: without } = run(configuration({ caCertificate: null, '#clientCertificate': '' }));
    expect(without).not.toHaveProperty('caCertificate');
    expect(without).not.toHaveProperty('clientCertificate');
  });

  it.each([false, 0, [], {}, 5])('language 2.6: refuses %j as a certificate', (caCertificate) => {
    expect(faults(configuration({ caCertificate }))[0]).toMatch(
      /^api\.caCertificate: expected a certificate as a PEM string/,
    );
  });

  it('language 2.1: name defaults to generic', () => {
    expect(run(configuration({ name: '' })).api.name).toBe('generic');
    expect(run(configuration({ name: 'shop' })).api.name).toBe('shop');
  });

  it.each([
    [{ pagnation: {} }, 'api.pagnation: has no effect: unknown key; did you mean "pagination"?'],
    [{ Http: {} }, 'api.Http: has no effect: unknown key; did you mean "http"?'],
    [{ headers: {} }, 'api.headers: has no effect here; it belongs to api.http, or to api.authentication, or to a job'],
    [{ jobs: [] }, 'api.jobs: has no effect here; it belongs to config'],
    [
      { 'pagination.method': 'offset' },
      'api["pagination.method"]: has no effect: a key is one name, not a path; did you mean "method" inside "pagination"?',
    ],
    [{ title: 'x' }, 'api.title: has no effect: unknown key'],
    [{ constructor: 'x' }, 'api.constructor: has no effect: unknown key'],
  ])('language 1.2: warns about %j', (more, warning) => {
    expect(warnings(configuration(more))).toEqual([warning]);
  });

  it('language 4.3: api.query is deprecated where it is used, and without effect elsewhere', () => {
    expect(warnings(configuration({ query: { k: 'v' }, authentication: { type: 'query' } }))).toEqual([
      'api.query: deprecated: write it as api.authentication.query',
    ]);
    expect(warnings(configuration({ query: { k: 'v' } }))[0]).toMatch(/^api\.query: has no effect here/);
    expect(warnings(configuration({ query: [] }))).toEqual([]);
  });
});
