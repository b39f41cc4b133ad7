/** Templates, what they are evaluated with, and the value that Jinja of Python with `literal_eval` behind it has. */
import type { Json } from '../../../src';
import { JinjaError, JinjaSyntaxError, isJinja, jinjaOf } from '../../../src/language/jinja/jinja';

/** 2024-03-05T12:00:00Z */
const NOW = Date.UTC(2024, 2, 5, 12);

interface Case {
  readonly template: string;
  readonly given?: Readonly<Record<string, Json>>;
  readonly value: Json;
}

const VALUES: Readonly<Record<string, readonly Case[]>> = {
  'texts and literals': [
    { template: 'plain text', value: 'plain text' },
    { template: "{{ '' }}", value: '' },
    { template: '{{ 1 }}', value: 1 },
    { template: "{{ '1' }}", value: 1 },
    { template: "{{ '007' }}", value: '007' },
    { template: "{{ '1.50' }}", value: 1.5 },
    { template: "{{ 'True' }}", value: true },
    { template: "{{ 'true' }}", value: 'true' },
    { template: '{{ none }}', value: null },
    { template: "{{ 'None' }}", value: null },
    { template: '{{ \'[1, "a", True]\' }}', value: [1, 'a', true] },
    { template: '{{ "{\'a\': 1}" }}', value: { a: 1 } },
    { template: "{{ '2024-01-01' }}", value: '2024-01-01' },
    { template: "{{ '1,2' }}", value: [1, 2] },
    { template: "{{ '(1)' }}", value: 1 },
    { template: "{{ '1_000' }}", value: 1000 },
    { template: "{{ '0x1F' }}", value: 31 },
    { template: "{{ '-5' }}", value: -5 },
    { template: "{{ '+5' }}", value: 5 },
    { template: "{{ '1e3' }}", value: 1000.0 },
    { template: "{{ '3j' }}", value: '3j' },
    { template: "{{ '12345678901234567890' }}", value: 12345678901234567890n },
    { template: '{{ \'"quoted"\' }}', value: 'quoted' },
    { template: "{{ \"'a' 'b'\" }}", value: 'ab' },
    { template: "{{ 'a' }}-{{ 'b' }}", value: 'a-b' },
    { template: 'a {{ 1 }} b', value: 'a 1 b' },
    { template: '{{ "it\'s" }}', value: "it's" },
    { template: "{{ [\"it's\", 'a\\nb'] }}", value: ["it's", 'a\nb'] },
    { template: '{# nothing #}x', value: 'x' },
    { template: "{{ 'a' -}}   b", value: 'ab' },
    { template: '{% raw %}{{ x }}{% endraw %}', value: '{{ x }}' },
    { template: "x{{ '\\n' }}", value: 'x\n' },
  ],
  numbers: [
    { template: '{{ 7 // 2 }}', value: 3 },
    { template: '{{ -7 // 2 }}', value: -4 },
    { template: '{{ -7 % 3 }}', value: 2 },
    { template: '{{ 7 / 2 }}', value: 3.5 },
    { template: '{{ 4 / 2 }}', value: 2.0 },
    { template: '{{ 2 ** 10 }}', value: 1024 },
    { template: '{{ 2 + 3 * 4 }}', value: 14 },
    { template: '{{ 9007199254740993 + 1 }}', value: 9007199254740994n },
    { template: '{{ 0.1 + 0.2 }}', value: 0.30000000000000004 },
    { template: '{{ 1e20 }}', value: 1e20 },
    { template: '{{ 0.00001 }}', value: 1e-5 },
    { template: '{{ 1 == 1.0 }}', value: true },
    { template: '{{ True + 1 }}', value: 2 },
    { template: '{{ 5 - -2 }}', value: 7 },
    { template: "{{ 'ab' * 2 }}", value: 'abab' },
    { template: '{{ 1 < 2 < 3 }}', value: true },
    { template: '{{ 1 < 2 > 3 }}', value: false },
    { template: '{{ 7 | float }}', value: 7.0 },
    { template: "{{ '3.7' | int }}", value: 3 },
    { template: "{{ 'x' | int }}", value: 0 },
    { template: "{{ 'x' | int(5) }}", value: 5 },
    { template: '{{ 3.7 | round }}', value: 4.0 },
    { template: '{{ 2.345 | round(2) }}', value: 2.35 },
    { template: '{{ 2.5 | round }}', value: 2.0 },
    { template: '{{ -3 | abs }}', value: 3 },
    { template: "{{ 'a' + 1 }}", value: "{{ 'a' + 1 }}" },
    { template: "{{ 'a' < 1 }}", value: "{{ 'a' < 1 }}" },
  ],
  'names and members': [
    { template: "{{ config['a'] }}", given: { config: { a: 1 } }, value: 1 },
    { template: '{{ config.a }}', given: { config: { a: 1 } }, value: 1 },
    { template: "{{ config.get('b') }}", given: { config: { a: 1 } }, value: null },
    { template: "{{ config.get('b', 'c') }}", given: { config: { a: 1 } }, value: 'c' },
    { template: "{{ config['b'] }}", given: { config: { a: 1 } }, value: '' },
    { template: "{{ config['b'] is defined }}", given: { config: { a: 1 } }, value: false },
    { template: "{{ config['b'] or 'x' }}", given: { config: { a: 1 } }, value: 'x' },
    { template: "{{ response['items'] is defined }}", given: { response: { a: 1 } }, value: true },
    { template: "{{ response['items'] }}", given: { response: { items: [1] } }, value: [1] },
    { template: '{{ response.items is callable }}', given: { response: { items: [1] } }, value: true },
    { template: '{{ response.count }}', given: { response: { count: 4 } }, value: 4 },
    { template: '{{ response.values() | list }}', given: { response: { a: 1, b: 2 } }, value: [1, 2] },
    { template: '{{ record.a.b[0].c }}', given: { record: { a: { b: [{ c: 'x' }] } } }, value: 'x' },
    { template: "{{ record['a'][-1] }}", given: { record: { a: [1, 2, 3] } }, value: 3 },
    { template: "{{ record['a'][1:] }}", given: { record: { a: [1, 2, 3] } }, value: [2, 3] },
    { template: "{{ record['a'][::-1] }}", given: { record: { a: [1, 2, 3] } }, value: [3, 2, 1] },
    { template: "{{ 'abcdef'[1:3] }}", value: 'bc' },
    { template: "{{ 'abcdef'[-2:] }}", value: 'ef' },
    { template: "{{ record['a'][5] }}", given: { record: { a: [1, 2, 3] } }, value: '' },
    { template: '{{ record.a.b is defined }}', given: { record: { a: {} } }, value: false },
    { template: "{{ 'a' in record }}", given: { record: { a: {} } }, value: true },
    { template: "{{ 'b' not in record }}", given: { record: { a: {} } }, value: true },
    { template: "{{ 'bc' in 'abcd' }}", value: true },
    { template: '{{ 2 in [1, 2] }}', value: true },
    { template: "{{ record.keys() | join(',') }}", given: { record: { a: 1, b: 2 } }, value: 'a,b' },
    { template: "{{ {'a': 1, 'b': [2]} }}", value: { a: 1, b: [2] } },
    { template: "{{ (1, 'a') }}", value: [1, 'a'] },
    { template: '{{ (1,) }}', value: [1] },
    { template: "{{ {'a': 1}['a'] }}", value: 1 },
    { template: "{{ record.update({'b': 2}) or record }}", given: { record: { a: 1 } }, value: { a: 1, b: 2 } },
  ],
  conditions: [
    { template: "{{ 'a' if config.x else 'b' }}", given: { config: { x: true } }, value: 'a' },
    { template: "{{ 'a' if config.x else 'b' }}", given: { config: {} }, value: 'b' },
    { template: "{{ 'a' if config.x }}", given: { config: {} }, value: '' },
    { template: '{{ not config.x }}', given: { config: {} }, value: true },
    { template: '{{ config.x and config.y }}', given: { config: { x: 0, y: 1 } }, value: 0 },
    { template: "{{ none or [] or {} or 0 or 'end' }}", value: 'end' },
    { template: '{{ config.x == none }}', given: { config: { x: null } }, value: true },
    { template: '{{ config.x is none }}', given: { config: { x: null } }, value: true },
    { template: '{{ config.x is not none }}', given: { config: { x: 1 } }, value: true },
    { template: '{{ config.x is false }}', given: { config: { x: false } }, value: true },
    { template: '{{ config.x is string }}', given: { config: { x: 'a' } }, value: true },
    { template: '{{ config.x is mapping }}', given: { config: { x: {} } }, value: true },
    { template: '{{ config.x is iterable }}', given: { config: { x: [] } }, value: true },
    { template: '{{ 4 is divisibleby 2 }}', value: true },
    { template: '{{ 3 is odd }}', value: true },
    { template: '{{ 3 is sameas 3 }}', value: true },
    { template: '{{ 3 is in [1, 3] }}', value: true },
    { template: '{{ 1 is eq 1 }}', value: true },
    { template: '{{ config.x is number }}', given: { config: { x: 1.5 } }, value: true },
    { template: '{{ not 1 == 2 }}', value: true },
  ],
  statements: [
    {
      template: '{% if config.x %}a{% elif config.y %}b{% else %}c{% endif %}',
      given: { config: { y: 1 } },
      value: 'b',
    },
    { template: '{% if config.x %}a{% endif %}', given: { config: {} }, value: '' },
    { template: '{% for i in [1, 2, 3] %}{{ i }}{% if not loop.last %}-{% endif %}{% endfor %}', value: '1-2-3' },
    { template: '{% for i in config.x %}{{ i }}{% else %}none{% endfor %}', given: { config: {} }, value: 'none' },
    {
      template: '{% for k, v in config.items() %}{{ k }}={{ v }};{% endfor %}',
      given: { config: { a: 1, b: 2 } },
      value: 'a=1;b=2;',
    },
    { template: '{% for i in [1, 2, 3, 4] if i is even %}{{ loop.index }}{% endfor %}', value: 12 },
    { template: '{% set x = 5 %}{{ x + 1 }}', value: 6 },
    { template: '{% set a, b = [1, 2] %}{{ a }}{{ b }}', value: 12 },
    { template: '{% set x = 1 %}{% for i in [1] %}{% set x = 2 %}{% endfor %}{{ x }}', value: 1 },
    { template: '{% set x %}ab{% endset %}{{ x | upper }}', value: 'AB' },
    { template: "{% set l = [] %}{% for i in [1, 2] %}{{ l.append(i * 2) or '' }}{% endfor %}{{ l }}", value: [2, 4] },
    { template: '{% for i in 5 %}{% endfor %}', value: '{% for i in 5 %}{% endfor %}' },
  ],
  'methods of texts': [
    { template: "{{ 'a,b,c'.split(',') }}", value: ['a', 'b', 'c'] },
    { template: "{{ 'a b  c'.split() }}", value: ['a', 'b', 'c'] },
    { template: "{{ 'a,b,c'.split(',', 1) }}", value: ['a', 'b,c'] },
    { template: "{{ 'a/b/c'.rsplit('/', 1)[0] }}", value: 'a/b' },
    { template: "{{ ' a '.strip() }}", value: 'a' },
    { template: "{{ 'xxaxx'.strip('x') }}", value: 'a' },
    { template: "{{ 'a/'.rstrip('/') }}", value: 'a' },
    { template: "{{ 'a-b-c'.replace('-', '_') }}", value: 'a_b_c' },
    { template: "{{ 'a-b-c'.replace('-', '_', 1) }}", value: 'a_b-c' },
    { template: "{{ 'Ab'.lower() + 'Ab'.upper() }}", value: 'abAB' },
    { template: "{{ 'hello world'.title() }}", value: 'Hello World' },
    { template: "{{ 'https://x'.startswith('https') }}", value: true },
    { template: "{{ 'a.b'.endswith(('.b', '.c')) }}", value: true },
    { template: "{{ ','.join(['a', 'b']) }}", value: 'a,b' },
    { template: "{{ ','.join([1, 2]) }}", value: "{{ ','.join([1, 2]) }}" },
    { template: "{{ ','.join(config.x) }}", given: { config: {} }, value: '' },
    { template: "{{ '{}-{}'.format('a', 1) }}", value: 'a-1' },
    { template: "{{ '%s-%03d' % ('a', 7) }}", value: 'a-007' },
    { template: "{{ '7'.zfill(3) ~ '!' }}", value: '007!' },
    { template: "{{ 'abc'.find('c') }}", value: 2 },
    { template: "{{ '12'.isdigit() }}", value: true },
    { template: "{{ 'a-b'.partition('-') }}", value: ['a', '-', 'b'] },
    { template: "{{ 1 ~ 'a' ~ none }}", value: '1aNone' },
  ],
  filters: [
    { template: '{{ [3, 1, 2] | sort }}', value: [1, 2, 3] },
    { template: "{{ [1, 2] | join('-') ~ '' }}", value: '1-2' },
    { template: "{{ [{'a': 1}, {'a': 2}] | map(attribute='a') | list }}", value: [1, 2] },
    { template: "{{ ['a', 'b'] | map('upper') | list }}", value: ['A', 'B'] },
    { template: "{{ [{'a': 1}, {'a': 2}] | selectattr('a', 'equalto', 2) | list }}", value: [{ a: 2 }] },
    { template: "{{ [0, 1, '', 2] | select | list }}", value: [1, 2] },
    { template: "{{ [1, 2, 3] | reject('odd') | list }}", value: [2] },
    { template: '{{ [1, 1, 2] | unique | list }}', value: [1, 2] },
    { template: '{{ [1, 2] | sum }}', value: 3 },
    { template: '{{ [1, 2] | first }}', value: 1 },
    { template: '{{ [] | first }}', value: '' },
    { template: '{{ [1, 2] | last }}', value: 2 },
    { template: '{{ [1, 2] | length }}', value: 2 },
    { template: '{{ config.x | length }}', given: { config: {} }, value: 0 },
    { template: "{{ config.x | default('d') }}", given: { config: {} }, value: 'd' },
    { template: "{{ config.x | default('d', true) }}", given: { config: { x: '' } }, value: 'd' },
    { template: "{{ {'a': 1} | tojson }}", value: { a: 1 } },
    { template: "{{ {'a': 1} | string }}", value: '{"a": 1}' },
    { template: "{{ {'a': 'é'} | tojson }}", value: { a: 'é' } },
    { template: "{{ 'a b/c' | urlencode }}", value: 'a%20b/c' },
    { template: "{{ {'a': 'b c'} | urlencode }}", value: 'a=b+c' },
    { template: "{{ 'a:b' | base64encode }}", value: 'YTpi' },
    { template: "{{ 'YTpi' | base64decode }}", value: 'a:b' },
    {
      template: "{{ 'abc' | hash('sha256') }}",
      value: 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad',
    },
    { template: "{{ 'abc' | hash('md5', 'salt') }}", value: '1e21f6da01c5047e4bf45b0496bd6937' },
    {
      template: "{{ 'abc' | hmac('key') }}",
      value: '9c196e32dc0175f86f4b1cb89289d6619de6bee699e4c378e68309ed97a1a6ab',
    },
    { template: "{{ 'page=12&x' | regex_search('page=(\\\\d+)') }}", value: 12 },
    { template: "{{ 'a1b2' | regex_replace('[0-9]', '#') }}", value: 'a#b#' },
    { template: "{{ ' a ' | trim }}", value: 'a' },
    { template: "{{ 'abc' | reverse }}", value: 'cba' },
    { template: '{{ [1, 2, 3] | batch(2) | list }}', value: [[1, 2], [3]] },
    { template: "{{ 'a-b' | replace('-', '+') }}", value: 'a+b' },
  ],
  dates: [
    { template: '{{ now_utc() }}', value: '2024-03-05 12:00:00+00:00' },
    { template: '{{ today_utc() }}', value: '2024-03-05' },
    { template: "{{ now_utc().strftime('%Y-%m-%dT%H:%M:%SZ') }}", value: '2024-03-05T12:00:00Z' },
    { template: '{{ now_utc().isoformat() }}', value: '2024-03-05T12:00:00+00:00' },
    { template: "{{ (now_utc() - duration('P1M')).strftime('%Y-%m-%d') }}", value: '2024-02-05' },
    { template: "{{ (now_utc() - duration('PT36H')).strftime('%d/%m/%Y %H') }}", value: '04/03/2024 00' },
    { template: "{{ day_delta(-1, '%Y-%m-%d') }}", value: '2024-03-04' },
    { template: '{{ day_delta(25) }}', value: '2024-03-30T12:00:00.000000+0000' },
    { template: "{{ format_datetime('2024-01-05T10:20:30Z', '%Y-%m-%d') }}", value: '2024-01-05' },
    { template: "{{ format_datetime('2024-01-05T10:20:30+02:00', '%H:%M') }}", value: '08:20' },
    { template: "{{ format_datetime('2024-01-05T10:20:30Z', '%s') }}", value: 1704450030 },
    { template: "{{ format_datetime(1704450030, '%Y-%m-%d') }}", value: '2024-01-05' },
    { template: "{{ format_datetime('05/01/2024', '%Y-%m-%d', '%d/%m/%Y') }}", value: '2024-01-05' },
    { template: "{{ timestamp('2024-01-05T10:20:30Z') | int }}", value: 1704450030 },
    { template: "{{ timestamp('2024-01-05') }}", value: 1704412800.0 },
    { template: '{{ timestamp(1658505815.223235) }}', value: 1658505815 },
    { template: "{{ str_to_datetime('2024-01-05').year }}", value: 2024 },
    { template: "{{ str_to_datetime('2024-01-31') + duration('P1M') }}", value: '2024-02-29 00:00:00+00:00' },
    { template: "{{ (str_to_datetime('2024-03-05') - str_to_datetime('2024-03-01')).days }}", value: 4 },
    { template: "{{ duration('P1DT2H') }}", value: '1 day, 2:00:00' },
    { template: "{{ now_utc() > str_to_datetime('2024-01-01') }}", value: true },
    { template: "{{ str_to_datetime('2024-01-05').timestamp() | int * 1000 }}", value: 1704412800000 },
    { template: "{{ today_with_timezone('Pacific/Auckland') }}", value: '2024-03-06' },
    {
      template: "{{ str_to_datetime('2024-01-05T10:20:30.123456Z').strftime('%H.%f %j %a %b') }}",
      value: '10.123456 005 Fri Jan',
    },
    { template: '{{ max(1, 3, 2) }}', value: 3 },
    { template: '{{ min([4, 3]) }}', value: 3 },
    { template: "{{ max('2024-01-01', '2023-01-01') }}", value: '2024-01-01' },
    { template: "{{ sanitize_url('https://a b/c?d=e') }}", value: 'https%3A%2F%2Fa+b%2Fc%3Fd%3De' },
    { template: "{{ camel_case_to_snake_case('CamelCaseName') }}", value: 'camel_case_name' },
    { template: "{{ 'x'.__class__ }}", value: '' },
  ],
};

