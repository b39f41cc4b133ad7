import * as fc from 'fast-check';
import { objectFrom } from '../../../src/core/json/objects';
import type { Json, JsonObject } from '../../../src/core/model';
import {
  combineQuery,
  decodeFormText,
  encodePairs,
  overlayPairs,
  paramPairs,
  parseQuery,
  percentEncode,
  queryPairs,
  splitUrl,
  withQuery,
  percentDecode,
} from '../../../src/core/url/query';
import type { ListStyle, QueryPair } from '../../../src/core/url/query';

const encode = (params: JsonObject, lists?: ListStyle): string => encodePairs(paramPairs(params, lists));
const text = fc.string({ unit: 'binary' }).map((value) => value.toWellFormed());
const namesAndValues = fc.array(fc.tuple(text, text));

describe('docs/language/jobs.md#batches: lists in other ways', () => {
  const params = { ids: [7, 8], f: { tags: ['a', { b: [1] }] }, none: [] };

  it.each<[ListStyle, string]>([
    ['indexes', 'ids[0]=7&ids[1]=8&f[tags][0]=a&f[tags][1][b][0]=1'],
    ['repeat', 'ids=7&ids=8&f[tags]=a&f[tags][b]=1'],
    ['brackets', 'ids[]=7&ids[]=8&f[tags][]=a&f[tags][][b][]=1'],
  ])('%s', (lists, expected) => {
    expect(decodeURIComponent(encode(params, lists))).toBe(expected);
    expect(encodePairs(queryPairs(params, lists))).toBe(encode(params, lists));
  });
});

describe('language 3.2: parameters as a query or a form', () => {
  it.each<[string, Json, string]>([
    ['a string', 'x', 'a=x'],
    ['a number', 1.5, 'a=1.5'],
    ['a long integer', 9007199254740993n, 'a=9007199254740993'],
    ['true', true, 'a=1'],
    ['false', false, 'a=0'],
    ['null', null, ''],
    ['an empty list', [], ''],
    ['an empty object', {}, ''],
    ['nothing but nothing inside', { k: [null, {}], m: null }, ''],
    ['an empty text', '', 'a='],
    ['an object', { k: 'v' }, 'a%5Bk%5D=v'],
    ['an object in an object', { k: { m: 1 } }, 'a%5Bk%5D%5Bm%5D=1'],
    ['a list', [7, 8], 'a%5B0%5D=7&a%5B1%5D=8'],
    ['a gap in a list', [7, null, 8], 'a%5B0%5D=7&a%5B2%5D=8'],
    ['an array of objects', [{ k: false }], 'a%5B0%5D%5Bk%5D=0'],
    ['an empty key inside', { '': 1 }, 'a%5B%5D=1'],
    ['what a URL reserves', "&=+#?/ %!'()*", 'a=%26%3D%2B%23%3F%2F%20%25%21%27%28%29%2A'],
    ['what needs no encoding', 'Az09-._~', 'a=Az09-._~'],
    ['other alphabets', 'é€😀', 'a=%C3%A9%E2%82%AC%F0%9F%98%80'],
    ['half a surrogate pair', '\ud83d', 'a=%EF%BF%BD'],
  ])('%s', (_, value, query) => {
    expect(encode({ a: value })).toBe(query);
  });

  it('the sample', () => {
    const params = { on: true, off: false, none: null, ids: [7, 8], f: { name: 'a b', deep: { x: 1.5 } } };
    expect(encode(params)).toBe('on=1&off=0&ids%5B0%5D=7&ids%5B1%5D=8&f%5Bname%5D=a%20b&f%5Bdeep%5D%5Bx%5D=1.5');
  });

  it('keeps the order of the keys, also inside', () => {
    const inside = objectFrom([
      ['z', 1],
      ['1', 2],
    ]);
    expect(
      encode(
        objectFrom([
          ['b', inside],
          ['10', 3],
          ['2', 4],
        ]),
      ),
    ).toBe('b%5Bz%5D=1&b%5B1%5D=2&10=3&2=4');
  });

  it('only a query leaves out the top-level names "0" and ""', () => {
    const params = { '0': 'x', '': 'y', '00': 'z', a: { '0': 1, '': 2 } };
    expect(encodePairs(queryPairs(params))).toBe('00=z&a%5B0%5D=1&a%5B%5D=2');
    expect(encode({ '0': 'x', '': 'y' })).toBe('0=x&=y');
  });

  it('names are encoded as values are', () => {
    expect(encode({ 'a b&é': 1 })).toBe('a%20b%26%C3%A9=1');
  });

  it('flat texts are read by URLSearchParams as they were', () => {
    fc.assert(
      fc.property(namesAndValues, (pairs) => {
        const params = objectFrom(pairs);
        const expected = [...new Map(pairs)];
        expect([...new URLSearchParams(encode(params))]).toEqual(expected);
      }),
    );
  });

  it('flat texts look as URLSearchParams writes them, but for space, "~" and "*"', () => {
    const same = (query: string): string => query.replaceAll('+', '%20').replaceAll('%7E', '~').replaceAll('*', '%2A');
    fc.assert(
      fc.property(namesAndValues, (pairs) => {
        const params = [...new Map(pairs)];
        expect(encode(objectFrom(params))).toBe(same(new URLSearchParams(params).toString()));
      }),
    );
  });
});

