import * as fc from 'fast-check';

/** The code points of whole characters: halves of surrogate pairs are none. */
const codePoint = fc.oneof(
  { arbitrary: fc.integer({ min: 0, max: 0x7f }), weight: 3 },
  { arbitrary: fc.integer({ min: 0x80, max: 0xd7ff }), weight: 2 },
  fc.integer({ min: 0xe000, max: 0xffff }),
  fc.integer({ min: 0x10000, max: 0x10ffff }),
);

/**
 * Strings of any characters. `fc.string({ unit: 'binary' })` gives the same, and takes a second to list all characters in each
 * file of specs.
 */
export const anyText = (bounds: fc.ArrayConstraints = {}): fc.Arbitrary<string> =>
  fc.array(codePoint, bounds).map((points) => String.fromCodePoint(...points));
