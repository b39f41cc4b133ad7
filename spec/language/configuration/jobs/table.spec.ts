import { configuration, faults, job, run, withJob } from '../support';

describe('primary keys (docs/sinks.md#primary-keys)', () => {
  it('are one column or several, by dataType and in jobs', () => {
    const primaryKeys = { a: 'id', b: ['x', 'y'] };
    expect(run(configuration({}, { primaryKeys })).settings.primaryKeys).toEqual({ a: ['id'], b: ['x', 'y'] });
    expect(job(withJob({ primaryKey: 'id' })).primaryKey).toEqual(['id']);
    expect(job(withJob({ primaryKey: ['x', 'y'] })).primaryKey).toEqual(['x', 'y']);
    expect(job(withJob({ primaryKey: [] }))).not.toHaveProperty('primaryKey');
  });

  it.each([
    [{ a: [] }, 'config.primaryKeys.a: expected the name of a column, or an array of names, found an array'],
    [{ a: ['x', 'x'] }, 'config.primaryKeys.a: expected names that differ: entries 0 and 1 are equal'],
    [{ a: ['x', 1] }, 'config.primaryKeys.a[1]: expected a string, found 1'],
    ['id', 'config.primaryKeys: expected an object, found a string of 2 characters'],
  ])('%j is refused', (primaryKeys, fault) => {
    expect(faults(configuration({}, { primaryKeys }))).toEqual([fault]);
  });
});
