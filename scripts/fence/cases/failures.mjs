/** Runs that fail, nearly fail, or are led elsewhere. */
import { ids, json, reset, silence, slice, text } from '../answers.mjs';
import { PLAIN } from '../columns.mjs';

const LIBRARY = [...PLAIN, 'extract', 'deliver'];

const once = { maxRetries: 1 };

/** Pages of two ships; `answer` may give another answer than the page. */
const failing = (name, answer, { api = {}, job = {}, ...more } = {}) => ({
  name: `fail-${name}`,
  config: {
    api: { pagination: { method: 'offset', limit: 2 }, retryConfig: once, ...api },
    config: { jobs: [{ endpoint: 'ships', ...job }] },
  },
  answer: (request) => answer(request) ?? json(slice(ids(1, 5), request)),
  to: ['stdout', 'duckdb'],
  ...more,
});

const second = ({ query }) => query.offset === '2';
const firstTime = ({ memory }, what) => {
  const isFirst = memory[what] === undefined;
  memory[what] = true;
  return isFirst;
};

const broken = (status, headers) => json({ error: 'sorry' }, { status, headers });

export const failures = [
  failing('404', (request) => (second(request) ? broken(404) : undefined), { to: LIBRARY }),
  failing('500', (request) => (second(request) ? broken(500) : undefined), { to: LIBRARY }),
  failing('500-once', (request) => (second(request) && firstTime(request, '500') ? broken(500) : undefined), {
    to: LIBRARY,
  }),
  failing('retry-after', (request) =>
    second(request) && firstTime(request, '429') ? broken(429, { 'retry-after': '1' }) : undefined,
  ),
  failing('retry-after-hours', (request) => (second(request) ? broken(429, { 'retry-after': '7200' }) : undefined)),
  failing('malformed', (request) => (second(request) ? text('[{"id":3},{"id', 'application/json') : undefined), {
    to: LIBRARY,
  }),
  failing('page-of-html', (request) => (second(request) ? text('<html>Login</html>', 'text/html') : undefined)),
  failing('timeout', (request) => (second(request) ? silence : undefined), {
    api: { http: { requestTimeout: 1 } },
    to: LIBRARY,
  }),
  failing('reset', (request) => (second(request) ? reset : undefined), { to: LIBRARY }),
  failing('reset-once', (request) => (second(request) && firstTime(request, 'reset') ? reset : undefined)),
  failing('error-in-body', (request) => (second(request) ? json({ error: 'no such river' }) : undefined)),
  failing('error-in-first-body', () => json({ ok: false, error: 'no such river' }), { to: LIBRARY }),
  failing('total', (request) => json({ total: 9, rows: slice(ids(1, 5), request) }), {
    job: { dataField: 'rows', total: 'total' },
    to: [...LIBRARY, 'csv', 'sqlite'],
  }),
  failing('total-accepted', (request) => json({ total: 9, rows: slice(ids(1, 5), request) }), {
    job: { dataField: 'rows', total: 'total' },
    options: ['--accept-incomplete'],
  }),
  failing('next-page-not-taken', () => json({ rows: ids(1, 1), next: '/ships?page=2' }), {
    job: { dataField: 'rows' },
  }),
  failing('page-repeated', () => json(ids(1, 2))),
  failing('data-not-found', (request) => json({ rows: slice(ids(1, 5), request) }), { job: { dataField: 'items' } }),
  failing('filter-field', () => undefined, { job: { filter: 'statsu==open' }, to: LIBRARY }),
  failing('second-job', ({ path }) => (path === '/ports' ? broken(403) : undefined), {
    config: {
      api: { pagination: { method: 'offset', limit: 2 } },
      config: { jobs: [{ endpoint: 'ships' }, { endpoint: 'ports' }] },
    },
    to: LIBRARY,
  }),
  failing(
    'child',
    ({ path }) => (path === '/ships/3' ? broken(404) : path === '/ships' ? undefined : json({ d: path })),
    {
      job: { children: [{ endpoint: 'ships/{id}', dataField: '.', dataType: 'details', placeholders: { id: 'id' } }] },
      to: LIBRARY,
    },
  ),
  failing(
    'child-skipped',
    ({ path }) => (path === '/ships/3' ? broken(404) : path === '/ships' ? undefined : json({ d: path })),
    {
      api: { http: { rules: [{ when: { status: 404 }, do: 'skip' }] } },
      job: { children: [{ endpoint: 'ships/{id}', dataField: '.', dataType: 'details', placeholders: { id: 'id' } }] },
    },
  ),
  failing('ignored', (request) => (second(request) ? json([], { status: 404 }) : undefined), {
    api: { http: { ignoreErrors: [404] } },
  }),
  failing('invalid', () => undefined, {
    config: { api: { pagination: { method: 'ofset' } }, config: { jobs: [{ endpoint: 'ships', method: 'PSOT' }] } },
    to: LIBRARY,
  }),
  failing('not-json', () => undefined, { config: () => '{"api": {', to: ['stdout'] }),
  failing('mistaken-key', () => undefined, { job: { dataFeild: '.' }, to: LIBRARY }),
  failing('unknown-key', () => undefined, { job: { wombat: 1 }, to: LIBRARY }),
  failing('unknown-key-strict', () => undefined, { job: { wombat: 1 }, options: ['--strict'] }),
  failing('unset-variable', () => undefined, { job: { params: { key: { env: 'RIVER_KEY' } } } }),
  failing('no-jobs', () => undefined, { config: { api: {}, config: { jobs: [] } }, to: LIBRARY }),
  failing('redirect', ({ path, query }) =>
    path === '/ships'
      ? json({}, { status: 302, headers: { location: `/v2/ships?limit=${query.limit}&offset=${query.offset}` } })
      : undefined,
  ),
  failing('redirect-elsewhere', () =>
    json({}, { status: 302, headers: { location: 'http://elsewhere.example/ships' } }),
  ),
  failing('next-page-elsewhere', () => json({ rows: ids(1, 1), next: 'http://elsewhere.example/ships' }), {
    api: { pagination: { method: 'response.url', urlKey: 'next' } },
    job: { dataField: 'rows' },
  }),
  failing(
    'cookies',
    (request) => json(slice(ids(1, 5), request), { headers: { 'set-cookie': `seen=${request.nth}; Path=/` } }),
    {
      api: { http: { cookies: true } },
    },
  ),
  failing('headers', () => undefined, {
    config: {
      api: {
        http: {
          headers: { 'Accept-Language': 'en', 'X-Client': { attr: 'client' } },
          defaultOptions: { headers: { Accept: 'application/json' }, params: { per_page: 5 } },
          requiredHeaders: ['X-Team'],
        },
      },
      config: {
        client: 'river-watch',
        http: { headers: { 'X-Team': 'water', 'accept-language': 'cs' } },
        jobs: [
          { endpoint: 'ships', headers: { Accept: 'application/vnd.rivers+json' } },
          { endpoint: 'find', method: 'POST', params: { q: 'weir' } },
          { endpoint: 'form', method: 'FORM', params: { q: 'weir', list: [1, 2] } },
        ],
      },
    },
  }),
  failing('rate-limit', () => undefined, { api: { http: { rateLimit: { requests: 2, seconds: 0.5 } } } }),
];
