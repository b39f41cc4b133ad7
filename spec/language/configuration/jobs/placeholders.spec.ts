import { faults, job, mistakes, warnings, withJob } from '../support';

const withChild = (placeholders: unknown, endpoint = 'x/{id}', more: Record<string, unknown> = {}) =>
  withJob({ children: [{ endpoint, placeholders, ...more }] });
const PLACE = 'config.jobs[0].children[0].placeholders';

describe('placeholders', () => {
  it('language 6.6 rule 2: a field is a path or an object with a path', () => {
    const placeholders = { id: 'a.b', n: 0, f: { path: 'c', function: 'md5', args: [{ placeholder: 'value' }] } };
    expect(job(withChild(placeholders, '{id}/{n}/{f}')).children[0]?.placeholders).toEqual(placeholders);
  });

  it.each([null, '', true, [], ['a'], {}, { function: 'md5' }, { path: '' }, { path: ['a'] }])(
    'language 6.6 rule 2: refuses %j, which has no path',
    (field) => {
      expect(faults(withChild({ id: field }))).toEqual([
        `${PLACE}.id: expected a path in the parent item, or an object with "path" and "function"`,
      ]);
    },
  );

  it('language 6.6 rule 1: the level must exist', () => {
    expect(faults(withChild({ '2:id': 'id' }, 'x/{2:id}'))).toEqual([
      `${PLACE}.2:id: level 2 does not exist here: this child has 1 level(s) above it`,
    ]);
    expect(faults(withChild({ '0:id': 'id' }, 'x/{0:id}'))[0]).toContain('level 0 does not exist here');
    const grandchild = { endpoint: 'y/{2:id}', placeholders: { '2:id': 'id' } };
    expect(faults(withChild({ id: 'id' }, 'x/{id}', { children: [grandchild] }))).toEqual([]);
  });

  it('language 6.6 rule 7: warns about a placeholder that no endpoint uses, with the likely meant one', () => {
    expect(warnings(withChild({ box_id: 'id' }, 'x/{box-id}'))).toEqual([
      `${PLACE}.box_id: is in no endpoint, params, variables, body or headers of this job or its children: it only adds a column; did you mean "box-id"?`,
    ]);
  });

  it('one that is misspelled is refused: the endpoint would be requested as it stands', () => {
    expect(mistakes(withChild({ pid: 'id' }, 'x/{pdi}'))).toEqual([expect.stringContaining(`${PLACE}.pid: is in no`)]);
    expect(mistakes(withChild({ label: 'id' }, 'x/{id}'))).toEqual([]);
  });

  it.each(['params', 'body', 'headers'])('docs/extensions/placeholders-in-params.md: one in %s is in use', (key) => {
    const used = { [key]: { a: key === 'headers' ? ['x-{id}'] : { b: ['x-{id}'] } } };
    expect(warnings(withChild({ id: 'id' }, 'x', used))).toEqual([]);
    const off = warnings(withChild({ id: 'id' }, 'x', { ...used, placeholdersInParams: false }));
    expect(off).toHaveLength(key === 'headers' ? 0 : 1);
  });

  it('language 6.6 rule 5: a placeholder that a grandchild uses is in use', () => {
    const grandchild = { endpoint: 'y/{id}', placeholders: {} };
    expect(warnings(withChild({ id: 'id' }, 'x', { children: [grandchild] }))).toEqual([]);
  });

  it('language 6.6: placeholders must be an object', () => {
    expect(faults(withChild('id'))).toEqual([`${PLACE}: expected an object, found a string of 2 characters`]);
    expect(faults(withChild([]))).toEqual([]);
  });
});
