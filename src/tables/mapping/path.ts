import { memberAt } from '../../core/json/literals';
import { placeBelow } from '../../core/json/path';
import type { Place } from '../../core/json/path';
import type { Json } from '../../core/model';

/** A path that is split once, to be followed in every item; no steps lead to the item itself. */
export interface MappingPath {
  readonly steps: readonly string[];
  readonly delimiter: string;
}

/**
 * Splits a path (docs/language/mappings.md#types-of-entries): an empty one, or the delimiter alone, is the item itself.
 */
export function compilePath(path: string, delimiter: string): MappingPath {
  return { steps: path === '' || path === delimiter ? [] : path.split(delimiter), delimiter };
}

/**
 * Returns the place to which a path leads; `undefined` when a step is missing. A `null` element of an array counts as missing.
 *
 * @param from the place of the item
 */
export const placeAt = (from: Place, { steps, delimiter }: MappingPath): Place | undefined =>
  placeBelow(from, steps, delimiter);

/**
 * Returns the value at a path; `undefined` when a step is missing, as in {@link placeAt}.
 *
 * @example valueAtPath({ phones: ['1', '2'] }, compilePath('phones.1', '.')) // '2'
 */
export function valueAtPath(item: Json, path: MappingPath): Json | undefined {
  const place = placeAt({ holder: [item], key: 0 }, path);
  return place === undefined ? undefined : memberAt(place.holder, place.key);
}

/** An entry of a mapping with a path into items. */
interface TrackedPath {
  /** The place of the entry in the configuration. */
  readonly place: string;
  readonly path: MappingPath;
}

/** Tracks which paths of mappings no item has: most likely they are misspelled. */
export class PathTracker {
  readonly #found = new Set<TrackedPath>();
  readonly #missed = new Set<TrackedPath>();

  /** Looks for a path in an item, as long as it has not been found. */
  see(sought: TrackedPath, item: Json): void {
    // Rows of child tables may exist without an item.
    if (item === null || this.#found.has(sought)) return;
    if (valueAtPath(item, sought.path) === undefined) this.#missed.add(sought);
    else this.#found.add(sought);
  }

  /** Returns the places of all entries whose paths no item had. */
  missing(): readonly string[] {
    return [...new Set([...this.#missed].filter((sought) => !this.#found.has(sought)).map(({ place }) => place))];
  }
}
