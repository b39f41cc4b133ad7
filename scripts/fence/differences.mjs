/** What differs between two recordings, as lines to be read. */
const isObject = (value) => value !== null && typeof value === 'object';

const shown = (value) => {
  const written = value === undefined ? 'nothing' : JSON.stringify(value);
  return written.length > 400 ? `${written.slice(0, 400)}…` : written;
};

const difference = (path, expected, found) => [
  `${path}`,
  `  expected ${shown(expected)}`,
  `  found    ${shown(found)}`,
];

export const differences = (expected, found, path = '') => {
  if (JSON.stringify(expected) === JSON.stringify(found)) return [];
  if (!isObject(expected) || !isObject(found) || Array.isArray(expected) !== Array.isArray(found)) {
    return difference(path, expected, found);
  }
  const keys = new Set([...Object.keys(expected), ...Object.keys(found)]);
  return [...keys].flatMap((key) => differences(expected[key], found[key], path === '' ? key : `${path}.${key}`));
};
