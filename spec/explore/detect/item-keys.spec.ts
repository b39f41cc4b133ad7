import { childKeyOf, primaryKeyOf } from '../../../src/explore/detect/item-keys';

const TOP = { fields: ['id'], isParentAlone: true, isDeep: false };
const ids = (...all: number[]) => all.map((id) => ({ id, name: 'x' }));

describe('primaryKeyOf', () => {
  const sales = [
    { sale_no: 7, book_id: 1 },
    { sale_no: 8, book_id: 2 },
  ];

  it('is unsure of a key that is not the first column that differs', () => {
    expect(primaryKeyOf(sales)).toMatchObject({ value: ['book_id'], confidence: 'unsure' });
    expect(primaryKeyOf(sales)?.reason).toContain('So does "sale_no", which comes before it.');
    expect(primaryKeyOf(sales.map((each) => ({ ...each, sale_no: 7 })))).toMatchObject({ confidence: 'likely' });
    expect(primaryKeyOf(sales.map((each, id) => ({ ...each, id })))).toMatchObject({
      value: ['id'],
      confidence: 'likely',
    });
  });
});

describe('childKeyOf', () => {
  it('is the key of the items where it differs among items of several parents', () => {
    expect(childKeyOf({ ...TOP, byParent: [ids(1, 2), ids(3), []] })).toMatchObject({
      value: ['id'],
      confidence: 'likely',
    });
  });

  it.each([
    ['comes again at another parent', [ids(1, 2), ids(1, 2, 3)]],
    ['was seen at one parent alone', [ids(1, 2), []]],
  ])('begins with the column of the parent where it %s', (_, byParent) => {
    expect(childKeyOf({ ...TOP, byParent })).toMatchObject({ value: ['parent_id', 'id'], confidence: 'likely' });
  });

  it('has the columns of all parents of a grandchild', () => {
    const deep = { fields: ['slug', 'id'], isParentAlone: false, isDeep: true };
    expect(childKeyOf({ ...deep, byParent: [ids(1, 2), ids(3)] })?.value).toEqual(['parent_slug', 'parent_id', 'id']);
  });

  it('has one column where two parents have equal ones, if the nearest parent is known by it alone', () => {
    const deep = { fields: ['id', 'id'], isDeep: true, byParent: [ids(1, 2)] };
    expect(childKeyOf({ ...deep, isParentAlone: true })?.value).toEqual(['parent_id', 'id']);
    expect(childKeyOf({ ...deep, isParentAlone: false })).toBeUndefined();
  });

  it.each([
    ['there are no items', [[], []]],
    ['no field differs', [[{ name: 'a' }, { name: 'a' }]]],
    ['no field is called like an id', [[{ code: 'a' }, { code: 'b' }]]],
    ['one item was seen at each parent, and one has no id', [ids(1, 2), [{ name: 'a' }]]],
    [
      'items have a column of that name themselves',
      [
        [
          { id: 1, parent_id: 7 },
          { id: 2, parent_id: 7 },
        ],
      ],
    ],
  ])('is unknown where %s', (_, byParent) => expect(childKeyOf({ ...TOP, byParent })).toBeUndefined());

  it('is unknown where no column of a table is called so', () => {
    expect(childKeyOf({ ...TOP, fields: ['@id'], byParent: [ids(1, 2)] })).toBeUndefined();
  });
});
