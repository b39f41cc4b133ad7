import * as fc from 'fast-check';
import { nextAddress } from '../../../src/core/url/address';
import type { RelativeTo } from '../../../src/core/url/address';
import { checkQuery, checkReference, NoAddress, resolveReference } from '../../../src/core/url/reference';
import { runsOf } from '../../support/cases';

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
