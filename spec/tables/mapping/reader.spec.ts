import { ConfigurationError, type Fault } from '../../../src/core/errors/errors';
import { parseJson } from '../../../src/core/json/parse';
import type { Json, JsonObject } from '../../../src/core/model';
import { compileMappings } from '../../../src/tables/mapping/mapping';
import { compilePath, valueAtPath } from '../../../src/tables/mapping/reader';

const thrownBy = (action: () => unknown): unknown => {
  try {
    action();
  } catch (error) {
    return error;
  }
  return undefined;
};

function faultsOf(mappings: JsonObject): readonly Fault[] {
  const error = thrownBy(() => compileMappings(mappings));
  if (!(error instanceof ConfigurationError)) throw new Error(`no configuration error: ${String(error)}`);
  return error.faults;
}

const faultsOfUsers = (mapping: Json): readonly Fault[] => faultsOf({ users: mapping });

const table = (more: JsonObject): JsonObject => ({
  type: 'table',
  destination: 'tag',
  tableMapping: { '.': 'n' },
  ...more,
});

describe('faults of mappings', () => {
  it.each([[{}], [[]], [null], [''], [0], [false]])('language 8.10: an empty mapping: %j', (mapping) => {
    expect(faultsOfUsers(mapping)).toEqual([
      { path: 'config.mappings.users', message: "Empty mapping for 'users' data type in 'mappings' config." },
    ]);
  });

  it.each([
    ['id', 'string'],
    [7, 'number'],
    [true, 'boolean'],
  ])('language 8.10: a mapping that is no object: %j', (mapping, type) => {
    expect(faultsOfUsers(mapping)).toEqual([
      {
        path: 'config.mappings.users',
        message: `Mapping must be 'array' type, '${type}' type given, for 'users' data type in 'mappings' config.`,
      },
    ]);
  });

  it.each([
    [{ mapping: {} }],
    [{ mapping: { destination: '' } }],
    [{ type: 'column' }],
    [{ type: 'user' }],
    [{ type: 'date', mapping: { destination: null } }],
    [{ destination: 'id' }],
    [''],
  ])('language 8.10: a column without destination: %j', (entry) => {
    expect(faultsOfUsers({ 'user.id': entry })).toEqual([
      {
        path: 'config.mappings.users["user.id"]',
        message: "Bad Json to CSV Mapping configuration: Key 'mapping.destination' is not set for column 'user.id'.",
      },
    ]);
  });

  it('language 8.10: a table without tableMapping or destination', () => {
    expect(faultsOfUsers({ tags: table({ tableMapping: {} }), more: table({ destination: '' }) })).toEqual([
      {
        path: 'config.mappings.users.tags',
        message: "Bad Json to CSV Mapping configuration: Key 'tableMapping' is not set for table 'tags'.",
      },
      {
        path: 'config.mappings.users.more',
        message: "Bad Json to CSV Mapping configuration: Key 'destination' is not set for table 'more'.",
      },
    ]);
  });

  it('language 8.10: a tableMapping that is no object', () => {
    expect(faultsOfUsers({ tags: table({ tableMapping: 'name' }) })).toEqual([
      { path: 'config.mappings.users.tags.tableMapping', message: 'must be an object of columns.' },
    ]);
  });

  it.each([
    ['tabel', 'tabel'],
    [5, '5'],
    [{ a: 1 }, 'object'],
  ])('language 8.10: an unknown type: %j', (type, shown) => {
    expect(faultsOfUsers({ id: { type, mapping: { destination: 'id' } } })).toEqual([
      {
        path: 'config.mappings.users.id.type',
        message: `Invalid mapping type "${shown}". Use column, user, date or table.`,
      },
    ]);
  });

  it('an entry that is neither a name nor an object', () => {
    expect(faultsOfUsers({ id: 5 })).toEqual([
      { path: 'config.mappings.users.id', message: 'must be the name of a column or an object, not number.' },
    ]);
  });

  it('language 8.10 rule 7: the self form needs parentKey.disable', () => {
    const message = "'parentKey.disable' must be true to parse child values into parent's table.";
    const self = { type: 'table', destination: 'users' };
    expect(faultsOfUsers({ id: 'id', children: self })).toEqual([{ path: 'config.mappings.users.children', message }]);
    expect(faultsOfUsers({ id: 'id', children: { ...self, parentKey: { disable: false } } })).toEqual([
      { path: 'config.mappings.users.children', message },
    ]);
  });

  it.each(['.', ''])('language 8.10 rule 7: the self form of path "%s" would never end', (path) => {
    const self = { type: 'table', destination: 'users', parentKey: { disable: true } };
    expect(faultsOfUsers({ id: 'id', [path]: self })).toEqual([
      expect.objectContaining({ message: 'must lead to a part of the item: an item cannot be its own child.' }),
    ]);
  });

  it('names the place inside child tables, and reports everything at once', () => {
    const faults = faultsOf({
      users: { id: 'id', tags: table({ tableMapping: { 'a b': { type: 'x' }, n: 'n', c: {} } }) },
      'a.b': [],
    });
    expect(faults.map(({ path }) => path)).toEqual([
      'config.mappings.users.tags.tableMapping["a b"].type',
      'config.mappings.users.tags.tableMapping.c',
      'config.mappings["a.b"]',
    ]);
  });

  it.each([
    ['two columns', { a: 'x', b: 'x' }, 'users.b', 'x', 'users'],
    ['a column and a link', { a: 'tag', tags: table({}) }, 'users.tags', 'tag', 'users'],
    [
      'a column and the parent key',
      { tags: table({ tableMapping: { id: 'users_pk' } }) },
      'users.tags',
      'users_pk',
      'tag',
    ],
  ])('a column name that stands twice: %s', (_, mapping, place, column, name) => {
    expect(faultsOfUsers(mapping)).toEqual([
      {
        path: `config.mappings.${place}`,
        message: `Column '${column}' stands twice in table '${name}'. Rename one with 'destination'.`,
      },
    ]);
  });

  it('language 8.10: tables of one name in one mapping need the same columns', () => {
    const mapping = {
      id: { mapping: { destination: 'id', primaryKey: true } },
      home: table({ destination: 'phone', tableMapping: { n: 'number' } }),
      work: table({ destination: 'phone', tableMapping: { n: 'number', x: 'extension' } }),
    };
    expect(faultsOfUsers(mapping)).toEqual([
      {
        path: 'config.mappings.users.work',
        message:
          "Multiple results for 'phone' table have different columns! " +
          'One has number, users_pk; another has number, extension, users_pk. ' +
          'Give both the same columns in the same order, or another name (dataType or destination) to one of them.',
      },
    ]);
  });

  it('language 8.10: tables of one name in several mappings need the same columns', () => {
    expect(faultsOf({ tag: { id: 'id' }, users: { id: 'id', tags: table({}) } })).toEqual([
      {
        path: 'config.mappings.users.tags',
        message: expect.stringMatching(
          /^Multiple results for 'tag' table have different columns! One has id; /,
        ) as string,
      },
    ]);
  });

  it('reports the place that it was given', () => {
    const error = thrownBy(() => compileMappings({ users: { id: {} } }, 'iterations[1].mappings'));
    expect(error).toMatchObject({ code: 'CONFIG_INVALID', faults: [{ path: 'iterations[1].mappings.users.id' }] });
  });
});

