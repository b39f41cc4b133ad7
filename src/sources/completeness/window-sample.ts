import { createHash } from 'node:crypto';
import { stringifyValue } from '../../core/json/stringify';
import type { Item } from '../../core/model';
import { hasId } from './item-id';

const MOST = 8;
const LENGTH = 12;

/**
 * Some items of a window, as digests: those whose digests are the least, so that windows which have items in common mostly have some of
 * these in common. Of windows with few items it is all of them.
 *
 * @example sampleOf([{ id: 1 }, { id: 2 }]) // two strings
 */
export const sampleOf = (items: readonly Item[]): readonly string[] =>
  items
    .filter(hasId)
    .map((item) => createHash('sha1').update(stringifyValue(item)).digest('base64').slice(0, LENGTH))
    .sort()
    .slice(0, MOST);
