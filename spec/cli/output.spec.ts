import { print, textTable } from '../../src/cli/output';

describe('print', () => {
  it('hears of errors of standard output once, however often it prints', () => {
    const written = jest.spyOn(process.stdout, 'write').mockImplementation(() => true);
    try {
      print('first');
      const before = process.stdout.listenerCount('error');
      for (let count = 0; count < 20; count += 1) print('again');
      expect(process.stdout.listenerCount('error')).toBe(before);
      expect(written).toHaveBeenCalledTimes(21);
    } finally {
      written.mockRestore();
    }
  });
});

describe('textTable', () => {
  const headOf = (names: readonly string[], width: number): string =>
    textTable(
      names.map((name) => ({ name })),
      [names.map(() => '1234567890')],
      width,
    )[0] ?? '';

  it('cuts names that begin alike at their beginning, so that they differ', () => {
    const names = Array.from({ length: 3 }, (_, at) => `measurements_of_station_${at + 1}`);
    expect(headOf(names, 40).split(/ +/)).toEqual(['…f_station_1', '…f_station_2', '…f_station_3']);
    const parts = ['alpha', 'beta'].flatMap((each) => ['least', 'most'].map((end) => `value_of_${each}_${end}`));
    const shown = headOf(parts, 40).split(/ +/);
    expect(new Set(shown).size).toBe(4);
    expect(shown.every((name) => name.length <= 12)).toBe(true);
  });

  it('leaves names as they are that differ in what fits', () => {
    expect(headOf(['temperature_of_water', 'level_of_water'], 26)).toBe('temperature…  level_of_wa…');
  });
});
