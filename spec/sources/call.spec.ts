import { stringifyJson } from '../../src/core/json/stringify';
import type { Item, Json } from '../../src/core/model';
import type { ChildJobPlan, JobPlan, PlaceholderPlan } from '../../src/plan/plan';
import { bindingsOf, parentColumns } from '../../src/sources/call';
import type { PlaceholderBindings } from '../../src/sources/call';

const placeholder = (name: string, path: string, changes: Partial<PlaceholderPlan> = {}): PlaceholderPlan => ({
  name,
  path,
  level: 1,
  ...changes,
});
const aChild = (...placeholders: readonly PlaceholderPlan[]): ChildJobPlan => ({
  placeholders,
  job: { path: 'config.jobs[0].children[0]' } as JobPlan,
});
const texts = (bindingSets: readonly PlaceholderBindings[]): Record<string, string>[] =>
  bindingSets.map((bindings) => Object.fromEntries([...bindings].map(([name, { text }]) => [name, text])));
const filled = (
  child: ChildJobPlan,
  lineage: readonly Item[],
  inherited: PlaceholderBindings = new Map(),
): Record<string, string>[] => texts(bindingsOf(child, lineage, inherited));

describe('placeholders (language 6.6)', () => {
  it('rule 1: a level counts upwards, from the item of the direct parent', () => {
    const child = aChild(placeholder('id', 'id'), placeholder('2:box', 'id', { level: 2 }));
    expect(filled(child, [{ id: 1 }, { id: 2 }])).toEqual([{ id: '1', '2:box': '2' }]);
  });

  it('rule 1: a level that does not exist is an error', () => {
    expect(() => filled(aChild(placeholder('3:x', 'id', { level: 3 })), [{ id: 1 }])).toThrow(
      'config.jobs[0].children[0].placeholders.3:x: Level 3 not found in parent results! Maximum level: 1',
    );
  });

  it('rule 2: a field is a path, or computed from the value there', () => {
    const compute = (value: Json): Json => `<${stringifyJson(value)}>`;
    expect(filled(aChild(placeholder('a', 'x.y'), placeholder('b', 'x.y', { compute })), [{ x: { y: 7 } }])).toEqual([
      { a: '7', b: '<7>' },
    ]);
  });

  it('rule 3: a missing value is an error', () => {
    expect(() => filled(aChild(placeholder('id', 'nope')), [{ id: 1 }])).toThrow(
      'No value found for id in parent result. (level: 1, path: nope)',
    );
  });

  it('rule 3: a missing value of an optional one becomes empty text', () => {
    expect(filled(aChild(placeholder('id', 'nope', { isOptional: true })), [{ id: 1 }])).toEqual([{ id: '' }]);
  });

  it('rule 3: null is present and becomes empty text', () => {
    expect(filled(aChild(placeholder('id', 'id')), [{ id: null }])).toEqual([{ id: '' }]);
  });

  it('rule 3: an object is an error', () => {
    expect(() => filled(aChild(placeholder('id', 'id')), [{ id: { a: 1 } }])).toThrow('found object: {"a":1}');
  });

  it('rule 4: lists fan out, the last placeholder varying fastest', () => {
    expect(filled(aChild(placeholder('a', 'a'), placeholder('b', 'b')), [{ a: [1, 2], b: ['x', 'y'] }])).toEqual([
      { a: '1', b: 'x' },
      { a: '1', b: 'y' },
      { a: '2', b: 'x' },
      { a: '2', b: 'y' },
    ]);
  });

  it('rule 4: an empty list gives no call', () => {
    expect(filled(aChild(placeholder('a', 'a'), placeholder('b', 'b')), [{ a: [], b: 1 }])).toEqual([]);
  });

  it('rule 5: inherited placeholders come first; an own one replaces that of its name in its place', () => {
    const inherited: PlaceholderBindings = new Map([
      ['a', { text: 'A', path: 'pa' }],
      ['b', { text: 'B', path: 'pb' }],
    ]);
    const [bindings] = bindingsOf(aChild(placeholder('c', 'id'), placeholder('a', 'id')), [{ id: 1 }], inherited);
    expect([...(bindings ?? [])]).toEqual([
      ['a', { text: '1', path: 'id' }],
      ['b', { text: 'B', path: 'pb' }],
      ['c', { text: '1', path: 'id' }],
    ]);
  });

  it('rule 7: every placeholder adds a column by its path, without a second prefix', () => {
    const bindings: PlaceholderBindings = new Map([
      ['a', { text: '1', path: 'id' }],
      ['b', { text: '2', path: 'parent_key' }],
      ['c', { text: '3', path: 'x.y' }],
      ['d', { text: '4', path: 'id' }],
    ]);
    expect(parentColumns(bindings, true)).toEqual([
      ['parent_id', '4'],
      ['parent_key', '2'],
      ['parent_x.y', '3'],
    ]);
  });

  it.each<[string, boolean, [string, string][], string]>([
    ['has a name that says what it is', false, [['a', '.']], 'parent_value'],
    ['is called as the language does, where it is kept to', true, [['a', '.']], 'parent_.'],
    [
      'leaves that name to a field of that name',
      false,
      [
        ['a', '.'],
        ['b', 'value'],
      ],
      'parent_.',
    ],
  ])('the column of a scalar item %s', (_, asTheLanguage, placeholders, column) => {
    const bindings: PlaceholderBindings = new Map(placeholders.map(([name, path]) => [name, { text: name, path }]));
    expect(parentColumns(bindings, asTheLanguage)[0]).toEqual([column, 'a']);
  });
});
