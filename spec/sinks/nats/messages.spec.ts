import * as fc from 'fast-check';
import { covers, inHeader, subjectOf } from '../../../src/sinks/nats/messages';

const names = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.string({ unit: fc.constantFrom('%', '2', 'E', '.', '\ud800', 'u') }),
);

describe('subjectOf', () => {
  it.each([
    ['user', 'p.user'],
    ['größe', 'p.größe'],
    ['a.b *>', 'p.a%2Eb%20%2A%3E'],
    ['', 'p.%'],
    ['%', 'p.%25'],
    ['\ud800', 'p.%uD800'],
  ])('%j is %s', (dataType, subject) => expect(subjectOf('p', dataType)).toBe(subject));

  it('is one token, and of one data type only', () => {
    fc.assert(
      fc.property(names, names, (one, other) => {
        expect(subjectOf('p', one)).toMatch(/^p\.[^\s.*>]+$/);
        expect(subjectOf('p', one) === subjectOf('p', other)).toBe(one === other);
      }),
    );
  });
});

describe('inHeader', () => {
  it('is printable ASCII', () => {
    fc.assert(fc.property(names, (name) => expect(inHeader(name)).toMatch(/^[!-~]*$/)));
    expect(inHeader('a "ü%')).toBe('a%20%22%C3%BC%25');
  });
});

describe('covers', () => {
  it.each([
    ['a.>', 'a.b.c', true],
    ['a.>', 'a.>', true],
    ['>', 'a', true],
    ['a.*', 'a.b', true],
    ['a.*', 'a.>', false],
    ['a.*', 'a.b.c', false],
    ['a.>', 'a', false],
    ['a.b', 'a.c', false],
    ['a.b', 'a', false],
  ])('%s, %s: %s', (pattern, other, expected) => expect(covers(pattern, other)).toBe(expected));
});
