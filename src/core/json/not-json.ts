/** Finds values that JSON cannot carry: `JSON.stringify` drops them, or writes something else. */

/** A place in a value, and the problem there. */
export interface NotJson {
  readonly path: readonly (string | number)[];
  readonly message: string;
}

/** The most problems that are listed. */
const MOST = 20;
/** Deeper values are refused for their depth alone. */
const DEEPEST = 501;

/**
 * Finds the parts of a value that are not JSON: functions, symbols, dates, maps, sets and instances of other classes,
 * `NaN`, `Infinity`, `undefined` in arrays, and cycles. A `bigint` counts as an integer, and a member that is
 * `undefined` as absent, as in `JSON.stringify`.
 *
 * @example notJson({ since: new Date() }) // [{ path: ['since'], message: 'a Date is no JSON …' }]
 */
export function notJson(value: unknown): readonly NotJson[] {
  const found: NotJson[] = [];
  const above = new Set<object>();
  const visit = (inner: unknown, path: readonly (string | number)[]): void => {
    const refuse = (what: string): void => {
      if (found.length < MOST) found.push({ path, message: `expected JSON, found ${what}` });
    };
    const name = nameOf(inner);
    if (name !== undefined) {
      refuse(name);
      return;
    }
    if (typeof inner !== 'object' || inner === null || path.length > DEEPEST) return;
    if (above.has(inner)) {
      refuse('an object that holds itself');
      return;
    }
    above.add(inner);
    if (Array.isArray(inner)) Array.from(inner).forEach((element: unknown, at) => visit(element, [...path, at]));
    else for (const [key, member] of Object.entries(inner)) if (member !== undefined) visit(member, [...path, key]);
    above.delete(inner);
  };
  visit(value, []);
  return found;
}

/** Returns the name for messages of a value that is not JSON by itself. */
function nameOf(value: unknown): string | undefined {
  switch (typeof value) {
    case 'number':
      return Number.isFinite(value) ? undefined : String(value);
    case 'undefined':
      return 'undefined';
    case 'function':
      return 'a function';
    case 'symbol':
      return 'a symbol';
    case 'object':
      return value === null || Array.isArray(value) || isPlain(value) ? undefined : instanceName(value);
    default:
      return undefined;
  }
}

/**
 * Returns whether a value is a plain object. An object of another realm, such as a sandbox, has another
 * `Object.prototype`, which has no prototype either.
 */
function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}

function instanceName(value: object): string {
  const { name } = value.constructor;
  const hint = value instanceof Date ? '; write it as a string, for example by toISOString()' : '';
  return `${/^[aeiou]/i.test(name) ? 'an' : 'a'} ${name === '' ? 'object of a class' : name}${hint}`;
}

/**
 * Returns a copy without members that are `undefined`, or the value itself if there are none. The value must be JSON
 * otherwise.
 *
 * @example withoutUndefined({ a: 1, b: undefined }) // { a: 1 }
 */
export function withoutUndefined(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) {
    const list: unknown[] = value;
    const copy = list.map(withoutUndefined);
    return copy.every((element, at) => element === list[at]) ? value : copy;
  }
  const entries = Object.entries(value);
  const copies = entries
    .filter(([, member]) => member !== undefined)
    .map(([key, member]) => [key, withoutUndefined(member)] as const);
  const isSame = copies.length === entries.length && copies.every(([, member], at) => member === entries[at]?.[1]);
  return isSame ? value : Object.fromEntries(copies);
}
