import { hasMark, mark } from '../../codec/mark';

/** A body is not what its format says. The message tells why, without quoting the body. */
export class Unreadable extends Error {
  override readonly name = 'Unreadable';

  static {
    mark(this, 'Unreadable');
  }

  static override [Symbol.hasInstance](error: unknown): boolean {
    return hasMark(error, 'Unreadable');
  }
}
