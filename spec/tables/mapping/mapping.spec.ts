import { FatalError } from '../../../src/core/errors/errors';
import { parseJson } from '../../../src/core/json/parse';
import type { Item, JsonObject } from '../../../src/core/model';
import { compileMappings } from '../../../src/tables/mapping/mapping';
import { emitRows, mapped, withNumberedDigests } from '../mapping-in-memory';

const column = (destination: string, more: JsonObject = {}): JsonObject => ({ mapping: { destination, ...more } });
const key = (destination: string): JsonObject => column(destination, { primaryKey: true });
const child = (destination: string, tableMapping: JsonObject, more: JsonObject = {}): JsonObject => ({
  type: 'table',
  destination,
  tableMapping,
  ...more,
});
const boxes = (mapping: JsonObject, items: readonly Item[], extra: Readonly<Record<string, string>> = {}) =>
  withNumberedDigests(mapped({ box: mapping }, 'box', items, extra));

describe('columns of mappings', () => {
  it('language 8.10: only mentioned properties, in the order of the mapping; the short form', () => {
    const mapping = { name: column('n', {}), id: 'i', 'at.city': { type: 'column', ...column('city') } };
    expect(boxes(mapping, [{ id: 1, name: 'Ann', at: { city: 'Brno', zip: 2 } }, { name: 'Bo' }])).toEqual({
      box: ['n|i|city', 'Ann|1|Brno', 'Bo||'],
    });
  });

  it('language 0.3: keys that look like numbers keep their order', () => {
    const mapping = parseJson('{"10": "ten", "2": "two"}') as JsonObject;
    expect(boxes(mapping, [{ '2': 'b', '10': 'a' }])).toEqual({ box: ['ten|two', 'a|b'] });
  });

  it('language 8.4: cells', () => {
    const items = parseJson('[{"v":"a"},{"v":1.50},{"v":9007199254740993},{"v":true},{"v":false},{"v":null},{}]');
    expect(boxes({ v: 'v' }, items as Item[])).toEqual({
      box: ['v', 'a', '1.5', '9007199254740993', '1', '', '', ''],
    });
  });

  it('language 8.10: user columns go by their literal name; an absent one is empty', () => {
    const mapping = {
      'parent_info.id': { type: 'user', ...column('parent') },
      country: { type: 'user', ...column('country') },
      gone: { type: 'user', ...column('gone') },
    };
    const items = [{ parent_info: { id: 'of the item' }, country: 'of the item', gone: 'of the item' }];
    expect(boxes(mapping, items, { 'parent_info.id': '7', country: 'UK' })).toEqual({
      box: ['parent|country|gone', '7|UK|'],
    });
  });

  it('language 8.10: a date becomes a Unix timestamp when it is understood', () => {
    const mapping = { d: { type: 'date', ...column('d') } };
    const dates = ['2020-02-03 04:05:06', '2020-02-03T04:05:06+02:00', '-1 day', 'nonsense', '', 1600000000, null];
    expect(boxes(mapping, [...dates.map((d) => ({ d })), {}])).toEqual({
      box: ['d', '1580702706', '1580695506', '1623749415', 'nonsense', '', '1600000000', '', ''],
    });
  });

  it('language 8.10: forceType writes lists and objects as JSON text; scalars stay plain', () => {
    const mapping = { v: { ...column('v'), forceType: 'json' } };
    const items = parseJson('[{"v":["a",1]},{"v":{"b":9007199254740993}},{"v":[]},{"v":"a"},{"v":true},{}]');
    expect(boxes(mapping, items as Item[])).toEqual({
      box: ['v', '["a",1]', '{"b":9007199254740993}', '[]', 'a', '1', ''],
    });
  });

  it('language 8.10: delimiter of an entry', () => {
    const mapping = { 'a/b.c': { ...column('c'), delimiter: '/' }, 'a.d': { ...column('d'), delimiter: '' } };
    expect(boxes(mapping, [{ a: { 'b.c': 1, d: 2 } }])).toEqual({ box: ['c|d', '1|2'] });
  });

  it('language 8.10: items that are lists or scalars', () => {
    expect(boxes({ '0': 'first', '1': 'second' }, [['a', 'b', 'c'], ['d']])).toEqual({
      box: ['first|second', 'a|b', 'd|'],
    });
    expect(boxes({ '.': 'v' }, ['x', 5, null])).toEqual({ box: ['v', 'x', '5', ''] });
    expect(boxes({ '': 'v' }, ['x'])).toEqual({ box: ['v', 'x'] });
    expect(boxes({ id: 'id' }, ['x', null])).toEqual({ box: ['id', '', ''] });
  });

  it.each([
    [{}, 'object'],
    [[], 'array'],
    [['a'], 'array'],
  ])('language 8.10: without forceType, %j is an error', (value, type) => {
    const mapping = { tags: child('tag', { v: column('value') }) };
    const write = () => boxes(mapping, [{ tags: [{ v: value }] }]);
    expect(write).toThrow(FatalError);
    expect(write).toThrow(
      "Error saving 'box' data to CSV column: Error writing 'value' column: " +
        `the API gave a value of type ${type} for config.mappings.box.tags.tableMapping.v. ` +
        'Set "forceType": true there to keep it as JSON text, or map it with "type": "table".',
    );
  });

  it('language 0.2: a list stands for an object with the keys 0, 1, …', () => {
    const box = ['a', 'b'];
    expect(mapped({ box }, 'box', [['x', 'y']])).toEqual({ box: ['a|b', 'x|y'] });
  });
});

