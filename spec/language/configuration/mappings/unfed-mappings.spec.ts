import { configuration, faults, warnings } from '../support';

const withMappings = (mappings: Record<string, unknown>, more: Record<string, unknown> = {}, beside = {}) =>
  configuration({}, { mappings, ...more }, beside);
const EMPTY = 'no job has this dataType, so its table stays empty';

describe('mappings of dataTypes that no job has', () => {
  it('are warnings with their place and the dataType that is likely meant', () => {
    const input = withMappings({ itmes: { id: 'id' }, 'other one': { id: 'id' }, items: { id: 'id' } });
    expect(faults(input)).toEqual([]);
    expect(warnings(input)).toEqual([
      `config.mappings.itmes: ${EMPTY}; did you mean "items"?`,
      `config.mappings["other one"]: ${EMPTY}`,
    ]);
  });

  it('the dataType of a job is its endpoint as written, and children count', () => {
    const children = [{ endpoint: 'items/{id}/parts', placeholders: { id: 'id' }, children: [] }];
    const jobs = [{ endpoint: 'items', dataType: 'thing', children }];
    const mappings = { thing: { a: 'a' }, 'items/{id}/parts': { a: 'a' }, items: { a: 'a' } };
    expect(warnings(withMappings(mappings, { jobs }))).toEqual([`config.mappings.items: ${EMPTY}`]);
  });

  it('iterations share mappings: one that feeds them is enough', () => {
    const iterations = [{ jobs: [{ endpoint: 'a' }] }, { jobs: [{ endpoint: 'b' }] }];
    const mappings = { a: { x: 'x' }, b: { x: 'x' }, c: { x: 'x' } };
    expect(warnings(withMappings(mappings, {}, { iterations }))).toEqual([`config.mappings.c: ${EMPTY}`]);
    const own = [{ mappings: { b: { x: 'x' } } }, { mappings: { items: { x: 'x' } } }];
    expect(warnings(withMappings({}, {}, { iterations: own }))).toEqual([`iterations[0].mappings.b: ${EMPTY}`]);
  });
});
