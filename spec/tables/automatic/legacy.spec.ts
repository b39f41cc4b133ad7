import { createHash } from 'node:crypto';
import { parseJson } from '../../../src/core/json/parse';
import { stringifyJson } from '../../../src/core/json/stringify';
import type { JsonObject } from '../../../src/core/model';
import { makeTables, numberedTables, page } from '../make-tables';

const md5OfOwner = '72122ce96bfec66e2396d2e25225d70a';
const md5OfParentId = createHash('md5').update('JSON_parentId').digest('hex');
const legacy = { compatLevel: 1 };

describe('language 8.14: the legacy table builder', () => {
  it('warns that it was asked for', async () => {
    expect((await makeTables([], legacy)).warnings).toEqual([
      'Using legacy JSON parser, because it has been explicitly requested.',
    ]);
  });

  it('an extra column overwrites the data column of its name and leaves an empty column behind', async () => {
    const pages = [
      page(
        't',
        [
          { owner: 'a', id: 1 },
          { owner: 'b', id: 2 },
        ],
        { owner: 'x' },
      ),
    ];
    expect((await makeTables(pages, legacy)).tables).toEqual({ t: [`owner|id|${md5OfOwner}`, 'x|1|', 'x|2|'] });
  });

  it('a later data column overwrites an earlier one', async () => {
    expect((await makeTables([page('t', [{ 'owner ': 'a', owner: 'b' }])], legacy)).tables).toEqual({
      t: [`owner|${md5OfOwner}`, 'b|'],
    });
  });

  it('nested names join the safe names of the levels with _', async () => {
    expect((await makeTables([page('t', [{ _a_: { '.b': { 'c c': 1 } } }])], legacy)).tables).toEqual({
      t: ['a_b_c_c', '1'],
    });
  });

  it('keeps runs of _, but not those at the ends', async () => {
    const { tables } = await makeTables([page('orders/{order-id}/lines/', [{ 'a..b': 1, 日本x: 2 }])], legacy);
    expect(tables).toEqual({ 'orders__order-id__lines': ['a__b|x', '1|2'] });
  });

  it('shortens long names before characters are replaced, without a prefix', async () => {
    const { tables } = await makeTables([page('t', [{ ['q'.repeat(64)]: 1, [`${'m'.repeat(65)}_tags`]: 2 }])], legacy);
    expect(tables['t']?.[0]).toBe(`${'q'.repeat(64)}|m__tags`);
  });

  it('lists become child tables as otherwise', async () => {
    expect(await numberedTables([page('t', [{ l: [{ JSON_parentId: 1, o: { x: 2 } }], s: ['a'] }])], legacy)).toEqual({
      t: ['l|s', 't_#1|t_#1'],
      t_l: [`JSON_parentId|o_x|${md5OfParentId}`, 't_#1|2|'],
      t_s: ['data|JSON_parentId', 'a|t_#1'],
    });
  });
});

describe('language 8.13: the structure of version 2', () => {
  const state = parseJson(
    JSON.stringify({
      'json_parser.structVersion': 2,
      'json_parser.struct': {
        'a.b': { id: 'scalar', none: 'NULL', o: 'object', tags: 'arrayOfscalar', lines: 'arrayOfobject', any: 'array' },
        'a.b.o': { x: 'integer' },
        'a.b.tags': { data: 'scalar' },
        'a.b.lines': { n: 'scalar' },
        other: { z: 'scalar' },
      },
    }),
  ) as JsonObject;

  it('selects the legacy builder with a warning, and gives its columns in order', async () => {
    const { tables, warnings } = await makeTables([page('a.b', [{ new: 1, owner: 2 }], { owner: 'x' })], {
      state,
    });
    expect(warnings).toEqual(['Using legacy JSON parser, because the state has a structure of version 2.']);
    expect(tables).toEqual({ a_b: [`id|none|o_x|tags|lines|any|new|owner|${md5OfOwner}`, '||||||1|x|'] });
  });

  it('its kinds take part in merging', async () => {
    expect(await numberedTables([page('a.b', [{ tags: 'one', lines: { n: 1 } }])], { state })).toEqual({
      a_b: ['id|none|o_x|tags|lines|any', '|||a.b_#1|a.b_#1|'],
      a_b_tags: ['data|JSON_parentId', 'one|a.b_#1'],
      a_b_lines: ['n|JSON_parentId', '1|a.b_#1'],
    });
  });

  it('is written again, so that the next run has the same names', async () => {
    const first = await makeTables([page('a.b', [{ new: 1, none: ['a'], more: [{ y: null }] }])], { state });
    expect(first.state['json_parser.structVersion']).toBe(2);
    expect(first.state['json_parser.struct']).toMatchObject({
      'a.b': {
        id: 'scalar',
        none: 'arrayOfscalar',
        o: 'object',
        tags: 'arrayOfscalar',
        lines: 'arrayOfobject',
        any: 'array',
        new: 'scalar',
        more: 'arrayOfobject',
      },
      'a.b.o': { x: 'scalar' },
      'a.b.none': { data: 'scalar' },
      'a.b.more': { y: 'NULL' },
      other: { z: 'scalar' },
    });
    const second = await makeTables([page('a.b', [{ id: 1 }])], { state: first.state });
    expect(stringifyJson(second.state)).toBe(stringifyJson(first.state));
    expect(second.tables['a_b']?.[0]).toBe(first.tables['a_b']?.[0]);
  });
});
