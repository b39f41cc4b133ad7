import { isObject } from '../../json/keys';
import { parseData } from '../../json/parse';
import type { JsonObject } from '../../model';

/** Parses a string that holds a JSON object; `undefined` when it holds none. */
export function objectIn(text: string): JsonObject | undefined {
  try {
    const value = parseData(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
