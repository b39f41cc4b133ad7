/** What the items of a world are made of. */

/** Texts that only look like something else. */
export const LOOKS = [
  ...['0123', '1e5', '12.50', '-0', 'NaN', 'Infinity', '0x1F', 'true', 'false', 'null', 'NULL', '', '[1]', '{"a":1}'],
  ...['2024-02-30', '2024-13-01', '12:30:00', '2024-02-29 ', '20240229', '2024-02-29T25:00:00Z', '0000-01-01', '\\N'],
];
export const TEXTS = [
  ...[
    '',
    ' ',
    ' before',
    'after ',
    'a,b',
    'say "so"',
    "it's",
    'two\nlines',
    'two\r\nlines',
    'tab\t',
    '\\',
    '\\N',
    '""',
  ],
  ...[
    '😀 é 漢',
    '\u2028',
    '\u00a0',
    '\ufeff',
    '\u0001',
    "'); DROP TABLE orders; --",
    'plain',
    '-',
    '5',
    'x'.repeat(300),
  ],
];
export const ODD_TEXTS = ['\ud83d half', 'half \ude00', 'NUL \0 in it'];
export const KEYS = ['x y', 'x.y', 'x/y', 'x_y', '"q"', "q'", '😀', 'X_Y', 'línea', 'new\nline', ' pad '];
export const ODD_KEYS = ['h\ud83d', 'h\ude00', 'h\ufffd', 'n\0'];

/** Numbers from 0 to 1 that follow from the seed. */
export function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Dates, which become times and texts from run to run. */
export const dayOf = (run: number): readonly string[] =>
  [['2024-02-29', '1999-12-31'], ['2024-02-29T10:00:00'], ['2024-02-29']][run] ?? ['2024-02-30'];
