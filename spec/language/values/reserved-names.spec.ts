import { configuration, warnings } from '../configuration/support';

const warningsIn = (config: Record<string, unknown>) => warnings(configuration({}, config));

describe('user attributes', () => {
  it('language 1.4: attributes of any name give no warning', () => {
    const attributes = {
      '#token': 't',
      job: 'developer',
      https: true,
      host: 'h',
      user: { name: 'n' },
      userdate: '2020-01-01',
      mapping: 'x',
      api: 'key',
      config: { a: 1 },
      pagination: 5,
      iterations: 3,
      debugger: 1,
      ids: [1, 2],
      headers: { A: 'b' },
      username: 'u',
      user_name: 'u',
      output: 'o',
      bucket: 'b',
      limit: 10,
      cache: 'none',
      stream: false,
    };
    expect(warningsIn(attributes)).toEqual([]);
  });

  it.each([
    ['job', [{ endpoint: 'a' }], 'jobs'],
    ['Jobs', [{ endpoint: 'a' }], 'jobs'],
    ['outputbucket', 'b', 'outputBucket'],
    ['output_bucket', 'b', 'outputBucket'],
    ['incrementaloutput', true, 'incrementalOutput'],
    ['mapping', { a: 'b' }, 'mappings'],
    ['userdata', { a: 'b' }, 'userData'],
    ['Http', { headers: {} }, 'http'],
    ['compat_level', 2, 'compatLevel'],
  ])('language 1.3: %s looks like a reserved key', (key, value, meant) => {
    expect(warningsIn({ [key]: value })).toEqual([`config.${key}: is only a user attribute; did you mean "${meant}"?`]);
  });

  it.each([
    ['iterations', [{ a: 1 }], 'the root, beside api and config'],
    ['api', { baseUrl: 'https://h.example' }, 'the root, beside api and config'],
    ['pagination', { method: 'offset' }, 'api'],
    ['authentication', { type: 'basic' }, 'api'],
    ['aws', { signature: {} }, 'the root, beside api and config'],
    ['cache', true, 'the root, beside api and config'],
    ['cache', { ttl: 3600 }, 'the root, beside api and config'],
    ['stopWhenEmpty', true, 'api.pagination'],
  ])('language 1.5: %s inside config belongs elsewhere', (key, value, place) => {
    expect(warningsIn({ [key]: value })).toEqual([
      `config.${key}: has no effect here, but as a user attribute; it belongs to ${place}`,
    ]);
  });
});
