import { tooManyColumns } from '../../../src/core/errors/errors';
import { limitedOutputs, limitOf } from '../../../src/tables/schema/column-names';

describe('the limit of columns', () => {
  const limits = (maxColumns: number | undefined) =>
    limitedOutputs(
      [{ incremental: false, compatLevel: 3, ...(maxColumns === undefined ? {} : { maxColumns }) }],
      2000,
      'SQLite takes no more of them.',
    ).map((output) => limitOf(output, 'users'));

  it.each([undefined, 2000, 6000])('is that of the database where the configuration has no lower one: %s', (most) => {
    const [limit] = limits(most);
    expect(limit).toEqual({ table: 'users', most: 2000, remedy: 'SQLite takes no more of them.' });
    const { message } = tooManyColumns('users', 2000, ['a'], limit?.remedy);
    expect(message).toMatch(/2,000 columns.*SQLite takes no more of them\./);
    expect(message).not.toContain('maxColumns');
  });

  it('is else that of the configuration, which may be raised', () => {
    expect(limits(50)).toEqual([{ table: 'users', most: 50 }]);
  });
});
