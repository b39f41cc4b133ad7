import { configuration, faults, mistakes, run, warnings } from './support';

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

const withMappings = (mappings: unknown) =>
  configuration({}, { mappings, jobs: [{ endpoint: 'boxes', dataType: 'box' }] });
const faultsOf = (mapping: unknown) => faults(withMappings({ box: mapping }));

describe('config.mappings', () => {
  it('language 8.10: keeps a valid mapping as it is written, without warnings', () => {
    const mappings = {
      box: {
        id: { mapping: { destination: 'id', primaryKey: true } },
        name: 'name',
        made: { type: 'date', mapping: { destination: 'made' } },
        parent_id: { type: 'user', mapping: { destination: 'parent' }, anything: 1 },
        tags: { type: 'table', destination: 'tag', tableMapping: { '.': 'name' }, parentKey: { destination: 'box' } },
        inner: { type: 'table', destination: 'box', parentKey: { disable: true } },
      },
    };
    expect(run(withMappings(mappings)).settings.mappings).toEqual(mappings);
    expect(warnings(withMappings(mappings))).toEqual([]);
  });

  it.each([undefined, [], {}, null])('language 8.10: %j is no mappings', (mappings) => {
    expect(run(withMappings(mappings)).settings).not.toHaveProperty('mappings');
  });

  it.each([null, {}, [], ''])('language 8.10: refuses an empty mapping %j', (mapping) => {
    expect(faultsOf(mapping)).toEqual(['config.mappings.box: required: at least one column']);
  });

  it('language 8.10: a mapping is an object', () => {
    expect(faultsOf('x')).toEqual([
      'config.mappings.box: expected an object of columns, found a string of 1 character',
    ]);
    expect(faults(withMappings('x'))).toEqual(['config.mappings: expected an object, found a string of 1 character']);
  });

  it.each([5, true, '', null, {}])('language 8.10: refuses the entry %j', (entry) => {
    expect(faultsOf({ a: entry })[0]).toMatch(
      /^config\.mappings\.box\.a: expected the name of a column, or an object with "mapping", found /,
    );
  });

  it.each(['column', 'user', 'date', '', undefined])('language 8.10: type %j needs a destination', (type) => {
    expect(faultsOf({ a: { type, mapping: {} }, b: { type, mapping: 'b', forceType: true } })).toEqual([
      'config.mappings.box.a.mapping.destination: required: the name of the column',
      'config.mappings.box.b.mapping: expected an object with "destination", found a string of 1 character',
    ]);
  });

  it('language 8.10: refuses an unknown type, with the likely meant one', () => {
    expect(faultsOf({ a: { type: 'colum', mapping: { destination: 'a' } } })).toEqual([
      'config.mappings.box.a.type: expected one of column, user, date, table, found "colum"; did you mean "column"?',
    ]);
  });

  it('language 8.10: a table needs a destination and columns, at any depth', () => {
    expect(faultsOf({ a: { type: 'table' } })).toEqual([
      'config.mappings.box.a.destination: required: the name of the child table',
      'config.mappings.box.a.tableMapping: required: the columns of the child table',
    ]);
    const nested = { type: 'table', destination: 'tag', tableMapping: { b: { type: 'table', destination: 'deep' } } };
    expect(faultsOf({ a: nested })).toEqual([
      'config.mappings.box.a.tableMapping.b.tableMapping: required: the columns of the child table',
    ]);
  });

  it('language 8.10 rule 7: the self form needs parentKey.disable, in child tables too', () => {
    const message = 'must be true: the destination is the table in which this entry stands';
    expect(faultsOf({ a: { type: 'table', destination: 'box', tableMapping: { b: 'b' } } })).toEqual([
      `config.mappings.box.a.parentKey.disable: ${message}`,
    ]);
    const self = { type: 'table', destination: 'tag' };
    expect(faultsOf({ a: { type: 'table', destination: 'tag', tableMapping: { b: self } } })).toEqual([
      `config.mappings.box.a.tableMapping.b.parentKey.disable: ${message}`,
    ]);
  });
});
