import * as fc from 'fast-check';
import {
  NoAddress,
  checkQuery,
  checkReference,
  endpointUrl,
  isAbsolute,
  mayReceiveCredentials,
  nextAddress,
  parseUrl,
  partsOfNormal,
  pathGlob,
  resolveReference,
  sameOriginOrUpgrade,
} from '../../../src/core/url/address';
import type { RelativeTo } from '../../../src/core/url/address';
import { runsOf } from '../../support/cases';

describe('address', () => {
  const BASE = 'https://h.example/api/v2/';

  describe('language 2.2: the URL of an endpoint', () => {
    it.each([
      ['items', 'https://h.example/api/v2/items'],
      ['items/', 'https://h.example/api/v2/items/'],
      ['/v1/items', 'https://h.example/v1/items'],
      ['/', 'https://h.example/'],
      ['https://eu.example/x', 'https://eu.example/x'],
      ['http://eu.example/x?a=1', 'http://eu.example/x?a=1'],
      ['HTTPS://EU.example', 'https://eu.example/'],
      ['?a=1', 'https://h.example/api/v2/?a=1'],
      ['items?a=1&b', 'https://h.example/api/v2/items?a=1&b'],
      ['items#part', 'https://h.example/api/v2/items'],
      ['https://eu.example/x#part', 'https://eu.example/x'],
    ])('%s', (endpoint, url) => {
      expect(endpointUrl(BASE, endpoint)).toBe(url);
    });

    it.each([
      ['https://h.example/api/v2', 'items', 'https://h.example/api/v2/items'],
      ['https://h.example/api/v2', '?a=1', 'https://h.example/api/v2?a=1'],
      ['https://h.example', 'items', 'https://h.example/items'],
      ['https://h.example', '?a=1', 'https://h.example/?a=1'],
      ['https://h.example', '/items', 'https://h.example/items'],
      ['https://h.example/api?key=1/2', 'items', 'https://h.example/api/items'],
      ['https://h.example/api/?key=1', '?a=1', 'https://h.example/api/?a=1'],
      ['https://h.example/api#part', '/items', 'https://h.example/items'],
      ['https://h.example?key=1', '/items', 'https://h.example/items'],
      ['http://h.example:8080/api', '/items', 'http://h.example:8080/items'],
      ['https://h.example:443/api', '/items', 'https://h.example/items'],
      ['http://[::1]:8080/api', 'items', 'http://[::1]:8080/api/items'],
      ['https://my_host.h_example.com/a', 'items', 'https://my_host.h_example.com/a/items'],
      ['https://my_host.example/a', '/items', 'https://my_host.example/items'],
      ['https://BÜCHER.example/a', '/items', 'https://xn--bcher-kva.example/items'],
    ])('base %s, endpoint %s', (base, endpoint, url) => {
      expect(endpointUrl(base, endpoint)).toBe(url);
    });

    it.each([
      ['reports:run', 'https://h.example/api/v2/reports:run'],
      ['mailto:a@b', 'https://h.example/api/v2/mailto:a@b'],
      ['ftp://x.example/y', 'https://h.example/api/v2/ftp://x.example/y'],
      ['https:items', 'https://h.example/api/v2/https:items'],
    ])('a colon makes no scheme: %s', (endpoint, url) => {
      expect(endpointUrl(BASE, endpoint)).toBe(url);
    });

    it.each([
      ['./items', 'https://h.example/api/v2/items'],
      ['../items', 'https://h.example/api/items'],
      ['a/../b/./c', 'https://h.example/api/v2/b/c'],
      ['../../../../items', 'https://h.example/items'],
      ['/v1/../items', 'https://h.example/items'],
      ['items?path=a/../b', 'https://h.example/api/v2/items?path=a/../b'],
    ])('dots are resolved: %s', (endpoint, url) => {
      expect(endpointUrl(BASE, endpoint)).toBe(url);
    });

    it.each([
      ['my items', 'https://h.example/api/v2/my%20items'],
      ['položky', 'https://h.example/api/v2/polo%C5%BEky'],
      ['items?q=a b&č=é', 'https://h.example/api/v2/items?q=a%20b&%C4%8D=%C3%A9'],
      ['a%20b%2Fc?d=%C3%A9', 'https://h.example/api/v2/a%20b%2Fc?d=%C3%A9'],
      ['a%2fb', 'https://h.example/api/v2/a%2fb'],
      ['<a>"b"', 'https://h.example/api/v2/%3Ca%3E%22b%22'],
    ])('what a URL does not allow is percent-encoded, what is encoded stays: %s', (endpoint, url) => {
      expect(endpointUrl(BASE, endpoint)).toBe(url);
    });

    it.each([
      ['items', 'https://us%65r:p%40ss@h.example/api/items'],
      ['?a=1', 'https://us%65r:p%40ss@h.example/api?a=1'],
      ['/items', 'https://us%65r:p%40ss@h.example/items'],
    ])('userinfo of the base URL stays: %s', (endpoint, url) => {
      expect(endpointUrl('https://us%65r:p%40ss@h.example/api', endpoint)).toBe(url);
    });

    it('a user without password stays', () => {
      expect(endpointUrl('https://token@h.example/api', '/items')).toBe('https://token@h.example/items');
    });

    it.each([
      '//evil.test/x',
      '///evil.test',
      '\\\\evil.test\\x',
      '/\\evil.test',
      '@evil.test',
      '/@evil.test',
      ':80@evil.test',
    ])('what is not absolute never leaves the host of the base URL: %s', (endpoint) => {
      for (const base of [BASE, 'https://h.example', 'https://h.example?a'])
        expect(new URL(endpointUrl(base, endpoint)).host).toBe('h.example');
    });

    it.each(['http://', 'https://h example/', 'https://h.example:port/', 'http://[::1/'])('refuses %s', (endpoint) => {
      expect(() => endpointUrl(BASE, endpoint)).toThrow('Invalid URL');
    });
  });

  describe('absolute addresses', () => {
    it.each([
      ['http://h.example', true],
      ['HttpS://h.example', true],
      ['//h.example', false],
      ['/https://h.example', false],
      [' https://h.example', false],
      ['ftp://h.example', false],
      ['http:h.example', false],
      ['', false],
    ])('%j: %p', (text, absolute) => {
      expect(isAbsolute(text)).toBe(absolute);
    });
  });

  describe('specification 4.3.2 rule 1, language 5.5: the address of the next page', () => {
    const places = {
      base: BASE,
      endpoint: 'https://h.example/api/v2/items?size=9',
      request: 'https://h.example/api/v2/items/page/1?cursor=abc',
    };
    const next = (value: string, relativeTo: RelativeTo): string => nextAddress(value, places, relativeTo);

    it.each([
      ['https://eu.example/x?page=2', 'https://eu.example/x?page=2'],
      ['HTTP://eu.example/x', 'http://eu.example/x'],
      ['/v1/items?page=2', 'https://h.example/v1/items?page=2'],
      ['?page=2', 'https://h.example/api/v2/items?page=2'],
      ['page/2', 'https://h.example/api/v2/items/page/2'],
      ['items?page=2', 'https://h.example/api/v2/items/items?page=2'],
      ['page:2', 'https://h.example/api/v2/items/page:2'],
      ['../other?page=2', 'https://h.example/api/v2/other?page=2'],
      ['?q=a b&č=1', 'https://h.example/api/v2/items?q=a%20b&%C4%8D=1'],
      ['?page=2#part', 'https://h.example/api/v2/items?page=2'],
      ['//eu.example/x', 'https://eu.example/x'],
    ])('relative to the endpoint: %s', (value, url) => {
      expect(next(value, 'endpoint')).toBe(url);
    });

    it('an endpoint that ends with a slash gets no second one', () => {
      const ending = { ...places, endpoint: 'https://h.example/api/v2/items/' };
      expect(nextAddress('page/2', ending, 'endpoint')).toBe('https://h.example/api/v2/items/page/2');
      expect(nextAddress('?page=2', ending, 'endpoint')).toBe('https://h.example/api/v2/items/?page=2');
    });

    it('a path from the root follows the base URL also where the endpoint is elsewhere', () => {
      const elsewhere = { ...places, endpoint: 'https://eu.example/items' };
      expect(nextAddress('/page/2', elsewhere, 'endpoint')).toBe('https://h.example/page/2');
      expect(nextAddress('page/2', elsewhere, 'endpoint')).toBe('https://eu.example/items/page/2');
    });

    it('userinfo of the base URL stays', () => {
      const secured = { ...places, base: 'https://u:p@h.example/api' };
      expect(nextAddress('/page/2', secured, 'endpoint')).toBe('https://u:p@h.example/page/2');
      expect(nextAddress('page/2', secured, 'base')).toBe('https://u:p@h.example/api/page/2');
    });

    it.each([
      ['https://eu.example/x?page=2', 'https://eu.example/x?page=2'],
      ['/v1/items?page=2', 'https://h.example/v1/items?page=2'],
      ['?page=2', 'https://h.example/api/v2/?page=2'],
      ['items?page=2', 'https://h.example/api/v2/items?page=2'],
    ])('relative to the base URL: %s', (value, url) => {
      expect(next(value, 'base')).toBe(url);
    });

    it.each([
      ['https://eu.example/x?page=2', 'https://eu.example/x?page=2'],
      ['/v1/items?page=2', 'https://h.example/v1/items?page=2'],
      ['?page=2', 'https://h.example/api/v2/items/page/1?page=2'],
      ['2', 'https://h.example/api/v2/items/page/2'],
      ['../list?page=2', 'https://h.example/api/v2/items/list?page=2'],
      ['//eu.example/x', 'https://eu.example/x'],
      ['2#part', 'https://h.example/api/v2/items/page/2'],
    ])('relative to the request just answered, by RFC 3986: %s', (value, url) => {
      expect(next(value, 'request')).toBe(url);
    });

    it.each<RelativeTo>(['endpoint', 'base', 'request'])(
      'relative to %s: an address that is no URL is refused',
      (to) => {
        expect(() => next('https://', to)).toThrow('an address has to begin with http:// or https:// and a host');
        expect(() => next('https://h.example:port/', to)).toThrow('it is no URL');
      },
    );

    it.each(['file:///etc/passwd', 'ftp://h.example/x', 'http:\\\\h.example\\x', ' https://h.example/x', 'HTTP:x'])(
      'language 5.5: %j is no address to follow',
      (value) => {
        const places = { base: 'https://h.example/', endpoint: 'https://h.example/a', request: 'https://h.example/a' };
        expect(() => nextAddress(value, places, 'endpoint')).toThrow(NoAddress);
      },
    );

    it('language 5.5: a relative path may hold a colon', () => {
      const places = { base: 'https://h.example/', endpoint: 'https://h.example/a', request: 'https://h.example/a' };
      expect(nextAddress('reports:run', places, 'endpoint')).toBe('https://h.example/a/reports:run');
    });
  });
});

