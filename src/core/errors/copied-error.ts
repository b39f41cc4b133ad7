import { HeadwaterError } from './errors';

/**
 * The same error as an object of its own, where several fail for one reason: what an error is told later, such as its job and
 * where its run can go on, is true of one of them alone. Errors of others stay as they are.
 *
 * @example catchError((error: unknown) => throwError(() => copiedError(error)))
 */
export function copiedError(error: unknown): unknown {
  if (!(error instanceof HeadwaterError)) return error;
  // Made by `new Error`, and not by its prototype alone: Node.js prints the stack of no other object.
  const copy = Object.setPrototypeOf(new Error(), Reflect.getPrototypeOf(error)) as HeadwaterError;
  for (const key of Object.getOwnPropertyNames(error)) {
    const enumerable = Object.prototype.propertyIsEnumerable.call(error, key);
    const value: unknown = Reflect.get(error, key);
    Object.defineProperty(copy, key, { value, enumerable, configurable: true, writable: true });
  }
  return copy;
}
