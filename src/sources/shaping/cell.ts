import { FatalError } from '../../core/errors/errors';
import { isObject } from '../../core/json/keys';
import { typeName } from '../../core/json/text';
import type { Item, JsonObject } from '../../core/model';

/** An item on its way; a number with digits that JavaScript cannot hold also has its spelling. */
export interface Cell {
  readonly item: Item;
  readonly literal?: string | undefined;
}

/** What becomes of an item: none, one or several. */
export type Operation = (cell: Cell) => readonly Cell[];

/**
 * An item that has fields.
 *
 * @throws FatalError API_SHAPE for any other
 */
export function objectIn({ item }: Cell, option: string, path: string): JsonObject {
  if (isObject(item)) return item;
  throw new FatalError(
    'API_SHAPE',
    `${path}.${option}: needs items that are objects, and one of the items is of the type ${typeName(item)}.`,
  );
}