describe('partsOfNormal', () => {
  const piece = fc.constantFrom(
    ...[
      'https://',
      'http://',
      'HTTPS://',
      'h.example',
      'H.example',
      '127.1',
      'bücher.example',
      'me@',
      ':443',
      ':80',
      ':8080',
    ],
    ...[
      '/',
      '//',
      '/.',
      '/..',
      '/%2e',
      '/.%2E',
      '/...',
      '/a',
      '/a.b',
      '/ü',
      '/a b',
      '/a|b',
      "/a'b",
      '/%',
      '/%zz',
      '/a;b',
      '/a\\b',
    ],
    ...['?', '?a=1', "?a='", '?a=%20', '?a[]=1', '&b=ü', '?a=/./', '#', '\t', '\n', ' ', '^', '`', '{', '"'],
  );

  it('gives the parts of an address that parsing would not change, and of no other', () => {
    const address = fc.array(piece, { maxLength: 6 }).map((pieces) => pieces.join(''));
    fc.assert(
      fc.property(
        fc.oneof(
          address,
          address.map((rest) => `https://h.example/${rest}`),
        ),
        (text) => {
          const parts = partsOfNormal(text);
          if (parts === undefined) return;
          const { href, origin, pathname, search } = new URL(text);
          expect({ ...parts, href }).toEqual({ origin, path: pathname + search, href: text });
        },
      ),
      { numRuns: runsOf(20_000) },
    );
  });

  it('knows the addresses of most requests', () => {
    for (const path of ['/', '/v1/items', '/v1/items?page=2&per_page=100', '/items/a%20b;c=(1)', '/a?to=/b?c'])
      expect(partsOfNormal(`http://127.0.0.1:8080${path}`)).toEqual({ origin: 'http://127.0.0.1:8080', path });
  });
});

