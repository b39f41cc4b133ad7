import { pauseBefore } from '../../src/http/pause';

/** 2022-12-01 16:00:00 UTC. */
const NOW = 1_669_910_400;

describe('language 2.7: the pause before a retry', () => {
  it.each([
    [1, 1],
    [2, 2],
    [3, 4],
    [10, 512],
  ])('without the header, before retry %i: %i s', (retry, seconds) => {
    expect(pauseBefore(retry, undefined, NOW)).toBe(seconds * 1000);
  });

  it.each([
    ['seconds', '30', 30],
    ['seconds with a fraction, which is cut', '2.9', 2],
    ['seconds between spaces', ' 30 ', 30],
    ['seconds with an exponent', '1e2', 100],
    ['a number just below a day ago: still seconds', String(NOW - 86_401), NOW - 86_401],
    ['a number of a day ago: a timestamp in the past', String(NOW - 86_400), 0],
    ['a timestamp', String(NOW + 7), 7],
    ['a timestamp with a fraction, which is cut', `${NOW + 7}.9`, 7],
    ['a timestamp in the past', String(NOW - 5), 0],
    ['negative seconds', '-5', 0],
    ['a date', 'Thu, 01 Dec 2022 16:00:42 GMT', 42],
    ['a date with an offset', 'Thu, 01 Dec 2022 17:00:42 +0100', 42],
    ['a date with the offset +0000', 'Thu, 01 Dec 2022 16:00:42 +0000', 42],
    ['a date in the past', 'Thu, 01 Dec 2022 15:00:00 GMT', 0],
    ['exactly 0', '0', 8],
    ['less than a second', '0.5', 8],
    ['this very second', String(NOW), 8],
    ['a date of this very second', 'Thu, 01 Dec 2022 16:00:00 GMT', 8],
    ['nothing', '', 8],
    ['text', 'soon', 8],
    ['hexadecimal', '0x10', 8],
    ['a number beyond all numbers', '1e999', 8],
    ['400 digits', '9'.repeat(400), 8],
    ['more milliseconds than can be counted', '1e306', 8],
    ['a date in another form', '2022-12-01T17:00:00Z', 8],
    ['a date that does not exist', 'Thu, 99 Dec 2022 16:00:00 GMT', 8],
  ])('before retry 4, with %s (%s): %i s', (_, value, seconds) => {
    expect(pauseBefore(4, value, NOW)).toBe(seconds * 1000);
  });

  it('counts whole seconds of the clock, so that it never ends early', () => {
    expect(pauseBefore(1, String(NOW + 7), NOW + 0.9)).toBe(7000);
  });
});
