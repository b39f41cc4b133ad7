import { isSecretPlace, shown } from '../../src/config/show';

describe('shown', () => {
  it.each([
    ['text', '"text"'],
    [5, '5'],
    [9007199254740993n, '9007199254740993'],
    [true, 'true'],
    [null, 'null'],
    [undefined, 'nothing'],
    [[1], 'a list'],
    [{ a: 1 }, 'an object'],
  ])('language 9: %p as %s', (value, text) => {
    expect(shown(value, ['api'])).toBe(text);
  });

  it('language 1.4: names secrets by type', () => {
    expect(shown('text', ['config', '#a', 'b'])).toBe('a string (secret, not shown)');
    expect(shown([1], ['#a'])).toBe('a list');
    expect(isSecretPlace(['config', 'a#b'])).toBe(false);
  });

  it('language 9: shortens long texts and masks the userinfo of a URL', () => {
    expect(shown('x'.repeat(100), [])).toHaveLength(61);
    expect(shown('http://a:b@h', [])).toBe('"http://***@h"');
  });

  it.each([
    ['user:hunter2pass@api.example/v1', '"***@api.example/v1"'],
    ['https://user:hunter2/pass@api.example/v1', '"https://***@api.example/v1"'],
    ['https://user:hunter2#pass@api.example/v1', '"https://***@api.example/v1"'],
    ['https://user:hun ter2p@ss@ho st/', '"https://***@ho st/"'],
    ['ftp://user:hun"ter2\npass@h', '"ftp://***@h"'],
    ['h.example', '"h.example"'],
  ])('language 1.4: of the refused address %s it shows nothing before the host', (address, text) => {
    expect(shown(address, ['api', 'baseUrl'])).toBe(text);
    expect(shown(address, ['api', 'authentication', 'loginRequest', 'endpoint'])).toBe(text);
  });
});