describe('parseUrl', () => {
  it('reads what is a URL, relative to another, too', () => {
    expect(parseUrl('https://h.example/a')?.href).toBe('https://h.example/a');
    expect(parseUrl('/b', 'https://h.example/a')?.href).toBe('https://h.example/b');
  });

  it.each(['', 'a', '//h.example', 'https://', 'https://h.example:port/'])('%j is none', (text) => {
    expect(parseUrl(text)).toBeUndefined();
  });

  it('reads names with letters beyond ASCII, however often it is asked', () => {
    const hosts = new Set<string | undefined>();
    for (let time = 0; time < 20_000; time += 1) hosts.add(parseUrl('https://b\u00fccher.example/')?.host);
    expect([...hosts]).toEqual(['xn--bcher-kva.example']);
  });
});

const FROM = 'https://h.example/api/items?page=1';

/** What a response must not give as the address of a next page, of a redirect or in a Link header. */
const REFUSED: readonly (readonly [string, string])[] = [
  ['a script', 'javascript:alert(1)'],
  ['a script in upper case', 'JavaScript:alert(1)'],
  ['a script with a host', 'javascript://h.example/%0aalert(1)'],
  ['data', 'data:application/json,[]'],
  ['a mail address', 'mailto:a@h.example'],
  ['a file', 'file:///etc/passwd'],
  ['a file without slashes', 'file:etc/passwd'],
  ['another protocol', 'ftp://h.example/items'],
  ['another protocol with the host of the API', 'ws://h.example/items'],
  ['an address of a browser', 'about:blank'],
  ['a blob', 'blob:https://h.example/1'],
  ['a number to call', 'tel:+420123456789'],
  ['a scheme that nobody knows, with a host', 'zzz://h.example/items'],
  ['a scheme that nobody knows, with backslashes', 'zzz:\\\\h.example\\items'],
  ['a scheme without slashes', 'https:h.example'],
  ['a scheme with one slash', 'https:/h.example'],
  ['a scheme with three slashes', 'https:///h.example'],
  ['a scheme with backslashes', 'http:\\\\h.example\\items'],
  ['a scheme with a slash and a backslash', 'http:/\\h.example/items'],
  ['a scheme alone', 'https://'],
  ['a scheme and a query', 'https://?page=2'],
  ['a backslash in the host', 'https://evil.example\\@h.example/'],
  ['two backslashes', '\\\\evil.example\\items'],
  ['a slash and a backslash', '/\\evil.example/items'],
  ['a backslash and a slash', '\\/evil.example/items'],
  ['a backslash', '\\items'],
  ['a network path without a host', '///evil.example/items'],
  ['a network path of nothing', '//'],
  ['a network path with a backslash', '//\\evil.example'],
  ['a tab within', 'https://h.example/\titems'],
  ['a tab within the scheme', 'java\tscript:alert(1)'],
  ['a tab between the slashes', '/\t/evil.example'],
  ['a line break within', '/items\n?page=2'],
  ['a line break at the end', '/items?page=2\r\n'],
  ['NUL', '/items\0'],
  ['a control character of Unicode', '/items\u0085'],
  ['white space before', ' https://h.example/items'],
  ['white space after', 'https://h.example/items '],
  ['white space alone', '   '],
  ['a space that does not break', '\u00a0https://h.example/items'],
  ['a byte order mark', '\ufeffhttps://h.example/items'],
  ['a fragment', '#page2'],
];

