import { resetMoment } from '../../../src/http/rates/reset-moment';

const NOW = Date.UTC(2024, 0, 1);

describe('docs/extensions/rate-limits.md: reset headers', () => {
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
