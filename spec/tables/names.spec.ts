import { safeColumnName, safeName, uniqueName } from '../../src/tables/names';

describe('language 8.7: safe names', () => {
  it.each([
    ['61 × q', 'q'.repeat(61), 'q'.repeat(61)],
    ['62 × q', 'q'.repeat(62), '480335d21d833c69b18853891c6fe9f7'],
    [
      'a long path',
      'warehouse.number.maximum_allowed_weight_in_kilograms_per_square_metre',
      'number_maximum_allowed_weight_in_kilograms_per_square_metre',
    ],
    [
      'a long path with a hyphen',
      'warehouse.shelf-number.maximum_allowed_weight_in_kilograms_per_square_metre',
      'n_maximum_allowed_weight_in_kilograms_per_square_metre',
    ],
  ])('rules 1 to 4: the column %s', (_, raw, safe) => {
    expect(safeColumnName(raw)).toBe(safe);
  });

  it.each([
    ['orders/{order-id}/lines', 'orders_order-id_lines'],
    ['m'.repeat(65), '7ca6c4704faad99f58ff90ffa7a77ef5'],
    [`${'m'.repeat(65)}.tags`, 'm_tags'],
    ['m'.repeat(64), 'm'.repeat(64)],
  ])('rules 2 to 4: the table %s', (raw, safe) => {
    expect(safeName(raw)).toBe(safe);
  });

  it('rule 2: each byte of a special character counts for the length, then runs of _ become one', () => {
    expect(safeName(`${'a'.repeat(30)}€€${'b'.repeat(28)}`)).toBe(`${'a'.repeat(30)}_${'b'.repeat(28)}`);
    expect(safeName(`${'a'.repeat(30)}€€${'b'.repeat(29)}`)).toBe(`a_${'b'.repeat(29)}`);
  });

  it('rule 3: leading hyphens make no word', () => {
    expect(safeName(`--${'x'.repeat(70)}-`)).toMatch(/^[0-9a-f]{32}$/);
  });

  it('rule 4: no _ at the ends', () => {
    expect(safeName('_a__b_')).toBe('a_b');
    expect(safeColumnName('a ')).toBe('a');
  });
});

describe('language 8.3 and 8.7: unique names', () => {
  it('numbers a name that is taken, case-sensitively', () => {
    expect(uniqueName('a', new Set(['a', 'a_u0']))).toBe('a_u1');
    expect(uniqueName('A', new Set(['a']))).toBe('A');
  });

  it('counts an empty name as taken', () => {
    expect(uniqueName(safeColumnName('日本'), new Set())).toBe('_u0');
    expect(uniqueName('', new Set(['_u0']))).toBe('_u1');
  });
});
