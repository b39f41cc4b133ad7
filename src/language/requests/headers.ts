import { entriesOf, isList, objectFrom } from '../../core/json/keys';
import { isScalar, textOf } from '../../core/json/text';
import type { Headers, Json, JsonObject } from '../../core/model';

/**
 * Merges header layers by name whatever their case, a later layer over an earlier one
 * (docs/language/requests.md#headers).
 */
export function mergeHeaderLayers(...layers: readonly JsonObject[]): JsonObject {
  return objectFrom(layers.flatMap((layer) => entriesOf(layer).map(([name, value]) => [name.toLowerCase(), value])));
}

/** Header values as strings, by lower-case name; `null` is an empty value, an array is sent as several lines. */
export function headerTexts(layer: JsonObject): Headers {
  return Object.fromEntries(
    entriesOf(layer).map(([name, value]) => [
      name.toLowerCase(),
      isList(value) ? value.map(scalarText) : scalarText(value),
    ]),
  );
}

const scalarText = (value: Json): string => (isScalar(value) ? textOf(value) : '');
