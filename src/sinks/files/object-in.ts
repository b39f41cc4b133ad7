import { isObject } from '../../core/json/keys';
import { parseData } from '../../core/json/parse';
import type { JsonObject } from '../../core/model';

/** Parses a string that holds a JSON object; `undefined` when it holds none. */
export function objectIn(text: string): JsonObject | undefined {
  try {
    const value = parseData(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