const FAULTS: readonly Omit<Case, 'value'>[] = [
  { template: '{{ 1 / 0 }}' },
  { template: "{{ config['b']['c'] }}", given: { config: { a: 1 } } },
  { template: '{{ unknown }}' },
  { template: '{{ record.x.y is defined }}', given: { record: { a: {} } } },
  { template: "{{ 'x' is foo }}" },
  { template: '{% for i in [1] %}' },
  { template: '{{ 1 + }}' },
  { template: '{{ config. }}', given: { config: {} } },
  { template: "{% include 'x' %}" },
  { template: "{{ 'a'.nothing() }}" },
  { template: '{{ config.x | int }}', given: { config: {} } },
  { template: "{{ 'a' | nothing }}" },
  { template: "{{ format_datetime('no date', '%Y') }}" },
];

describe.each(Object.entries(VALUES))('%s', (_, cases) => {
  it.each(cases)('$template', ({ template, given = {}, value }) => {
    expect(jinjaOf(template).evaluate({ config: {}, ...given }, NOW)).toEqual(value);
  });
});

describe('what cannot be evaluated', () => {
  it.each(FAULTS)('$template', ({ template, given = {} }) => {
    const evaluated = (): Json => jinjaOf(template).evaluate({ config: {}, ...given }, NOW);
    expect(evaluated).toThrow(expect.objectContaining({ message: expect.stringMatching(/./) as string }) as Error);
    try {
      evaluated();
    } catch (error) {
      expect([JinjaError, JinjaSyntaxError].some((kind) => error instanceof kind)).toBe(true);
    }
  });
});

