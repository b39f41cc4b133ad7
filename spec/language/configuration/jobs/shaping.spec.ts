import { faults, job, warnings, withJob } from '../support';

const withFilter = (recursionFilter: unknown) =>
  withJob({ children: [{ endpoint: 'x/{id}', placeholders: { id: 'id' }, recursionFilter }] });

describe('recursionFilter', () => {
  it.each(['size>=10&kind==crate|kind~~box%', 'owner==', 'a<b', 'a!~b'])('language 6.7: takes %s', (filter) => {
    expect(job(withFilter(filter)).children[0]?.recursionFilter).toBe(filter);
  });

  it.each([
    ['size=10', 1],
    ['a==b&c', 2],
    ['a==b|', 2],
  ])('language 6.7: refuses %s, where condition %i has no operator', (filter, at) => {
    expect(faults(withFilter(filter))[0]).toBe(
      `config.jobs[0].children[0].recursionFilter: expected an operator (one of ==, !=, >=, <=, >, <, ~~, !~) in every condition, found none in condition ${at}`,
    );
  });

  it.each([
    ['s=="open"', 's==open'],
    ['s == open', 's==open'],
    ['s<>closed', 's!=closed'],
    ['s==open and k==1', '"and"'],
  ])('language 6.7: takes %s as it stands, which is worth a warning', (filter, hint) => {
    expect(job(withFilter(filter)).children[0]?.recursionFilter).toBe(filter);
    const [warning = '', ...others] = warnings(withFilter(filter));
    expect(others).toEqual([]);
    expect(warning).toContain('config.jobs[0].children[0].recursionFilter: expected ');
    expect(warning).toContain(hint);
  });

  it('language 6.1: is text; blank is none', () => {
    expect(faults(withFilter(['a==b']))[0]).toContain('expected a string, found an array');
    expect(job(withFilter('')).children[0]).not.toHaveProperty('recursionFilter');
  });
});

describe('filter and exclude', () => {
  it.each([
    'status==open&total>=10|kind~~box%',
    'name==Food and Drink',
    "name==it's",
    'a==',
    'x-y!=-1',
    'at>=2024-03-01T10:00',
    'at<2024/03/01',
    'at==1.3.2024',
    'v>=1.2',
  ])('take %s', (filter) => {
    expect(job(withJob({ filter })).shaping?.filter).toEqual([filter]);
  });

  it.each([
    ['status == open', 'status==open'],
    ['status== open', 'status==open'],
    ["status=='open'", 'status==open'],
    ['a==1&status == "open"', 'status==open'],
    ['a==1&&b==2', 'one "&" or one "|"'],
    ['a==1 and b==2', '"and"'],
    ['a==1 OR b>2', '"or"'],
    ['at>=2024-3-1', '"2024-3-1"'],
    ['at<01.03.2024', '"01.03.2024"'],
    ['a==1|at>3/1/24', '"3/1/24"'],
    ['status<>open', 'status!=open'],
    ['at<=2024-03-1T10:00', '"2024-03-1"'],
  ])('refuse %s, which would be taken literally', (condition, hint) => {
    for (const option of ['filter', 'exclude']) {
      const [fault = ''] = faults(withJob({ [option]: [condition] }));
      expect(fault).toContain(`config.jobs[0].${option}`);
      expect(fault).toContain(hint.startsWith('status') ? JSON.stringify(hint) : hint);
    }
  });
});
