import type { Json } from '../model';
import { isList, isObject } from './keys';
import { decodeUtf8 } from './utf8';

/** A longer body has something in it. */
const LONGEST = 2 ** 16;

/**
 * This tells whether a body certainly has no items: it is blank, or JSON without anything in an array.
 *
 * @example holdsNoItems(Buffer.from('{"items":[],"total":0}')) // true
 */
export function holdsNoItems(body: Uint8Array): boolean {
  if (body.length > LONGEST) return false;
  const text = decodeUtf8(body).trim();
  if (text === '') return true;
  try {
    return !hasItems(JSON.parse(text) as Json);
  } catch {
    return false;
  }
}

const hasItems = (value: Json): boolean =>
  isList(value) ? value.length > 0 : isObject(value) && Object.values(value).some(hasItems);
