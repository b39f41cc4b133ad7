/** What differs between two recordings, as lines to be read. */
const isObject = (value) => value !== null && typeof value === 'object';
const isList = (value) => Array.isArray(value);

const shown = (value) => {
  const written = value === undefined ? 'nothing' : JSON.stringify(value);
  return written.length > 400 ? `${written.slice(0, 400)}…` : written;
};

/** The members of `list` that `other` has not, as often as they stand there. */
const missingIn = (other, list) => {
  const left = other.map((member) => JSON.stringify(member));
  return list.filter((member) => {
    const index = left.indexOf(JSON.stringify(member));
    if (index >= 0) left.splice(index, 1);
    return index < 0;
  });
};

/** Lists of different lengths: a row, request or entry that is one too many is told as one, not as all behind it. */
const ofLists = (expected, found, path) => [
  `${path}: expected ${expected.length}, found ${found.length}`,
  ...missingIn(found, expected).map((member) => `  - ${shown(member)}`),
  ...missingIn(expected, found).map((member) => `  + ${shown(member)}`),
];

export const differences = (expected, found, path = '') => {
  if (JSON.stringify(expected) === JSON.stringify(found)) return [];
  if (!isObject(expected) || !isObject(found) || isList(expected) !== isList(found)) {
    return [path, `  expected ${shown(expected)}`, `  found    ${shown(found)}`];
  }
  if (isList(expected) && expected.length !== found.length) return ofLists(expected, found, path);
  const keys = new Set([...Object.keys(expected), ...Object.keys(found)]);
  return [...keys].flatMap((key) => differences(expected[key], found[key], path === '' ? key : `${path}.${key}`));
};
