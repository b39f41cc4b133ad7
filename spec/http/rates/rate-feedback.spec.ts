import { requestedDelay, BY_THE_LANGUAGE, backoffDelay, resetMoment } from '../../../src/http/rates/rate-feedback';

describe('reset moment', () => {
  const NOW = Date.UTC(2024, 0, 1);

  describe('docs/language/rate-limits.md: reset headers', () => {
    it.each([
      ['0', NOW],
      ['30', NOW + 30_000],
      [' 1.5 ', NOW + 1500],
      ['1704067260', NOW + 60_000],
      ['1704067260.5', NOW + 60_500],
      ['1704067260500', NOW + 60_500],
      ['Mon, 01 Jan 2024 00:01:00 GMT', NOW + 60_000],
    ])('%j', (value, moment) => {
      expect(resetMoment(value, NOW)).toBe(moment);
    });

    it.each([undefined, '', 'soon', '-5', '1e99', '9'.repeat(30), 'Mon, 99 Jan 2024 00:01:00 GMT'])(
      '%j is unusable',
      (value) => {
        expect(resetMoment(value, NOW)).toBeUndefined();
      },
    );
  });
});

describe('pause', () => {
  /** 2022-12-01 16:00:00 UTC. */
  const NOW = 1_669_910_400;

  describe('language 2.7: the pause before a retry', () => {
    it.each([
      [1, 1],
      [2, 2],
      [3, 4],
      [10, 512],
    ])('before retry %i, when nothing is asked for: %i s', (retry, seconds) => {
      expect(backoffDelay(retry)).toBe(seconds * 1000);
      expect(requestedDelay(undefined, NOW)).toBeUndefined();
    });

    it.each([
      ['seconds', '30', 30],
      ['seconds with a fraction, which is rounded up', '2.1', 3],
      ['less than a second', '0.5', 1],
      ['seconds between spaces', ' 30 ', 30],
      ['seconds with an exponent', '1e2', 100],
      ['a number just below a day ago: still seconds', String(NOW - 86_401), NOW - 86_401],
      ['a number of a day ago: a timestamp in the past', String(NOW - 86_400), 0],
      ['a timestamp', String(NOW + 7), 7],
      ['a timestamp with a fraction, which is rounded up', `${NOW + 7}.1`, 8],
      ['a timestamp in the past', String(NOW - 5), 0],
      ['negative seconds', '-5', 0],
      ['a date', 'Thu, 01 Dec 2022 16:00:42 GMT', 42],
      ['a date with an offset', 'Thu, 01 Dec 2022 17:00:42 +0100', 42],
      ['a date with the offset +0000', 'Thu, 01 Dec 2022 16:00:42 +0000', 42],
      ['a date in the past', 'Thu, 01 Dec 2022 15:00:00 GMT', 0],
    ])('%s (%s): %i s', (_, value, seconds) => {
      expect(requestedDelay(value, NOW)).toBe(seconds * 1000);
    });

    it.each([
      ['exactly 0', '0'],
      ['this very second', String(NOW)],
      ['a date of this very second', 'Thu, 01 Dec 2022 16:00:00 GMT'],
      ['nothing', ''],
      ['text', 'soon'],
      ['hexadecimal', '0x10'],
      ['a number beyond all numbers', '1e999'],
      ['400 digits', '9'.repeat(400)],
      ['more milliseconds than can be counted', '1e306'],
      ['a date in another form', '2022-12-01T17:00:00Z'],
      ['a date that does not exist', 'Thu, 99 Dec 2022 16:00:00 GMT'],
    ])('%s (%s): nothing is asked for', (_, value) => {
      expect(requestedDelay(value, NOW)).toBeUndefined();
    });

    it('counts whole seconds of the clock, so that it never ends early', () => {
      expect(requestedDelay(String(NOW + 7), NOW + 0.9)).toBe(7000);
    });

    it.each([
      ['2.9', 2000],
      [`${NOW + 7}.9`, 7000],
      ['0.5', undefined],
      ['0', undefined],
    ])('as the language reads it, a fraction is cut: %s is %s ms', (value, expected) => {
      expect(requestedDelay(value, NOW, BY_THE_LANGUAGE)).toBe(expected);
    });

    it.each([
      ['0', 0],
      ['0.5', 1000],
      ['-0.5', 0],
      [String(NOW), 0],
      ['Thu, 01 Dec 2022 16:00:00 GMT', 0],
      ['-5', 0],
      ['30', 30_000],
      ['', undefined],
      ['soon', undefined],
      ['1e999', undefined],
      [undefined, undefined],
    ])('where 0 means at once, %s is %s ms', (value, expected) => {
      expect(requestedDelay(value, NOW, { zero: 'at once' })).toBe(expected);
    });
  });
});
