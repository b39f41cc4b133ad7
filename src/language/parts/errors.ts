/**
 * Errors that parts of the language throw are recognised by a mark instead of their class: a user's part may come from
 * another copy of this package, which has its own classes.
 */
const MARK = Symbol.for('headwater.mark');

/** Marks the errors of a class. */
function mark(constructor: { readonly prototype: object }, name: string): void {
  Object.defineProperty(constructor.prototype, MARK, { value: name });
}

/** Returns whether a value has this mark. */
const hasMark = (value: unknown, name: string): boolean =>
  typeof value === 'object' && value !== null && Reflect.get(value, MARK) === name;

/**
 * The error of a function with invalid arguments. The message is a sentence, and holds no value that could be a secret;
 * the place of the function is added to it.
 */
export class ScriptError extends Error {
  override readonly name = 'ScriptError';

  static {
    mark(this, 'ScriptError');
  }

  static override [Symbol.hasInstance](error: unknown): boolean {
    return hasMark(error, 'ScriptError');
  }
}

/** The prefix of every complaint about an expression (docs/language/expressions.md#errors). */
export const USER_SCRIPT_ERROR = 'User script error: ';

/** The error of a body that does not have the form of its format. The message says why, without quoting the body. */
export class Unreadable extends Error {
  override readonly name = 'Unreadable';

  static {
    mark(this, 'Unreadable');
  }

  static override [Symbol.hasInstance](error: unknown): boolean {
    return hasMark(error, 'Unreadable');
  }
}
