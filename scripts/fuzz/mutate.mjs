/** Changes of structure, for anything that JSON can say. */

const KEYS = [
  ...[
    '__proto__',
    'constructor',
    'prototype',
    'toString',
    'hasOwnProperty',
    'then',
    'length',
    '',
    '.',
    '0',
    '10',
    '-1',
  ],
  ...[
    '#secret',
    'function',
    'args',
    'attr',
    'response',
    'time',
    'children',
    'jobs',
    'pagniation',
    'é',
    '\ud800',
    'a.b',
    'a[]',
  ],
];
const STRINGS = [
  ...[
    '',
    ' ',
    '0',
    '-1',
    '1e999',
    'true',
    'null',
    '{id}',
    '{1:id}',
    '{__proto__}',
    '..',
    '//host/x',
    'http://',
    'http://[',
    '\0',
  ],
  ...[
    'javascript:alert(1)',
    'data:,x',
    'https://user:pass@h/',
    '?a=b&c',
    '%',
    '%zz',
    '\ud83d',
    '\u202e',
    '%s%n',
    '((((((((((',
  ],
  ...[
    'last day of previous month',
    '99999999999999999999',
    '2024-02-31',
    'a|b&c',
    'id==1&',
    '%%%%%%%%%%x',
    '*',
    '[]',
    '{}',
  ],
];
const NUMBERS = [0, -0, 1, -1, 0.5, 2 ** 31, 2 ** 53, -(2 ** 63), 1e21, 1e300, 5e-324, 9007199254740993n, 10n ** 40n];

/** Runs of characters that time grows with when a pattern is matched badly. */
const longString = (random) =>
  random.pick(['a', '(', '%', '1', ' ', '{a', '.', '"', '\\', '[']).repeat(random.pick([300, 5_000, 60_000]));

/** A scalar, a list or an object that nobody expects. */
export function oddValue(random, depth = 0) {
  const kind = random.below(depth > 3 ? 6 : 12);
  if (kind < 2) return random.pick(STRINGS);
  if (kind < 4) return random.pick(NUMBERS);
  if (kind === 4) return random.pick([null, true, false]);
  if (kind === 5) return random.chance(0.05) ? longString(random) : random.pick(KEYS);
  if (kind < 8) return Array.from({ length: random.below(4) }, () => oddValue(random, depth + 1));
  if (kind < 11) {
    const object = {};
    for (let count = random.below(4); count > 0; count -= 1)
      setOwn(object, random.pick(KEYS), oddValue(random, depth + 1));
    return object;
  }
  return random.chance(0.1) ? nested(random, random.pick([20, 260, 499, 501, 5_000])) : [];
}

function nested(random, levels) {
  const asList = random.chance(0.5);
  let value = 1;
  for (let level = 0; level < levels; level += 1) value = asList ? [value] : { a: value };
  return value;
}

/** A copy that can be changed; keys such as `__proto__` are data. */
export function copied(value) {
  if (Array.isArray(value)) return value.map(copied);
  if (typeof value !== 'object' || value === null) return value;
  const copy = {};
  for (const key of Object.keys(value)) setOwn(copy, key, copied(value[key]));
  return copy;
}

const setOwn = (object, key, value) =>
  Object.defineProperty(object, key, { value, writable: true, enumerable: true, configurable: true });

/** Every member of every list and object: `[holder, key]`. */
function placesIn(value, found = []) {
  if (typeof value !== 'object' || value === null) return found;
  for (const key of Object.keys(value)) {
    found.push([value, key]);
    placesIn(value[key], found);
  }
  return found;
}

/**
 * A copy with some changes.
 *
 * @param others values whose parts may be put into it
 */
export function mutated(value, random, others = []) {
  let root = { root: copied(value) };
  for (let changes = 1 + random.below(5); changes > 0; changes -= 1) change(root, random, others);
  return root.root;
}

function change(root, random, others) {
  const [holder, key] = random.pick(placesIn(root));
  const old = holder[key];
  switch (random.below(9)) {
    case 0:
      if (holder === root) break;
      if (Array.isArray(holder)) holder.splice(Number(key), 1);
      else delete holder[key];
      break;
    case 1:
      if (Array.isArray(holder) || holder === root) break;
      delete holder[key];
      setOwn(holder, random.chance(0.5) ? random.pick(KEYS) : misspelled(key, random), old);
      break;
    case 2:
      setOwn(holder, key, random.pick([[old], { [key]: old }, [old, old], { 0: old }, { value: old }]));
      break;
    case 3:
      setOwn(holder, key, retyped(old, random));
      break;
    case 4:
      if (typeof old === 'object' && old !== null && !Array.isArray(old))
        setOwn(old, random.pick(KEYS), oddValue(random));
      else setOwn(holder, key, oddValue(random));
      break;
    case 5:
      if (typeof old === 'string') setOwn(holder, key, spliced(old, random));
      break;
    case 6: {
      const places = placesIn(others.length === 0 ? root : random.pick(others));
      if (places.length === 0) break;
      const [from, name] = random.pick(places);
      if (!Array.isArray(holder) && holder !== root && random.chance(0.5)) setOwn(holder, name, copied(from[name]));
      else setOwn(holder, key, copied(from[name]));
      break;
    }
    default:
      setOwn(holder, key, oddValue(random));
  }
}

const misspelled = (key, random) => {
  const at = random.below(key.length + 1);
  return random.chance(0.5) ? key.slice(0, at) + key.slice(at + 1) : key.slice(0, at) + 'e' + key.slice(at);
};

const spliced = (text, random) => {
  const at = random.below(text.length + 1);
  return text.slice(0, at) + random.pick(STRINGS) + text.slice(at + random.below(3));
};

function retyped(value, random) {
  if (typeof value === 'string') return random.pick([Number(value) || 0, [value], value === '', { attr: value }]);
  if (typeof value === 'object' && value !== null)
    return random.pick([JSON.stringify(Object.keys(value)), Object.keys(value), Object.keys(value).length]);
  return random.pick([String(value), [value], value === true ? 1 : true, null]);
}

/** Bytes with some of them changed, taken out, doubled or put in. */
export function mutatedBytes(bytes, random) {
  let all = Buffer.from(bytes);
  for (let changes = 1 + random.below(4); changes > 0; changes -= 1) {
    const at = random.below(all.length + 1);
    const length = random.pick([1, 1, 1, 2, 8, 64]);
    const before = all.subarray(0, at);
    const part = all.subarray(at, at + length);
    const after = all.subarray(at + length);
    const put = random.pick([
      Buffer.from([random.below(256)]),
      Buffer.from(
        random.pick([
          ...'{}[]",:<>&;\\\r\n\0 -.eE+019',
          '\ufeff',
          '\ud800',
          '<![CDATA[',
          ']]>',
          '<!DOCTYPE x [',
          '1e999',
        ]),
      ),
      Buffer.alloc(0),
    ]);
    const [first, second] = random.pick([[put], [put, part], [part, part], []]) ?? [];
    all = Buffer.concat([before, first ?? Buffer.alloc(0), second ?? Buffer.alloc(0), after]);
    if (random.chance(0.05)) all = all.subarray(0, random.below(all.length + 1));
  }
  return all;
}