it('takes another value in place of an empty text and of what is undefined', () => {
  const value = (template: string): Json => jinjaOf(template).evaluate({ config: {} }, NOW, null);
  expect(value('{{ config.a.b }}')).toBeNull();
  expect(value("{{ '' }}")).toBeNull();
  expect(value("{{ ' ' }}")).toBe(' ');
});

it('names what a template reads, without functions and what it sets itself', () => {
  const { names } = jinjaOf('{% set a = now_utc() %}{% for b in c %}{{ a ~ b ~ loop.index ~ d.e }}{% endfor %}');
  expect([...names]).toEqual(['c', 'd']);
});

it.each([
  ["{{ 'a' * 100000000 }}", 'larger than'],
  ['{{ 9 ** 999999 }}', 'larger than'],
  ['{{ [0] * 100000000 }}', 'larger than'],
  ["{{ 'a'.rjust(100000000) }}", 'larger than'],
  [
    '{% for a in x %}{% for b in x %}{% for c in x %}{% for d in x %}{{ 1 }}{% endfor %}{% endfor %}{% endfor %}{% endfor %}',
    'steps',
  ],
])('bounds %s', (template, complaint) => {
  const x = Array.from({ length: 100 }, (_, at) => at);
  expect(() => jinjaOf(template).evaluate({ x }, NOW)).toThrow(complaint);
});

it('reaches nothing of JavaScript', () => {
  for (const path of ['constructor', '__proto__', 'toString', 'prototype'])
    expect(jinjaOf(`{{ x.${path} is defined }}`).evaluate({ x: {} }, NOW)).toBe(false);
  expect(() => jinjaOf('{{ constructor }}').evaluate({}, NOW)).toThrow('is not known here');
});

it('knows a template by its tags', () => {
  expect(['{{ a }}', '{% a %}', '{# a #}', '{ a }'].map(isJinja)).toEqual([true, true, true, false]);
});
