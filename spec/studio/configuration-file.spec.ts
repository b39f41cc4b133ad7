/** The studio reads a text as a run of the file does. */
import { valueOf } from '../../src/studio/configuration-file';

describe('valueOf', () => {
  it.each([
    ['a number that may be a postal code', 'yaml', 'zip: 01234\n', 'begins with 0'],
    ['a merge', 'yaml', 'a: &a {x: 1}\nb: {<<: *a}\n', '"<<"'],
    ['a number that JSON has not', 'yaml', 'a: .inf\n', 'no such number'],
    ['a second document', 'yaml', 'a: 1\n---\nb: 1\n', 'second document'],
    ['a key that stands twice', 'yaml', 'a: 1\na: 2\n', 'twice'],
  ] as const)('refuses %s', (_, language, text, why) => {
    expect(() => valueOf(text, language)).toThrow(why);
  });

  it('takes a comma after the last member, and large numbers whole', () => {
    expect(valueOf('{"a": [1, 2,], "b": 12345678901234567890,}', 'json')).toEqual({
      a: [1, 2],
      b: 12345678901234567890n,
    });
  });

  it('says where a text is broken, without it', () => {
    expect(() => valueOf('{\n "#token": "abc', 'json')).toThrow(/line 2, column \d+\.$/);
  });
});
