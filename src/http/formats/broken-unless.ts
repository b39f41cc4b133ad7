import { BrokenItems } from '../../core/json/item-reader';
import { Unreadable } from '../../language/parts/format/unreadable';

/**
 * What a reader of whole bodies makes of a part of one.
 *
 * @throws BrokenItems where the reader says {@link Unreadable}
 */
export function brokenUnless<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof Unreadable) throw new BrokenItems(error.message);
    throw error;
  }
}
