import { RefusedRequest } from '../../src/studio/replies';
import { createMask } from '../../src/studio/mask';

const JSON_TEXT = `{
  // the token is k-71f-secret-93
  "api": { "baseUrl": "https://ann:pass-word-4@api.example/v1" },
  "config": {
    "#token": "k-71f-secret-93",
    "#pin": 7,
    "#quoted": "a\\"b\\\\c-0-d",
    "note": "Bearer k-71f-secret-93",
    "encoded": "ay03MWYtc2VjcmV0LTkz",
    "limit": 7,
    "jobs": [{ "endpoint": "rivers", "params": { "#key": { "deep": "inner-secret-1" } } }]
  }
}
`;
const YAML_TEXT = `api:
  baseUrl: https://api.example
config:
  "#token": k-71f-secret-93 # k-71f-secret-93
  "#pem": |
    first-line-of-it
    second-line-of-it
  jobs:
    - endpoint: rivers
      params: { '#key': 'x-y-z-1' }
`;
const SECRETS = ['k-71f-secret-93', 'pass-word-4', 'inner-secret-1', 'a\\"b', 'ay03MWYtc2VjcmV0LTkz'];

describe('the veil of the studio', () => {
  it('hides each secret of a JSON text, also in comments and in other forms, and gives back the same bytes', () => {
    const veil = createMask();
    const covered = veil.cover(JSON_TEXT, 'json');
    for (const secret of SECRETS) expect(covered).not.toContain(secret);
    expect(covered).toContain('"#pin": "⟨secret');
    expect(covered).toContain('"limit": 7');
    expect(veil.uncover(covered, 'json')).toBe(JSON_TEXT);
  });

  it('hides each secret of a YAML text, and gives back the same bytes', () => {
    const veil = createMask();
    const covered = veil.cover(YAML_TEXT, 'yaml');
    for (const secret of ['k-71f', 'first-line', 'second-line', 'x-y-z-1']) expect(covered).not.toContain(secret);
    expect(veil.uncover(covered, 'yaml')).toBe(YAML_TEXT);
  });

  it('keeps secrets with their placeholders when keys are renamed, jobs move, and values are copied', () => {
    const veil = createMask();
    const covered = veil.cover('{"a": {"#one": "first-1"}, "b": {"#two": "second-2"}}', 'json');
    const [, one = '', two = ''] = /"(⟨secret \d+⟩)".*"(⟨secret \d+⟩)"/.exec(covered) ?? [];
    const moved = `{"b": {"#second": "${two}", "#again": "${two}"}, "c": {"#renamed": "${one}"}}`;
    const saved = '{"b": {"#second": "second-2", "#again": "second-2"}, "c": {"#renamed": "first-1"}}';
    expect(veil.uncover(moved, 'json')).toBe(saved);
  });

  it('goes on hiding a secret whose key is no longer one of a secret', () => {
    const veil = createMask();
    const renamed = veil.cover('{"#token": "k-71f-secret-93"}', 'json').replace('#token', 'token');
    const saved = veil.uncover(renamed, 'json');
    expect(saved).toBe('{"token": "k-71f-secret-93"}');
    expect(veil.cover(saved, 'json')).not.toContain('k-71f');
  });

  it('puts the value inside of a longer string where the placeholder stands there', () => {
    const veil = createMask();
    const covered = veil.cover('{"#token": "a\\"b-c-1"}', 'json').replace(/"(⟨.*⟩)"/, '"Bearer $1!"');
    expect(veil.uncover(covered, 'json')).toBe('{"#token": "Bearer a\\"b-c-1!"}');
  });

  it('writes a scalar of several lines in one where its indentation would not fit', () => {
    const veil = createMask();
    veil.cover(YAML_TEXT, 'yaml');
    const pem = /"#pem": ("⟨secret \d+⟩")/.exec(veil.cover(YAML_TEXT, 'yaml'))?.[1] ?? '';
    expect(veil.uncover(`list: [${pem}]`, 'yaml')).toBe('list: ["first-line-of-it\\nsecond-line-of-it\\n"]');
  });

  it.each(['{"#token": "⟨secret 99⟩"}', '{"#token": "⟨secret 1"}', '{"#token": "secret 1⟩"}', '{"a": "⟨secret one⟩"}'])(
    'refuses a placeholder that is none of its own: %s',
    (text) => {
      const veil = createMask();
      veil.cover('{"#token": "k-71f-secret-93"}', 'json');
      expect(() => veil.uncover(text, 'json')).toThrow(RefusedRequest);
    },
  );

  it.each([
    ['json', '{"config": {"#token": "k-71f-secret-93", "jobs": [ }'],
    ['json', '{"config": {"#token": "k-71f-secret-93'],
    ['json', 'api: {"#token": k-71f-secret-93'],
    ['yaml', 'a: [\n"#token": k-71f-secret-93\n'],
  ] as const)('hides secrets of a %s text that is broken: %s', (language, text) => {
    const veil = createMask();
    const covered = veil.cover(text, language);
    expect(covered).not.toContain('k-71f');
    expect(veil.uncover(covered, language)).toBe(text);
  });

  it('masks what it knows in all that leaves', () => {
    const veil = createMask();
    veil.cover(JSON_TEXT, 'json');
    const masked = veil.masked({ 'k-71f-secret-93': ['x k-71f-secret-93', 7, { deep: 'k-71f-secret-93' }] });
    expect(masked).toEqual({ '***': ['x ***', 7, { deep: '***' }] });
  });

  it.each([
    ['json', '{"config": {"#token": {"env": "RIVERS_TOKEN"}}}'],
    ['yaml', 'config:\n  "#token": { file: /run/secrets/rivers }\n'],
    ['yaml', 'config:\n  "#token":\n    env: RIVERS_TOKEN\n'],
  ] as const)('shows where a secret is kept, in %s', (language, text) => {
    expect(createMask().cover(text, language)).toBe(text);
  });
});
