import { configuration, faults, mistakes, warnings } from '../support';

const withEntry = (entry: unknown) => configuration({}, { mappings: { items: { a: entry } } });
const PLACE = 'config.mappings.items.a';

describe('keys of entries of mappings', () => {
  it.each([
    [{ mapping: { destination: 'a', primarykey: true } }, 'mapping.primarykey', 'did you mean "primaryKey"?'],
    [{ mapping: { destination: 'a' }, forcetype: true }, 'forcetype', 'did you mean "forceType"?'],
    [{ mapping: { destination: 'a' }, primaryKey: true }, 'primaryKey', 'write it inside "mapping"'],
    [
      { type: 'table', destination: 'b', tableMapping: { x: 'x' }, parentkey: { disable: true } },
      'parentkey',
      'did you mean "parentKey"?',
    ],
    [
      { type: 'table', destination: 'b', tableMapping: { x: 'x' }, parentKey: { disabled: true } },
      'parentKey.disabled',
      'did you mean "disable"?',
    ],
    [
      { type: 'table', destination: 'b', tableMapping: { x: { mapping: { destination: 'x' }, forceTyp: 1 } } },
      'tableMapping.x.forceTyp',
      'did you mean "forceType"?',
    ],
  ])('language 8.10: %j is refused', (entry, path, meant) => {
    expect(mistakes(withEntry(entry))).toEqual([expect.stringContaining(`${PLACE}.${path}: has no effect`)]);
    expect(mistakes(withEntry(entry))[0]).toContain(meant);
  });

  it('language 8.10: notes of an editor, and blank keys, are passed over', () => {
    const entry = { mapping: { destination: 'a', propertyOrder: 1 }, primaryKey: false, note: 'n' };
    expect(faults(withEntry(entry))).toEqual([]);
    expect(warnings(withEntry(entry))).toEqual([]);
  });
});
