/**
 * Errors that parts of the language throw are known by a mark instead of their class: a user's part may come from another
 * copy of this package, which has classes of its own.
 */
const MARK = Symbol.for('headwater.mark');

/** Marks the errors of a class. */
export function mark(constructor: { readonly prototype: object }, name: string): void {
  Object.defineProperty(constructor.prototype, MARK, { value: name });
}

/** Tells whether a value has this mark. */
export const hasMark = (value: unknown, name: string): boolean =>
  typeof value === 'object' && value !== null && Reflect.get(value, MARK) === name;
