import { isObject } from '../../json/keys';
import { parseData } from '../../json/parse';
import type { JsonObject } from '../../model';

/** The object that a text is; `undefined`: it is none. */
export function objectIn(text: string): JsonObject | undefined {
  try {
    const value = parseData(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
