import { isLeft, left, right } from 'fp-ts/lib/Either';
import {
  choose,
  codec,
  contextAt,
  expected,
  findingsOf,
  join,
  lazy,
  noting,
  pathOf,
  readAt,
  refine,
} from '../../../src/language/codec/codec';
import { numeric, text } from '../../../src/language/codec/primitives';
import * as t from 'io-ts';

const linesOf = (result: t.Validation<unknown>) =>
  isLeft(result) ? findingsOf(result.left).map(({ path, message }) => `${path.join('/')}: ${message}`) : [];

describe('codecs', () => {
  it('house: a place becomes an io-ts context and back', () => {
    expect(pathOf(contextAt(['api', 'http']))).toEqual(['api', 'http']);
    expect(pathOf(contextAt([]))).toEqual([]);
  });

  it('house: decode starts at the root, and refine sees the decoded value', () => {
    const even = refine('Even', numeric, (value, context, input) =>
      value % 2 === 0 ? t.success(value) : expected('an even number', input, context),
    );
    expect(even.decode('4')).toEqual(right(4));
    expect(linesOf(even.decode('5'))).toEqual([': expected an even number, found a string of 1 character']);
    expect(linesOf(even.decode('x'))).toEqual([': expected a number, found a string of 1 character']);
  });

  it('house: join reports the faults of both places', () => {
    const both = join(
      'Both',
      numeric,
      (a) => readAt(text, a === undefined ? true : 'x', ['other']),
      (a, b) => [a, b] as const,
    );
    expect(both.decode('4')).toEqual(right([4, 'x']));
    expect(linesOf(both.validate('x', contextAt(['here'])))).toEqual([
      'here: expected a number, found a string of 1 character',
      'other: expected a string, found true',
    ]);
  });

  it('house: choose takes the notes of the chosen codec, and none when it cannot choose', () => {
    const noted = noting(text, (_, path) => [{ path, message: 'noted' }]);
    const chosen = choose(
      'Chosen',
      () => noted.schema(),
      (input, context) =>
        input === null ? expected('a string', input, context) : right<t.Errors, typeof noted>(noted),
    );
    expect(chosen.notes('x', ['a'])).toEqual([{ path: ['a'], message: 'noted' }]);
    expect(chosen.notes(null, ['a'])).toEqual([]);
    expect(lazy('Lazy', () => noted).notes('x', ['b'])).toEqual([{ path: ['b'], message: 'noted' }]);
  });

  it('house: a failure without a message still says what was found', () => {
    const silent = codec('Silent', {}, (input, context) => left([{ value: input, context }]));
    expect(linesOf(silent.validate('x', contextAt(['a'])))).toEqual(['a: cannot be used: a string of 1 character']);
  });
});
