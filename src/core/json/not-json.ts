/** What JSON cannot carry, and JavaScript can: `JSON.stringify` drops it, or writes something else. */

/** A place in a value, and what stands there. */
export interface NotJson {
  readonly path: readonly (string | number)[];
  readonly message: string;
}

/** More are not worth a list. */
const MOST = 20;
/** Deeper values are refused for their depth. */
const DEEPEST = 501;

/**
 * Finds what is no JSON in a value: functions, symbols, dates, maps, sets and instances of other classes, `NaN`, `Infinity`,
 * `undefined` in arrays, and what holds itself. A `bigint` is an integer here, and a member that is `undefined` is not there, as
 * in `JSON.stringify`.
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

/** What a value is called that is no JSON by itself. */
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

/** An object of another realm, such as a sandbox, has another `Object.prototype`, which has no prototype either. */
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
 * A copy without members that are `undefined`, or the value itself where there are none. What it is given is JSON else.
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