describe('language 3.3: reading a query', () => {
  it.each<[string, readonly QueryPair[]]>([
    ['', []],
    ['&&', []],
    ['a', [{ name: 'a', raw: 'a' }]],
    ['a=', [{ name: 'a', value: '', raw: 'a=' }]],
    ['=a', [{ name: '', value: 'a', raw: '=a' }]],
    ['a=b=c', [{ name: 'a', value: 'b=c', raw: 'a=b=c' }]],
    ['a+b=%C3%A9+%2B', [{ name: 'a b', value: 'é +', raw: 'a+b=%C3%A9+%2B' }]],
    ['a%5B0%5D=1', [{ name: 'a[0]', value: '1', raw: 'a%5B0%5D=1' }]],
    [
      'a=1&b&a=2',
      [
        { name: 'a', value: '1', raw: 'a=1' },
        { name: 'b', raw: 'b' },
        { name: 'a', value: '2', raw: 'a=2' },
      ],
    ],
  ])('%j', (query, pairs) => {
    expect(parseQuery(query)).toEqual(pairs);
  });

  it.each([
    ['%', '%'],
    ['100%', '100%'],
    ['%zz', '%zz'],
    ['%2', '%2'],
    ['%%41', '%A'],
    ['%e2%82%ac', '€'],
    ['%2B+%20', '+  '],
    ['%FF', '\uFFFD'],
  ])('%j is decoded to %j, as a form is', (encoded, decoded) => {
    expect(decodeFormText(encoded)).toBe(decoded);
    expect([...new URLSearchParams(`a=${encoded}`).values()]).toEqual([decoded]);
  });

  it('percentEncode and decodeFormText are inverse', () => {
    fc.assert(
      fc.property(text, (value) => {
        expect(percentEncode(value)).toMatch(/^(?:[\w.~-]|%[0-9A-F]{2})*$/);
        expect(decodeFormText(percentEncode(value))).toBe(value);
      }),
    );
  });

  it('pairs come back from their text', () => {
    const pair = fc.oneof(
      fc.record({ name: text, value: text }),
      fc.record({ name: text.filter((name) => name !== '') }),
    );
    fc.assert(
      fc.property(fc.array(pair), (pairs) => {
        const read = parseQuery(encodePairs(pairs));
        expect(read).toEqual(pairs.map((written) => ({ ...written, raw: encodePairs([written]) })));
      }),
    );
  });

  it('what was read is written as it was', () => {
    const query = fc.array(fc.webQueryParameters()).map((parts) => parts.filter((part) => part !== '').join('&'));
    fc.assert(
      fc.property(query, (written) => {
        expect(encodePairs(parseQuery(written))).toBe(written.replace(/&+/g, '&').replace(/^&|&$/g, ''));
      }),
    );
  });
});

describe('language 3.3: parameters over the query of an endpoint', () => {
  const over = (query: string, params: JsonObject): string =>
    encodePairs(overlayPairs(parseQuery(query), queryPairs(params)));

  it.each<[string, string, JsonObject, string]>([
    ['the sample', 'page=2&q=x', { q: 'y', lang: 'en' }, 'page=2&q=y&lang=en'],
    ['no query', '', { a: 1, b: 2 }, 'a=1&b=2'],
    ['no parameters', 'a=%zz&b&&c=+', {}, 'a=%zz&b&c=+'],
    ['repeated names stay', 'a=1&b=2&a=3', { c: 4 }, 'a=1&b=2&a=3&c=4'],
    ['repeated names are replaced by one', 'a=1&b=2&a=3', { a: 9 }, 'a=9&b=2'],
    ['names without "=" stay', 'flag&a=1', { b: 2 }, 'flag&a=1&b=2'],
    ['names without "=" are replaced', 'flag&a=1', { flag: 2 }, 'flag=2&a=1'],
    ['the spelling of others stays', 'a=%7e%2F~&b=1', { b: 2 }, 'a=%7e%2F~&b=2'],
    ['names are compared decoded', 'a%62=1', { ab: 2 }, 'ab=2'],
    ['names inside brackets', 'f[a]=1&f%5Bb%5D=2', { f: { b: 3, c: 4 } }, 'f[a]=1&f%5Bb%5D=3&f%5Bc%5D=4'],
    ['case counts', 'A=1', { a: 2 }, 'A=1&a=2'],
  ])('%s', (_, query, params, result) => {
    expect(over(query, params)).toBe(result);
  });

  it('all pairs laid over are there once, all others stay in order', () => {
    const pairs = fc.array(fc.record({ name: fc.constantFrom('a', 'b', 'c', 'd'), value: text }));
    fc.assert(
      fc.property(pairs, pairs, (under, above) => {
        const names = new Set<string>(above.map(({ name }) => name));
        const result = overlayPairs(under, above);
        expect(result.filter(({ name }) => !names.has(name))).toEqual(under.filter(({ name }) => !names.has(name)));
        for (const each of names)
          expect(result.filter(({ name }) => name === each)).toEqual(above.filter(({ name }) => name === each));
      }),
    );
  });
});

