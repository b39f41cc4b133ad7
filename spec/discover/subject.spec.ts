/** Which parts of a request are secrets, and how a configuration refers to them. */
import { configurationOf } from '../../src/discover/configuration';
import { subjectOf, type WrittenRequest } from '../../src/discover/subject';

const SECRET = 'ck_4f1d9b2a7e';
const written = (request: Partial<WrittenRequest>): string =>
  JSON.stringify(
    configurationOf({ subject: subjectOf({ method: 'GET', url: 'https://h.example/ships', headers: {}, ...request }) }),
  );

describe('subjectOf', () => {
  it.each([
    'access_key',
    'consumer_key',
    'consumer_secret',
    'token_auth',
    'X-Amz-Signature',
    'credential',
    'api_secret',
  ])('takes the parameter %s out', (name) => {
    const text = written({ url: `https://h.example/ships?${name}=${SECRET}&river=ALD` });
    expect(text).not.toContain(SECRET);
    expect(text).toContain(`"authentication":{"type":"apiKey","name":"${name}","key":{"env":"API_`);
    expect(text).toContain('"params":{"river":"ALD"}');
  });

  it.each(['X-Master-Key', 'X-Functions-Key', 'DD-APPLICATION-KEY', 'Proxy-Authorization', 'X-Auth'])(
    'takes the header %s out',
    (name) => {
      const text = written({ headers: { [name]: SECRET, 'X-Region': 'north' } });
      expect(text).not.toContain(SECRET);
      expect(text).toContain('"x-region":"north"');
    },
  );

  it.each([
    ['X-Tok', 'sekrit-value-1'],
    ['X-Shop', SECRET],
  ])('takes out the header %s, whose value looks like a credential', (name, value) => {
    const text = written({ headers: { [name]: value } });
    expect(text).not.toContain(value);
    expect(text).toContain('"env":"API_');
  });

  it.each([
    ['Accept', 'application/vnd.github.v3+json'],
    ['X-Api-Version', 'v2026-01-01'],
    ['X-Requested-With', 'XMLHttpRequest2'],
    ['X-Region', 'north'],
    ['X-Client-Type', 'web-2026-01'],
  ])('leaves the header %s', (name, value) => {
    expect(written({ headers: { [name]: value } })).toContain(value);
  });

  it('takes out a header whose value has a scheme', () => {
    expect(written({ headers: { 'Proxy-Authorization': `Basic ${SECRET}` } })).not.toContain(SECRET);
  });

  it('takes out a header whose value is an address with a secret', () => {
    expect(written({ headers: { 'X-Original-Url': `https://h.example/?access_token=${SECRET}` } })).not.toContain(
      SECRET,
    );
  });

  it.each([
    ['JSON', JSON.stringify({ auth: [{ apiKey: SECRET }], river: 'ALD' })],
    ['a form', `client_secret=${SECRET}&river=ALD`],
  ])('takes the secrets out of a body of %s', (_, body) => {
    const text = written({ method: 'POST', body });
    expect(text).not.toContain(SECRET);
    expect(text).toMatch(/"(?:body|params)":\{.*\{"attr":"#(?:apiKey|clientSecret)"\}.*"river":"ALD"/);
  });

  it('keeps what pages are asked for by', () => {
    expect(written({ url: `https://h.example/ships?page_token=${SECRET}&sort_key=name` })).toContain(
      `"params":{"page_token":"${SECRET}","sort_key":"name"}`,
    );
  });

  it.each([
    ['a token and a header of that name', { headers: { authorization: 'Bearer a1b2c3d4', 'x-token': SECRET } }],
    ['a key and a key of the API', { url: 'https://h.example/ships?key=a1b2c3d4', headers: { 'x-api-key': SECRET } }],
    ['two passwords', { url: `https://me:a1b2c3d4@h.example/ships?password=${SECRET}` }],
  ])('has a variable for each of %s', (_, request) => {
    const variables = [...written(request).matchAll(/"env":"(\w+)"/g)].map(([, name]) => name);
    expect(variables).toHaveLength(2);
    expect(new Set(variables).size).toBe(2);
  });

  it('has one variable for a secret that stands twice', () => {
    const { credentials } = subjectOf({
      method: 'GET',
      url: `https://h.example/ships?token=${SECRET}`,
      headers: { 'x-token': SECRET },
    });
    expect(new Set(credentials.map((each) => ('attribute' in each ? each.attribute : ''))).size).toBe(1);
  });
});