describe('a next page has to be an http(s) address or a path', () => {
  it.each(REFUSED)('%s is refused, and the reason repeats nothing of it', (_, reference) => {
    for (const relativeTo of ['endpoint', 'base', 'request'] satisfies RelativeTo[]) {
      const places = { base: 'https://h.example/', endpoint: 'https://h.example/items', request: FROM };
      expect(() => nextAddress(reference, places, relativeTo)).toThrow(NoAddress);
    }
    expect(() => resolveReference(reference, FROM)).toThrow(NoAddress);
    expect(() => checkQuery(reference)).toThrow(NoAddress);
    expect(() => checkReference(reference)).toThrow(/^(?!.*(evil|alert|h\.example))/);
  });

  it.each([
    ['an address', 'https://h.example/?page=2'],
    ['the address of another host', '//h.example/?page=2'],
  ])('%s is no query', (_, text) => {
    expect(() => checkQuery(text)).toThrow('it is an address, and no query');
  });

  it.each(['?page=2', 'page=2', 'next=https://h.example/?a', 'cursor=a:b', '?q=a b', '?'])('%j is a query', (query) => {
    expect(() => checkQuery(query)).not.toThrow();
  });

  it.each([
    ['reports:run', 'https://h.example/items/reports:run'],
    ['items:next?page=2', 'https://h.example/items/items:next?page=2'],
    ['./data:x', 'https://h.example/items/data:x'],
    ['a/javascript:x', 'https://h.example/items/a/javascript:x'],
    ['?next=javascript:x', 'https://h.example/items?next=javascript:x'],
    ['page=a\\b', 'https://h.example/items/page=a/b'],
  ])('language 2.2: a relative path may hold a colon: %s', (value, url) => {
    const places = { base: 'https://h.example/', endpoint: 'https://h.example/items', request: FROM };
    expect(nextAddress(value, places, 'endpoint')).toBe(url);
  });

  it('RFC 3986: relative to a request, a word before a colon is a scheme', () => {
    expect(() => resolveReference('reports:run', FROM)).toThrow(NoAddress);
    expect(resolveReference('./reports:run', FROM)).toBe('https://h.example/api/reports:run');
  });
});

