import { isPromise } from 'node:util/types';
import { HeadwaterError } from '../../core/errors/errors';

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

/** What identifies a part of an application in errors. */
export interface PartName {
  /** For example `pagination`. */
  readonly kind: string;
  readonly name: string;
}

/**
 * The error of a part of an application that throws, or that gives something of the wrong shape. It is a defect of that
 * part, and not of the configuration or the API, so it is no `HeadwaterError`. `cause` is what the part has thrown.
 *
 * @example if (error instanceof PartError) console.error(error.part.kind, error.part.name, error.member);
 */
export class PartError extends Error {
  override readonly name = 'PartError';

  static {
    mark(this, 'PartError');
  }

  static override [Symbol.hasInstance](error: unknown): boolean {
    return hasMark(error, 'PartError');
  }

  /**
   * @param member the member of the definition, or of what it gave, for example `next`
   * @param problem what the member did, for example `next(…) gave no step`
   */
  constructor(
    { kind, name }: PartName,
    readonly member: string,
    problem: string,
    options?: ErrorOptions,
  ) {
    super(`${kind} "${name}": ${problem}`, options);
    this.part = { kind, name };
  }

  readonly part: PartName;
}

/** Returns the error of a member of a part; errors that already name what is at fault stay as they are. */
export function errorOfPart(part: PartName, member: string, error: unknown, what = `${member}(…) threw`): unknown {
  const isNamed =
    error instanceof HeadwaterError ||
    error instanceof PartError ||
    error instanceof ScriptError ||
    error instanceof Unreadable;
  if (isNamed) return error;
  const reason = error instanceof Error ? error.message : String(error);
  return new PartError(part, member, `${what}: ${reason}`, { cause: error });
}

/**
 * Returns an object whose functions are those of a value of a part, and throw, or reject with, errors that name the
 * part and the function.
 *
 * @example named({ kind: 'pagination', name: 'mine' }, paginator).next(arrival) // throws PartError
 */
export function named<T extends object>(part: PartName, value: T): T {
  const copy = {};
  for (const key of membersOf(value))
    Object.defineProperty(copy, key, {
      enumerable: true,
      get: () => {
        const member: unknown = Reflect.get(value, key);
        return isFunction(member) ? namedFunction(part, key, member, value) : member;
      },
    });
  // It has the members of the value.
  return copy as T;
}

type AnyFunction = (...args: readonly unknown[]) => unknown;

const isFunction = (value: unknown): value is AnyFunction => typeof value === 'function';

function namedFunction(part: PartName, member: string, call: AnyFunction, self: object): AnyFunction {
  const fail = (error: unknown): never => {
    throw errorOfPart(part, member, error);
  };
  const guarded: AnyFunction = (...args) => {
    try {
      const result: unknown = Reflect.apply(call, self, args);
      return isPromise(result) ? result.catch(fail) : result;
    } catch (error) {
      return fail(error);
    }
  };
  return Object.keys(call).length === 0
    ? guarded
    : Object.assign(guarded, named(part, Object.fromEntries(Object.entries(call))));
}

/** Returns the names of the members of an object, which may be an instance of a class. */
function membersOf(value: object): ReadonlySet<string> {
  const inherited: unknown = Reflect.getPrototypeOf(value);
  const own = Object.getOwnPropertyNames(value);
  const isLast = typeof inherited !== 'object' || inherited === null || Reflect.getPrototypeOf(inherited) === null;
  return new Set(isLast ? own : [...own, ...membersOf(inherited)].filter((name) => name !== 'constructor'));
}
