import * as fc from 'fast-check';
import { anyText } from '../../support/any-text';
import { isTableName, shortened, sqlName, tableNameOf } from '../../../src/core/json/sql-name';

describe('sqlName', () => {
  it.each([
    ['authors/', 'authors'],
    ['a.b-c', 'a_b_c'],
    ['größe', 'größe'],
    ['日本', '日本'],
    ['/', '_'],
    ['', ''],
    ['_id', 'id'],
  ])('makes %j to %j', (name, expected) => {
    expect(sqlName(name)).toBe(expected);
  });
});

describe('tableNameOf', () => {
  it.each([
    ['orders', 'orders'],
    ['authors/', 'authors'],
    ['orders.json', 'orders'],
    ['export.csv.gz', 'export'],
    ['orders?status=open&limit=5', 'orders'],
    ['v2/orders.json?per_page=50', 'v2_orders'],
    ['orders/{order-id}/lines', 'orders_order_id_lines'],
    ['https://api.example.com:8080/v1/orders/', 'v1_orders'],
    ['https://api.example.com', 'items'],
    ['/', 'items'],
    ['', 'items'],
    ['.', 'items'],
    ['{poll.url}', 'poll_url'],
    ['2024/levels', '_2024_levels'],
    ['Orders', 'Orders'],
    ['výkazy', 'výkazy'],
    ['a'.repeat(64), `${'a'.repeat(54)}_ffe054fe`],
  ])('makes %j to %j', (dataType, expected) => {
    expect(tableNameOf(dataType)).toBe(expected);
  });

  it('is a name that SQL takes without quotes, whatever the dataType', () => {
    fc.assert(
      fc.property(anyText({ maxLength: 90 }), (dataType) => {
        expect(isTableName(tableNameOf(dataType))).toBe(true);
      }),
    );
  });

  it('leaves such a name as it is', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }).filter(isTableName), (name) => {
        const isTidy = sqlName(name) === name;
        expect(tableNameOf(name) === name).toBe(isTidy && name !== '_');
      }),
    );
  });
});

describe('shortened', () => {
  it('cuts no character in two', () => {
    const name = shortened('ř'.repeat(40));
    expect(Buffer.byteLength(name)).toBeLessThanOrEqual(63);
    expect(name).toMatch(/^ř+_[0-9a-f]{8}$/);
  });
});
