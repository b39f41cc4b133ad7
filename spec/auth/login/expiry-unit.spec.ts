import { isUnixMilliseconds, looksLikeMilliseconds } from '../../../src/auth/login/expiry-unit';

describe('looksLikeMilliseconds', () => {
  it.each([60_000, 300_000, 900_000, 3_600_000, 7_200_000, 86_400_000, 604_800_000, 2_592_000_000])(
    '%d does',
    (lifetime) => expect(looksLikeMilliseconds(lifetime)).toBe(true),
  );

  it.each([
    -60_000, 0, 60, 3600, 7200, 36_000, 86_400, 432_000, 604_800, 864_000, 2_592_000, 7_776_000, 31_536_000, 1e15,
    90_001,
  ])('%d does not', (lifetime) => expect(looksLikeMilliseconds(lifetime)).toBe(false));
});

describe('isUnixMilliseconds', () => {
  it.each([
    [1_700_000_000_000, true],
    [1_700_000_000, false],
    [1e30, false],
    [4_102_444_800, false],
  ])('%d: %s', (time, expected) => expect(isUnixMilliseconds(time)).toBe(expected));
});
