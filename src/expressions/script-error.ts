/** A complaint of the expression language, before it is known where it arose. The message is a sentence. */
export class ScriptError extends Error {
  override readonly name = 'ScriptError';
}

/** The prefix of every complaint about an expression (language 7.3). */
export const USER_SCRIPT_ERROR = 'User script error: ';
