import { print } from '../../src/cli/output';

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
