import { validate } from '../../src';
import type { JsonObject } from '../../src';

const warningsOf = (pagination: JsonObject, job: JsonObject): readonly { path: string; message: string }[] => [
  ...validate({
    api: { baseUrl: 'http://api.test', pagination },
    config: { jobs: [{ endpoint: 'ships', ...job }] },
  }).warnings,
];

describe('docs/language/pagination/response.param.md: parameters that later requests lack', () => {
  const token = { method: 'response.param', responseParam: 'next', queryParam: 'token' };
  const params = { flag: 'NO', kind: 'cargo' };

  it('are named, where nothing says that this is meant', () => {
    expect(warningsOf(token, { params })).toEqual([
      { path: 'config.jobs[0].params', message: expect.stringMatching(/flag, kind.*"includeParams": true/) as string },
    ]);
    const many = { method: 'multiple', scrollers: { all: token } };
    expect(warningsOf(many, { params, scroller: 'all' })).toHaveLength(1);
    expect(warningsOf(many, { params })).toEqual([]);
  });

  it.each<[string, JsonObject, JsonObject]>([
    ['includeParams is true', { ...token, includeParams: true }, { params }],
    ['includeParams is false', { ...token, includeParams: false }, { params }],
    ['there are none', token, {}],
    ['scrollRequest says what later requests are', { ...token, scrollRequest: { endpoint: 'more' } }, { params }],
    ['the method sends them', { method: 'pagenum' }, { params }],
  ])('are not named where %s', (_, pagination, job) => {
    expect(warningsOf(pagination, job)).toEqual([]);
  });
});

describe('docs/language/pagination.md: a page size beside that of the pagination', () => {
  const reported = (place: string, name: string, value: string): object => ({
    path: `config.jobs[0].${place}`,
    message:
      `${name} is ${value}, and pagination counts by a page size of 100, which it sends as "limit": if the API goes by ${name}, items will ` +
      `be missing. Leave it out, and write "limitParam": "${name}" in the pagination.`,
  });
  const warnings = (pagination: JsonObject, job: JsonObject, params: JsonObject = {}) => [
    ...validate({
      api: { baseUrl: 'http://api.test', pagination, http: { defaultOptions: { params } } },
      config: { jobs: [{ endpoint: 'ships', ...job }] },
    }).warnings,
  ];

  it.each(['pagenum', 'offset'])('is told of: %s', (method) => {
    const pagination = { method, limit: 100 };
    expect(warnings(pagination, { params: { per_page: 15 } })).toEqual([reported('params', 'per_page', '15')]);
    expect(warnings(pagination, { params: { pageSize: '15' } })).toEqual([reported('params', 'pageSize', '15')]);
    expect(warnings(pagination, { endpoint: 'ships?per-page=15&a=b' })).toEqual([
      reported('endpoint', 'per-page', '15'),
    ]);
    expect(warnings(pagination, {}, { maxResults: 50 })).toEqual([
      { ...reported('', 'maxResults', '50'), path: 'config.jobs[0]' },
    ]);
  });

  it.each<[string, JsonObject, JsonObject]>([
    ['it is the same', { limit: 100 }, { params: { per_page: 100 } }],
    ['the pagination has none', {}, { params: { per_page: 15 } }],
    ['the pagination sends it there', { limit: 100, limitParam: 'per_page' }, { params: { per_page: 15 } }],
    ['it is the page size of the job', { limit: 100 }, { params: { limit: 15 } }],
    ['the job and it say the same', { limit: 100 }, { params: { limit: 15, per_page: 15 } }],
    ['its value is computed', { limit: 100 }, { params: { per_page: { function: 'concat', args: ['1', '5'] } } }],
    ['the job has the same as others by default', { limit: 100 }, { params: { max_results: 100 } }],
    ['its name is another', { limit: 100 }, { params: { year: 15 } }],
  ])('is not told of where %s', (_, pagination, job) => {
    expect(warnings({ method: 'pagenum', ...pagination }, job)).toEqual([]);
  });
});

describe('docs/language/jobs.md: a window of which one end is sent', () => {
  const windowed = (endpoint: string, window: JsonObject) =>
    warningsOf({}, { endpoint, window: { from: '2024-01-01', ...window } });

  it.each([
    ['a/{window.from}', { step: '1 week' }, '{window.to}'],
    ['a/{window.to}', { step: '1 day', format: 'unix' }, '{window.from}'],
    ['a/{window.from}', { step: '2 months', format: 'Y-m' }, '{window.to}'],
  ])('is told of: %s of %j', (endpoint, window, missing) => {
    expect(windowed(endpoint, window)).toEqual([
      { path: 'config.jobs[0].window', message: expect.stringContaining(`Send ${missing}`) as string },
    ]);
  });

  it.each([
    ['a/{window.from}', { step: '1 day' }],
    ['a/{window.from}', { step: '1 month', format: 'Y-m' }],
    ['a/{window.from}', { step: '1 hour', format: 'Y-m-d H' }],
    ['a/{window.from}/{window.to}', { step: '1 week' }],
  ])('is not told of where that names it, or both are sent: %s of %j', (endpoint, window) => {
    expect(windowed(endpoint, window)).toEqual([]);
  });
});

describe('docs/security.md: a secret in a column of every row', () => {
  const columns = (userData: JsonObject, job: JsonObject = {}) =>
    validate({
      api: { baseUrl: 'http://api.test' },
      config: { '#token': 'x', account: 'a', userData, jobs: [{ endpoint: 'ships', ...job }] },
    }).warnings;
  const secret = { acc: { function: 'concat', args: [{ attr: '#token' }, '!'] } };

  it('is told of, for the configuration and for a job', () => {
    expect(columns(secret)).toMatchObject([{ path: 'config.userData' }]);
    expect(columns({}, { userData: secret })).toMatchObject([{ path: 'config.jobs[0].userData' }]);
  });

  it('is none where an attribute is no secret', () => {
    expect(columns({ acc: { attr: 'account' } })).toEqual([]);
  });
});
