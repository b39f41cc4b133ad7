/**
 * Random choices that come again for the same seed, kind and number of a case.
 *
 * @param text tells one sequence from another, for example `7:bodies:1203`
 */
export function randomFrom(text) {
  let state = 0x811c9dc5;
  for (const character of text) state = Math.imul(state ^ character.codePointAt(0), 0x01000193);
  // mulberry32
  const next = () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
  const below = (count) => Math.floor(next() * count);
  return { below, chance: (probability) => next() < probability, pick: (list) => list[below(list.length)] };
}