describe('tables of mappings', () => {
  it('language 8.10, the sample with a primary key', () => {
    const mapping = { id: key('id'), tags: child('tag', { '.': 'name' }) };
    expect(boxes(mapping, [{ id: 5, tags: ['x', 'y'] }])).toEqual({
      box: ['id', '5'],
      tag: ['name|box_pk', 'x|5', 'y|5'],
    });
  });

  it('language 8.10, the sample without a primary key', () => {
    const mapping = { id: 'id', tags: child('tag', { '.': 'name' }) };
    expect(boxes(mapping, [{ id: 5, tags: ['x', 'y'] }])).toEqual({
      box: ['id|tag', '5|#1'],
      tag: ['name|box_pk', 'x|#1', 'y|#1'],
    });
  });

  it('language 8.10 rule 1: a list gives a row per element, anything else one row', () => {
    const mapping = { id: key('id'), t: child('t', { '.': { ...column('v'), forceType: true }, a: 'a' }) };
    const values: Item[] = [['x', null, ['y']], { a: 1 }, 'x', 0, false, '', {}];
    expect(
      boxes(
        mapping,
        values.map((t, id) => ({ id, t })),
      )['t'],
    ).toEqual(['v|a|box_pk', ...['x||0', '||0', '["y"]||0', '{"a":1}|1|1', 'x||2', '0||3', '||4', '||5', '{}||6']]);
  });

  it('language 8.10 rule 2: the primary key is what is marked, in order, then the key of the parent', () => {
    const { tables } = compileMappings({
      box: {
        name: 'name',
        b: key('b'),
        who: { type: 'user', ...key('w') },
        when: { type: 'date', ...key('d') },
        lines: child('line', { n: key('n') }, { parentKey: { primaryKey: true, destination: 'box_b' } }),
        notes: child('note', { n: 'n' }, { parentKey: { primaryKey: true } }),
      },
    });
    expect(tables).toMatchObject([
      { name: 'box', columns: ['name', 'b', 'w', 'd'], primaryKey: ['b', 'w', 'd'] },
      { name: 'line', columns: ['n', 'box_b'], primaryKey: ['n', 'box_b'] },
      { name: 'note', columns: ['n', 'box_pk'], primaryKey: ['box_pk'] },
    ]);
  });

  it('language 8.10 rule 2: the key of a row is its primary key joined with commas', () => {
    const mapping = {
      first: key('f'),
      tags: child('tag', { '.': key('name'), none: child('leaf', { '.': 'l' }) }, { parentKey: { primaryKey: true } }),
      last: key('l'),
      who: { type: 'user', ...key('w') },
    };
    expect(boxes(mapping, [{ first: true, last: null, tags: ['x'] }], { who: 'me' })).toEqual({
      box: ['f|l|w', '1||me'],
      tag: ['name|box_pk', 'x|1,,me'],
      leaf: ['l|tag_pk', '|x,1,,me'],
    });
  });

  it('language 8.10 rules 2 and 4: the parent key alone can be the primary key; then there is no link column', () => {
    const inner = { n: 'n', notes: child('note', { '.': 'text' }) };
    const mapping = { id: key('id'), at: child('place', inner, { parentKey: { primaryKey: true } }) };
    expect(boxes(mapping, [{ id: 1, at: { n: 'x', notes: ['a', 'b'] } }])).toEqual({
      box: ['id', '1'],
      place: ['n|box_pk', 'x|1'],
      note: ['text|place_pk', 'a|1', 'b|1'],
    });
  });

  it('language 8.10 rule 2: a primary key of which child tables need the text must be scalar', () => {
    const id = { ...key('id'), forceType: true };
    const items = [{ id: { a: 1 }, tags: ['x'] }];
    const write = () => boxes({ id, tags: child('tag', { '.': 'name' }) }, items);
    expect(write).toThrow(FatalError);
    expect(write).toThrow(
      'Bad Json to CSV Mapping configuration: Only scalar values are allowed in primary key. ' +
        'The API gave a value of type object for config.mappings.box.id. Choose other columns as primary key.',
    );
    expect(boxes({ id }, items)).toEqual({ box: ['id', '{"a":1}'] });
  });

  it('language 8.10 rule 2: a digest is the same for all tables of the row and for equal rows, and else differs', () => {
    const mapping = { a: child('a', { '.': 'v' }), b: child('b', { '.': 'v' }) };
    const item = { a: [1], b: [2] };
    expect(boxes(mapping, [item, { ...item, c: 3 }, item])).toEqual({
      box: ['a|b', '#1|#1', '#2|#2', '#1|#1'],
      a: ['v|box_pk', '1|#1', '1|#2', '1|#1'],
      b: ['v|box_pk', '2|#1', '2|#2', '2|#1'],
    });
  });

  it('language 8.10 rule 2: extra columns take part in the digest, and so does the row above', () => {
    const rows = (extra: Record<string, string>) =>
      mapped(
        { box: { id: key('id'), t: child('t', { u: child('u', { '.': 'v' }) }) } },
        'box',
        [{ id: 1, t: { u: 1 } }],
        extra,
      );
    expect(rows({})['t']?.[1]).toMatch(/^[0-9a-f]{32}\|1$/);
    expect(rows({ day: '1' })['t']).not.toEqual(rows({ day: '2' })['t']);
    expect(rows({ day: '1' })['t']).toEqual(rows({ day: '1' })['t']);
    const sameChildren = [
      { id: 1, t: { u: 1 } },
      { id: 2, t: { u: 1 } },
    ];
    expect(boxes({ id: key('id'), t: child('t', { u: child('u', { '.': 'v' }) }) }, sameChildren)).toEqual({
      box: ['id', '1', '2'],
      t: ['u|box_pk', '#1|1', '#2|2'],
      u: ['v|t_pk', '1|#1', '1|#2'],
    });
  });

  it('language 8.10 rules 3 and 4: the link stands at the place of its entry, the parent key at the end', () => {
    const mapping = {
      id: 'id',
      tags: child('tag', { v: 'v' }, { parentKey: { destination: 'box_id' } }),
      name: 'name',
    };
    expect(boxes(mapping, [{ id: 1, name: 'n', tags: { v: 2 } }])).toEqual({
      box: ['id|tag|name', '1|#1|n'],
      tag: ['v|box_id', '2|#1'],
    });
  });

  it('language 8.10 rule 5: parentKey.disable drops both columns', () => {
    const mapping = { id: 'id', tags: child('tag', { '.': 'v' }, { parentKey: { disable: true } }) };
    expect(boxes(mapping, [{ id: 1, tags: ['x', 'y'] }, { id: 2, tags: 0 }, { id: 3 }])).toEqual({
      box: ['id', '1', '2', '3'],
      tag: ['v', 'x', 'y'],
    });
    expect(boxes({ ...mapping, id: key('id') }, [{ id: 1, tags: 'x' }, { id: 2, tags: null }, { id: 3 }])).toEqual({
      box: ['id', '1', '2', '3'],
      tag: ['v', 'x'],
    });
  });

  it.each([[undefined], [null], [[]], [0], [false], [''], ['0']])(
    'language 8.10 rule 6: without a primary key, %j gives an empty link and no row',
    (value) => {
      const mapping = { id: 'id', tags: child('tag', { '.': 'v' }) };
      const item = value === undefined ? { id: 1 } : { id: 1, tags: value };
      expect(boxes(mapping, [item])).toEqual({ box: ['id|tag', '1|'], tag: ['v|box_pk'] });
    },
  );

  it('language 8.10 rule 6: without a primary key, an empty object is a row', () => {
    expect(boxes({ tags: child('tag', { a: 'v' }) }, [{ tags: {} }])).toEqual({
      box: ['tag', '#1'],
      tag: ['v|box_pk', '|#1'],
    });
  });

  it('language 8.10 rule 6: with a primary key, a missing or null value gives an empty row, [] none', () => {
    const mapping = { id: key('id'), tags: child('tag', { '.': 'v', w: 'w' }) };
    expect(boxes(mapping, [{ id: 1 }, { id: 2, tags: null }, { id: 3, tags: [] }])).toEqual({
      box: ['id', '1', '2', '3'],
      tag: ['v|w|box_pk', '||1', '||2'],
    });
  });

  it('language 8.10 rule 7: in the self form, rows come before the row that contains them', () => {
    const mapping = {
      id: 'id',
      sub: { type: 'table', destination: 'box', parentKey: { disable: true }, tableMapping: {} },
    };
    const items = [
      {
        id: 1,
        sub: [
          { id: 11, sub: { id: 111 } },
          { id: 12, sub: [] },
        ],
      },
      { id: 2, sub: null },
    ];
    expect(boxes(mapping, items)).toEqual({ box: ['id', '111', '11', '12', '1', '2'] });
    expect(boxes({ ...mapping, id: key('id') }, items)).toEqual({ box: ['id', '111', '11', '12', '1', '2'] });
  });

  it('language 8.10 rule 7: the self form inside a child table keeps the parent key and the extra columns', () => {
    const sub = { type: 'table', destination: 'part', parentKey: { disable: true } };
    const mapping = { id: key('id'), parts: child('part', { n: 'n', who: { type: 'user', ...column('w') }, sub }) };
    expect(boxes(mapping, [{ id: 1, parts: { n: 'a', sub: [{ n: 'b' }, null] } }], { who: 'me' })).toEqual({
      box: ['id', '1'],
      part: ['n|w|box_pk', 'b|me|1', '|me|1', 'a|me|1'],
    });
  });

  it('language 8.10 rule 8: nested tables', () => {
    const mapping = {
      id: 'id',
      contact: child('contact', { mail: 'mail', at: child('address', { street: 'street' }) }),
      'contact.at.0': child('first', { street: 'street' }),
    };
    const at = [{ street: 'x' }, { street: 'y' }];
    expect(boxes(mapping, [{ id: 1, contact: { mail: 'm', at } }, { id: 2 }])).toEqual({
      box: ['id|contact|first', '1|#1|#1', '2||'],
      contact: ['mail|address|box_pk', 'm|#2|#1'],
      address: ['street|contact_pk', 'x|#2', 'y|#2'],
      first: ['street|box_pk', 'x|#1'],
    });
  });

  it('language 8.10: several entries that yield the same table append to it', () => {
    const number = { n: 'number' };
    const mapping = { id: 'id', home: child('phone', number), name: 'name', work: child('phone', number) };
    const items = [
      { id: 1, home: { n: 5 }, work: [{ n: 6 }] },
      { id: 2, work: { n: 7 } },
      { id: 3, home: { n: 8 } },
      { id: 4 },
    ];
    expect(boxes(mapping, items)).toEqual({
      box: ['id|phone|name', '1|#1|', '2|#2|', '3|#3|', '4||'],
      phone: ['number|box_pk', '5|#1', '6|#1', '7|#2', '8|#3'],
    });
  });

  it('language 8.10: several mappings that yield the same table append to it', () => {
    const mappings = {
      note: { text: key('text'), of: 'box_pk' },
      box: { id: key('id'), notes: child('note', { '.': 'text' }) },
    };
    const { tables, byDataType } = compileMappings(mappings);
    const rows: unknown[] = [];
    const emit = (table: number, cells: readonly string[]) => rows.push([tables[table]?.name, ...cells]);
    emitRows(byDataType.get('box'), { id: 1, notes: ['a'] }, emit);
    emitRows(byDataType.get('note'), { text: 'b', of: 2 }, emit);
    expect(rows).toEqual([
      ['note', 'a', '1'],
      ['box', '1'],
      ['note', 'b', '2'],
    ]);
    expect(tables).toEqual([
      { name: 'note', columns: ['text', 'box_pk'], primaryKey: ['text'] },
      { name: 'box', columns: ['id'], primaryKey: ['id'] },
    ]);
  });

  it('language 8.10: every table has its header, also without rows and for types that nothing fed', () => {
    const mappings = { box: { a: child('é b', { b: child('c/d', { '.': 'v w' }) }) }, other: { id: 'id' } };
    expect(mapped(mappings, 'box', [])).toEqual({
      box: ['é b'],
      'é b': ['c/d|box_pk'],
      'c/d': ['v w|é b_pk'],
      other: ['id'],
    });
    expect(mapped(mappings, 'unknown', [{ id: 1 }])).toEqual(mapped(mappings, 'box', []));
  });

  it('rows name their tables by number', () => {
    const { tables, byDataType } = compileMappings({ box: { id: key('id'), t: child('t', { '.': 'v' }) } });
    const emitted: unknown[] = [];
    emitRows(byDataType.get('box'), { id: 1, t: ['x'] }, (table, cells) => emitted.push([tables[table]?.name, cells]));
    expect(emitted).toEqual([
      ['t', ['x', '1']],
      ['box', ['1']],
    ]);
  });
});
