/** Which parts of a request are secrets, and how a configuration refers to them. */
import { configurationOf } from '../../../src/explore/detect/configuration';
import { subjectOf, type WrittenRequest } from '../../../src/explore/detect/subject';

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

  const HEX = '8f3e9c1ab2774d0fa1b2c3d4e5f60718';
  const JWT = 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl';
  const TOKENS = [
    ['hexadecimal digits', HEX],
    ['a JWT', JWT],
    ['base64url', 'kT3vQ9-xL0aZr7_mW2sYb8Nc'],
    ['base64', 'abcdEFGH1234+/abcdEFGH1234=='],
    ['lower-case letters and digits', 'k3j4h5g6f7d8s9a1q2w3e4r5'],
    ['parts that are joined by a dot', 'joe.8f3e9c1ab2774d0fa1b2c3d4e5f60718'],
    ...['sk_live_abcdefghijklmnop', 'shpat_abcdefghijklmnop', 'ghp_abcdefghijklmnopqrst', 'xoxb-abcdef-ghijkl-mnop']
      .concat(['glpat-abcdefghijklmnop', 'AKIAIOSFODNNEXAMPLEA', 'github_pat_abcdefghijklmnop'])
      .map((token) => ['the prefix of tokens', token] as const),
  ] as const;

  it.each(TOKENS)('takes out a value of %s, whatever its name: %s', (_, token) => {
    const sent = JSON.stringify({ k: token, list: [{ w: [token] }], river: 'ALD' });
    for (const request of [
      { headers: { 'X-Thing': token } },
      { url: `https://h.example/ships?k=${encodeURIComponent(token)}&river=ALD` },
      { method: 'POST' as const, body: sent },
      { method: 'POST' as const, body: `k=${encodeURIComponent(token)}&river=ALD` },
    ]) {
      const text = written(request);
      expect(text).not.toContain(token);
      expect(text).toMatch(/"env":"API_(?:THING|K|W)"/);
    }
  });

  it.each([
    ['Bearer', 'short'],
    ['Bearer', JWT],
    ['bearer', HEX],
    ['Basic', 'dXNlcjpwYXNzd29yZDEyMw=='],
    ['Token', 'sesame'],
    ['ApiKey', 'sesame'],
  ])('takes out the value behind %s %s in any header, and leaves its scheme', (scheme, token) => {
    const text = written({ headers: { 'X-Thing': `${scheme} ${token}` } });
    expect(text).not.toContain(token);
    expect(text).toContain(`"x-thing":{"function":"concat","args":["${scheme} ",{"attr":"#thing"}]}`);
  });

  it.each([
    'sort=created_at_descending_nulls_last_2',
    'cluster=production-eu-west-1-cluster-a',
    'account=550e8400-e29b-41d4-a716-446655440000',
    'since=2026-01-02T03:04:05.678Z',
    'q=basic%20training',
    'fields=id,name,river,updatedAt,lastPosition2,homeHarbour',
    'bbox=12.345678,56.789012,13.345678,57.789012',
    'view=AllShipsOfTheNorthernRivers',
    `cursor=${HEX}`,
    `page_token=${JWT}`,
    'page[after]=kT3vQ9-xL0aZr7_mW2sYb8Nc',
    'continuation=kT3vQ9-xL0aZr7_mW2sYb8Nc',
  ])('leaves the parameter %s', (pair) => {
    const { url, credentials } = subjectOf({ method: 'GET', url: `https://h.example/ships?${pair}`, headers: {} });
    expect(credentials).toEqual([]);
    expect(url).toContain(pair);
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
