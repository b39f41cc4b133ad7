import { parseJson } from '../../../src/core/json/parse';
import { stringifyJson } from '../../../src/core/json/stringify';
import type { JsonObject } from '../../../src/core/model';
import { makeTables, numberedTables, page } from '../make-tables';

const asState = (struct: unknown, version = 3): JsonObject =>
  parseJson(JSON.stringify({ 'json_parser.struct': struct, 'json_parser.structVersion': version })) as JsonObject;

const scalar = (name: string) => ({ nodeType: 'scalar', headerNames: name });

const users = asState({
  data: {
    _users: {
      nodeType: 'array',
      '[]': {
        nodeType: 'object',
        headerNames: 'data',
        _id: scalar('id'),
        _name: scalar('called'),
        _gone: scalar('gone'),
        _tags: { nodeType: 'array', headerNames: 'tags', '[]': scalar('data') },
      },
    },
  },
  parent_aliases: [],
});

describe('language 8.13: the structure of earlier runs', () => {
  it('is written as the worked example has it', async () => {
    const { state } = await makeTables([page('boats', [{ id: 1, crew: ['Ann'] }])]);
    expect(parseJson(stringifyJson(state))).toEqual({
      'json_parser.struct': {
        data: {
          _boats: {
            nodeType: 'array',
            '[]': {
              nodeType: 'object',
              headerNames: 'data',
              _id: { nodeType: 'scalar', headerNames: 'id' },
              _crew: { nodeType: 'array', headerNames: 'crew', '[]': { nodeType: 'scalar', headerNames: 'data' } },
            },
          },
        },
        parent_aliases: [],
      },
      'json_parser.structVersion': 3,
    });
  });

  it('known columns come first, keep their names, and stay although no item has them', async () => {
    expect(await numberedTables([page('users', [{ new: 1, name: 'Ann', id: 5 }])], { state: users })).toEqual({
      users: ['id|called|gone|tags|new', '5|Ann|||1'],
    });
  });

  it('known names count as taken', async () => {
    expect((await makeTables([page('users', [{ called: 1 }])], { state: users })).tables['users']?.[0]).toBe(
      'id|called|gone|tags|called_u0',
    );
  });

  it('known kinds take part in merging', async () => {
    expect(await numberedTables([page('users', [{ tags: 'one' }])], { state: users })).toMatchObject({
      users_tags: ['data|JSON_parentId', 'one|users_#1'],
    });
    await expect(makeTables([page('users', [{ tags: { a: 1 } }])], { state: users })).rejects.toThrow(
      "Data array in 'users.[].tags' contains incompatible types 'scalar' and 'object'",
    );
  });

  it('a type without items gives no table, but is kept', async () => {
    const { tables, state } = await makeTables([page('other', [{ a: 1 }]), page('users', [])], { state: users });
    expect(Object.keys(tables)).toEqual(['other']);
    expect(stringifyJson(state)).toContain(stringifyJson(users['json_parser.struct'] as JsonObject).slice(1, -40));
  });

  it('gives the same columns in the next run, whatever its items look like', async () => {
    const first = await makeTables([
      page('t', [{ '10': 1, a: { b: 1, l: [{ x: 1 }] }, 'a b': 2, n: null }], { p: '' }),
    ]);
    const second = await makeTables([page('t', [{ n: 1 }, { a: { l: { y: 1 } } }], { p: '' })], { state: first.state });
    expect(second.tables['t']?.[0]).toBe(first.tables['t']?.[0]);
    expect(second.tables['t_a_l']?.[0]).toBe('x|y|JSON_parentId');
    const third = await makeTables([page('t', [{ n: 1 }], { p: '' })], { state: second.state });
    expect(stringifyJson(third.state)).toBe(stringifyJson(second.state));
  });

  it('has no trace of the object that a list once was', async () => {
    const { state } = await makeTables([page('t', [{ x: { b: [{ p: 1 }] } }, { x: [{ b: { q: 1 } }] }])]);
    const element = { nodeType: 'object', headerNames: 'data' };
    const b = { nodeType: 'array', headerNames: 'b', '[]': { ...element, _q: scalar('q'), _p: scalar('p') } };
    const x = { nodeType: 'array', headerNames: 'x', '[]': { ...element, _b: b } };
    expect(state['json_parser.struct']).toEqual({
      data: { _t: { nodeType: 'array', '[]': { ...element, _x: x } } },
      parent_aliases: [],
    });
  });

  it('keeps the order of keys that look like numbers', async () => {
    const { state } = await makeTables([page('t', parseJson('[{"10":1,"2":1}]') as JsonObject[])]);
    const { tables } = await makeTables([page('t', [{ z: 1 }])], { state });
    expect(tables['t']?.[0]).toBe('10|2|z');
  });

  it('ignores extra columns of earlier runs', async () => {
    const state = asState({
      data: {
        _t: {
          nodeType: 'array',
          '[]': { nodeType: 'object', _a: scalar('a'), _p: { ...scalar('p'), type: 'parent' } },
        },
      },
      parent_aliases: [],
    });
    expect((await makeTables([page('t', [{ a: 1 }])], { state })).tables['t']).toEqual(['a', '1']);
  });

  it('remembers renamed extra columns', async () => {
    const { state } = await makeTables([page('t', [{ p: 1 }], { p: 'x' })]);
    expect(state['json_parser.struct']).toMatchObject({ parent_aliases: { p: 'p_u0' } });
    expect((await makeTables([page('u', [{ a: 1 }], { p: 'x' })], { state })).tables['u']).toEqual(['a|p_u0', '1|x']);
  });

  it.each<[string, JsonObject]>([
    ['nothing', {}],
    ['no objects', asState([])],
    ['odd nodes', asState({ data: { _t: { '[]': { nodeType: 'array', _a: 1 } }, _u: 5 }, parent_aliases: { p: 1 } })],
  ])('is unknown when the state holds %s', async (_, state) => {
    const { tables, warnings } = await makeTables([page('t', [{ a: 1 }])], { state });
    expect(tables).toEqual({ t: ['a', '1'] });
    expect(warnings).toEqual([]);
  });

  it('is not used, with a warning, when its version is not known', async () => {
    const { tables, warnings } = await makeTables([page('users', [{ a: 1 }])], {
      state: { ...users, 'json_parser.structVersion': 4 },
    });
    expect(tables).toEqual({ users: ['a', '1'] });
    expect(warnings).toEqual(['The structure in the state is not used, because its version is not known.']);
  });
});
