import fc from 'fast-check';
import { counted, grouped } from '../../src/core/text';

describe('numbers for people', () => {
  it('are grouped as the runtime groups them', () => {
    fc.assert(
      fc.property(fc.oneof(fc.maxSafeInteger(), fc.integer()), (count) => {
        expect(grouped(count)).toBe(count.toLocaleString('en'));
      }),
    );
  });

  it('have their noun in the right number', () => {
    expect([0, 1, 1200].map((count) => counted(count, 'item'))).toEqual(['0 items', '1 item', '1,200 items']);
  });
});