const ITEM = parseJson(
  '{"id":1,"a":{"b":[10,{"c":"deep","p.q":"inner"},null]},"x.y":"dotted","10":"ten","gone":null,"__proto__":"data"}',
);
const at = (path: string, delimiter = '.') => valueAtPath(ITEM, compilePath(path, delimiter));

describe('paths of mappings', () => {
  it.each([
    ['id', 1],
    ['a.b.0', 10],
    ['a.b.1.c', 'deep'],
    ['a.b.-2.c', 'deep'],
    ['a.b.-3', 10],
    ['10', 'ten'],
    ['gone', null],
    ['__proto__', 'data'],
    ['x.y', 'dotted'],
    ['a.b.1.p.q', 'inner'],
  ])('language 0.4 rule 1: %s', (path, value) => {
    expect(at(path)).toEqual(value);
  });

  it.each([
    'b',
    'id.b',
    'a.b.c',
    'a.b.3',
    'a.b.-1',
    'a.b.-4',
    'a.b.-0',
    'a.b.00',
    'constructor',
    'gone.x',
    'a.b.length',
    'x',
    'x.y.z',
  ])('language 0.4 rule 4: %s is missing', (path) => {
    expect(at(path)).toBeUndefined();
  });

  it('language 0.4 rule 1: a null element of a list is missing', () => {
    expect(at('a.b.2')).toBeUndefined();
  });

  it.each([
    ['.', '.'],
    ['', '.'],
    ['/', '/'],
    ['', '/'],
  ])('language 8.10: path "%s" with delimiter "%s" is the item itself', (path, delimiter) => {
    expect(at(path, delimiter)).toBe(ITEM);
  });

  it('language 0.4 rule 3: another delimiter reaches keys with a dot', () => {
    expect(at('x.y', '/')).toBe('dotted');
    expect(at('a/b/0', '/')).toBe(10);
    expect(at('.', '/')).toBeUndefined();
  });
});