describe('the two halves of a URL', () => {
  it.each([
    ['https://h.example/a', 'https://h.example/a', ''],
    ['https://h.example/a?', 'https://h.example/a', ''],
    ['https://h.example/a?b=1?c', 'https://h.example/a', 'b=1?c'],
    ['https://h.example/a?b#c?d', 'https://h.example/a', 'b'],
    ['https://h.example/a#b?c', 'https://h.example/a', ''],
  ])('%s', (url, path, query) => {
    expect(splitUrl(url)).toEqual({ path, query });
  });

  it('withQuery replaces the query', () => {
    expect(withQuery('https://h.example/a?b=1#c', [{ name: 'd', value: ' ' }])).toBe('https://h.example/a?d=%20');
    expect(withQuery('https://h.example/a?b=1', [])).toBe('https://h.example/a');
  });
});

describe('specification 4.2 rule 3, language 4.5.4: query values of a login', () => {
  const combined = (
    query: string,
    added: readonly (readonly [string, string])[],
    replaceable: readonly string[] = [],
  ): string =>
    splitUrl(combineQuery(`https://h.example/x?${query}`, added, replaceable)).query.replace(/%5B(\d)%5D/g, '[$1]');

  it('specification: both values are sent, the job first', () => {
    expect(combined('name=job', [['name', 'login']])).toBe('name[0]=job&name[1]=login');
  });

  it('language 4.5.4: the example', () => {
    const login = [
      ['key', 'L'],
      ['tok', 'T'],
    ] as const;
    expect(combined('v=1&key=j&sort=up', login)).toBe('v=1&sort=up&tok=T&key[0]=j&key[1]=L');
  });

  it.each<[string, string, readonly (readonly [string, string])[], string]>([
    ['a new name is appended', 'a=1', [['t', 'T']], 'a=1&t=T'],
    ['to nothing', '', [['t', 'T']], 't=T'],
    ['D6: equal values are both sent', 'k=same', [['k', 'same']], 'k[0]=same&k[1]=same'],
    ['a name without value', 'k', [['k', 'L']], 'k[0]=&k[1]=L'],
    ['a repeated name', 'k=1&a=2&k=3', [['k', 'L']], 'a=2&k[0]=1&k[1]=3&k[2]=L'],
    ['values are encoded', 'k=a+b', [['k', 'c&d']], 'k[0]=a%20b&k[1]=c%26d'],
    ['others keep their spelling', 'a=%7e+&k=1', [['k', 'L']], 'a=%7e+&k[0]=1&k[1]=L'],
    [
      'several clashes stand in the order of the login',
      'a=1&b=2&c=3',
      [
        ['c', 'L'],
        ['a', 'M'],
      ],
      'b=2&c[0]=3&c[1]=L&a[0]=1&a[1]=M',
    ],
    ['nothing to add', 'a=1', [], 'a=1'],
  ])('%s', (_, query, added, result) => {
    expect(combined(query, added)).toBe(result);
  });

  it.each<[string, string, readonly (readonly [string, string])[], readonly string[], string]>([
    ['in place', 'tok=old&page=2', [['tok', 'new']], ['tok', 'page'], 'tok=new&page=2'],
    ['once', 'tok=old&page=2&tok=older', [['tok', 'new']], ['tok'], 'tok=new&page=2'],
    ['or appended', 'page=2', [['tok', 'new']], ['tok'], 'page=2&tok=new'],
    [
      'others combine',
      'tok=old&k=j',
      [
        ['k', 'L'],
        ['tok', 'new'],
      ],
      ['tok'],
      'tok=new&k[0]=j&k[1]=L',
    ],
  ])('a name that a response gave is replaced: %s', (_, query, added, received, result) => {
    expect(combined(query, added, received)).toBe(result);
  });
});

it('percentDecode leaves a string with an invalid escape as it is', () => {
  expect([percentDecode('a%20b'), percentDecode('100%')]).toEqual(['a b', '100%']);
});
