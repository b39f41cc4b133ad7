import { parseUrl } from '../../../src/core/url/parse-url';

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