describe('addresses are normalised, so that their origins can be compared', () => {
  it.each([
    ['a decimal address', 'http://2130706433/x', 'http://127.0.0.1/x'],
    ['a hexadecimal address', 'http://0x7f000001/x', 'http://127.0.0.1/x'],
    ['an octal address', 'http://0177.0.0.1/x', 'http://127.0.0.1/x'],
    ['a short address', 'http://127.1/x', 'http://127.0.0.1/x'],
    ['a name with an ideographic full stop', 'https://h\u3002example/x', 'https://h.example/x'],
    ['letters of full width', 'https://\uff48.example/x', 'https://h.example/x'],
    ['a name of another alphabet', 'https://b\u00fccher.example/', 'https://xn--bcher-kva.example/'],
    ['a percent-encoded name', 'https://%68.example/x', 'https://h.example/x'],
    ['a soft hyphen', 'https://h.exam\u00adple/x', 'https://h.example/x'],
    ['upper case and the default port', 'HTTPS://H.EXAMPLE:443/x', 'https://h.example/x'],
    ['an address of IPv6', 'http://[0:0::1]/x', 'http://[::1]/x'],
    ['a host behind a user', 'https://h.example@evil.example/x', 'https://h.example@evil.example/x'],
    ['a network path', '//Evil.example/x', 'https://evil.example/x'],
    ['a network path with a user', '//h.example@evil.example/x', 'https://h.example@evil.example/x'],
    ['dots in the path', '/a/../b/%2e%2e/x', 'https://h.example/x'],
  ])('%s', (_, reference, url) => {
    const places = { base: 'https://h.example/', endpoint: 'https://h.example/items', request: FROM };
    for (const relativeTo of ['endpoint', 'base', 'request'] satisfies RelativeTo[])
      expect(nextAddress(reference, places, relativeTo)).toBe(url);
  });

  it('whatever a response gives is an http(s) address, or refused; and only what names a host leaves that of the API', () => {
    const piece = fc.constantFrom(
      ...[
        'http',
        'https',
        'javascript',
        'data',
        ':',
        '/',
        '\\',
        '//',
        '@',
        '?',
        '#',
        '.',
        '..',
        '%2f',
        '%5c',
        '\t',
        '\n',
      ],
      ...[' ', 'evil.example', 'h.example', '2130706433', '[::1]', '\u3002', '\u00ad', 'items', 'page=2', ';', '&'],
    );
    const places = { base: 'https://h.example/v1', endpoint: 'https://h.example/v1/items', request: FROM };
    fc.assert(
      fc.property(
        fc.array(piece, { maxLength: 7 }).map((pieces) => pieces.join('')),
        fc.constantFrom<RelativeTo>('endpoint', 'base', 'request'),
        (reference, relativeTo) => {
          let url: URL;
          try {
            url = new URL(nextAddress(reference, places, relativeTo));
          } catch (error) {
            expect(error).toBeInstanceOf(NoAddress);
            return;
          }
          expect(['http:', 'https:']).toContain(url.protocol);
          if (!/^(?:https?:)?\/\//i.test(reference)) expect(url.origin).toBe('https://h.example');
        },
      ),
      { numRuns: runsOf(2000) },
    );
  });
});

describe('origin', () => {
  const BASE = 'https://api.example.com/v1/';

  describe('sameOriginOrUpgrade', () => {
    it.each([
      ['another path', 'https://a.example/x?y', 'https://a.example/'],
      ['a default port that is written', 'https://a.example:443/', 'https://a.example/'],
      ['upper case', 'HTTPS://A.Example/', 'https://a.example/'],
      ['another spelling of a name', 'https://xn--bcher-kva.example/', 'https://bücher.example/'],
      ['userinfo', 'https://u:p@a.example/', 'https://a.example/'],
      ['an upgrade', 'https://a.example/', 'http://a.example/'],
      ['an upgrade between default ports', 'https://a.example:443/', 'http://a.example:80/'],
      ['an upgrade to another port', 'https://a.example:8443/', 'http://a.example/'],
      ['an upgrade from another port', 'https://a.example/', 'http://a.example:3000/'],
      ['an upgrade at the same port', 'https://a.example:8443/', 'http://a.example:8443/'],
    ])('%s is the same origin', (_, url, home) => {
      expect(sameOriginOrUpgrade(url, home)).toBe(true);
    });

    it.each([
      ['another host', 'https://b.example/', 'https://a.example/'],
      ['a subdomain', 'https://x.a.example/', 'https://a.example/'],
      ['another port', 'https://a.example:8443/', 'https://a.example/'],
      ['a downgrade', 'http://a.example/', 'https://a.example/'],
      ['a downgrade at the same port', 'http://a.example:8443/', 'https://a.example:8443/'],
      ['an upgrade of another host', 'https://b.example/', 'http://a.example/'],
      ['a trailing dot', 'https://a.example./', 'https://a.example/'],
      ['another scheme', 'ftp://a.example/', 'https://a.example/'],
    ])('%s is another origin', (_, url, home) => {
      expect(sameOriginOrUpgrade(url, home)).toBe(false);
    });
  });

  describe('language 2.6: hosts that credentials may go to', () => {
    it.each([
      ['the base URL', BASE],
      ['its origin', 'https://api.example.com/other?a=1#b'],
      ['its default port', 'https://api.example.com:443/'],
      ['upper case', 'https://API.EXAMPLE.COM/'],
      ['userinfo before the host', 'https://user:pass@api.example.com/'],
    ])('%s', (_, url) => {
      expect(mayReceiveCredentials(url, BASE, [])).toBe(true);
    });

    it.each([
      ['a longer name', 'https://api.example.com.evil.test/'],
      ['a name that ends alike', 'https://evilapi.example.com/'],
      ['a subdomain', 'https://x.api.example.com/'],
      ['the parent domain', 'https://example.com/'],
      ['the host as a user', 'https://api.example.com@evil.test/'],
      ['the host as user and password', 'https://api.example.com:443@evil.test/'],
      ['the host after a backslash', 'https://evil.test\\@api.example.com/'],
      ['the host in the path', 'https://evil.test/api.example.com'],
      ['the host in the query', 'https://evil.test?api.example.com/'],
      ['the host in the fragment', 'https://evil.test#@api.example.com/'],
      ['a trailing dot', 'https://api.example.com./'],
      ['a downgrade', 'http://api.example.com/'],
      ['a downgrade at the port of https', 'http://api.example.com:443/'],
      ['another port', 'https://api.example.com:8443/'],
      ['a letter of another alphabet', 'https://\u0430pi.example.com/'],
      ['another scheme', 'ftp://api.example.com/'],
      ['no host', 'data:,x'],
    ])('not %s, whether the host is named or not', (what, url) => {
      expect(mayReceiveCredentials(url, BASE, [])).toBe(false);
      const anyPort = what === 'another port';
      expect(mayReceiveCredentials(url, BASE, ['api.example.com'])).toBe(anyPort);
      expect(mayReceiveCredentials(url, BASE, ['https://api.example.com'])).toBe(false);
      expect(mayReceiveCredentials(url, BASE, ['api.example.com:443'])).toBe(false);
    });

    it.each<[string, string, boolean]>([
      ['files.example', 'https://files.example/x', true],
      ['files.example', 'https://files.example:8443/x', true],
      ['files.example', 'http://files.example/x', false],
      ['files.example', 'https://x.files.example/', false],
      ['files.example', 'https://files.example.evil.test/', false],
      ['files.example', 'https://files.example@evil.test/', false],
      ['Files.EXAMPLE', 'https://files.example/x', true],
      ['bücher.example', 'https://xn--bcher-kva.example/', true],
      ['files.example:8443', 'https://files.example:8443/', true],
      ['files.example:8443', 'https://files.example/', false],
      ['files.example:8443', 'https://files.example:844/', false],
      ['files.example:443', 'https://files.example/', true],
      ['files.example:443', 'https://files.example:443/', true],
      ['files.example:80', 'https://files.example/', false],
      ['https://files.example', 'https://files.example/x', true],
      ['https://files.example', 'https://files.example:8443/x', false],
      ['https://files.example', 'http://files.example/x', false],
      ['https://files.example:8443', 'https://files.example:8443/x', true],
      ['HTTPS://files.example', 'https://files.example/x', true],
      ['http://files.example', 'http://files.example/x', true],
      ['http://files.example', 'https://files.example/x', false],
      ['http://files.example:80', 'http://files.example/x', true],
      ['http://api.example.com', 'http://api.example.com/x', true],
      ['127.0.0.1:8080', 'https://127.0.0.1:8080/', true],
      ['127.0.0.1', 'https://127.1/', true],
      ['[::1]', 'https://[::1]:8080/', true],
      ['[::1]:8080', 'https://[0:0::1]:8080/', true],
      ['[::1]:8080', 'https://[::1]/', false],
      ['my_files.example', 'https://my_files.example/', true],
    ])('allowedHosts %s and %s: %p', (entry, url, receives) => {
      expect(mayReceiveCredentials(url, BASE, [entry])).toBe(receives);
      expect(mayReceiveCredentials(url, BASE, ['unused.example', entry])).toBe(receives);
    });

    it('a base URL of http may use named hosts by http and https, and by nothing else', () => {
      const receives = (url: string): boolean =>
        mayReceiveCredentials(url, 'http://api.example.com/', ['files.example']);
      expect(receives('http://files.example/')).toBe(true);
      expect(receives('https://files.example/')).toBe(true);
      expect(receives('ftp://files.example/')).toBe(false);
      expect(receives('https://api.example.com/')).toBe(true);
    });

    it('what is no URL is an error', () => {
      expect(() => mayReceiveCredentials('/x', BASE, [])).toThrow('Invalid URL');
    });
  });
});

describe('pathGlob', () => {
  it.each([
    ['/a', '/a', true],
    ['/a', '/a/', false],
    ['/a', '/b/a', false],
    ['/a/*', '/a/b', true],
    ['/a/*', '/a/', true],
    ['/a/*', '/a', false],
    ['/a/*', '/a/b/c', false],
    ['/*/a', '/v1/a', true],
    ['/v*/a', '/v12/a', true],
    ['/a/**', '/a', true],
    ['/a/**', '/a/b/c', true],
    ['/a/**', '/ab', false],
    ['/a/**/z', '/a/z', true],
    ['/a/**/z', '/a/b/c/z', true],
    ['/a/**/z', '/az', false],
    ['**/z', '/z', true],
    ['**/z', '/a/b/z', true],
    ['**', '/anything/at.all', true],
    ['/**', '/', true],
    ['/a**z', '/a/b/z', true],
    ['/a.b+(c)', '/a.b+(c)', true],
    ['/a.b', '/aXb', false],
    ['/a b/ü', '/a%20b/%C3%BC', true],
    ['/a%20b', '/a%20b', true],
    ['/a/*', '/a/b%2Fc', true],
    ['/100%', '/100%', true],
    ['/*', '/%zz', true],
  ])('%s, %s: %s', (glob, path, matches) => {
    expect(pathGlob(glob)(path)).toBe(matches);
  });
});
