import { endpointUrl, isAbsolute, nextAddress } from '../../../src/core/url/address';
import type { RelativeTo } from '../../../src/core/url/address';
import { NoAddress } from '../../../src/core/url/reference';

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

  it.each<RelativeTo>(['endpoint', 'base', 'request'])('relative to %s: an address that is no URL is refused', (to) => {
    expect(() => next('https://', to)).toThrow('an address has to begin with http:// or https:// and a host');
    expect(() => next('https://h.example:port/', to)).toThrow('it is no URL');
  });

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
