import { hasMark, mark } from '../codec/mark';

/**
 * A function cannot use its arguments. The message is a sentence, and holds no value that could be a secret; where the
 * function stands is added to it.
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
