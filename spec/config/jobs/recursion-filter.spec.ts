import { faults, job, withJob } from '../support';

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

  it('language 6.1: is text; blank is none', () => {
    expect(faults(withFilter(['a==b']))[0]).toContain('expected a string, found an array');
    expect(job(withFilter('')).children[0]).not.toHaveProperty('recursionFilter');
  });
});
