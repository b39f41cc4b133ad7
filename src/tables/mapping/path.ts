import { memberAt } from '../../core/json/literals';
import type { Holder } from '../../core/json/literals';
import { isList, isObject } from '../../core/json/objects';
import { isPathIndex } from '../../core/json/scalars';
import type { Json } from '../../core/model';

interface Step {
  readonly key: string;
  /** The index from the start of an array, or if negative, from its end. `NaN` if the key is no index, so that no array has it. */
  readonly index: number;
}

/** A path that is split once, to be followed in every item; no steps lead to the item itself. */
export type MappingPath = readonly Step[];

/** The place of a value: its holder has the spelling of a number. */
export interface Place {
  readonly holder: Holder;
  readonly key: string | number;
}

/**
 * Splits a path (docs/language/mappings.md#types-of-entries): an empty one, or the delimiter alone, is the item itself.
 */
export function compilePath(path: string, delimiter: string): MappingPath {
  if (path === '' || path === delimiter) return [];
  return path.split(delimiter).map((key) => ({ key, index: isPathIndex(key) ? Number(key) : NaN }));
}

/**
 * Returns the place to which a path leads; `undefined` when a step is missing. A `null` element of an array counts as missing.
 *
 * @param from the place of the item
 */
export function placeAt(from: Place, path: MappingPath): Place | undefined {
  let place = from;
  for (const { key, index } of path) {
    const holder = memberAt(place.holder, place.key);
    if (isList(holder)) {
      const at = index < 0 ? holder.length + index : index;
      if ((holder[at] ?? undefined) === undefined) return undefined;
      place = { holder, key: at };
    } else if (isObject(holder) && Object.hasOwn(holder, key)) place = { holder, key };
    else return undefined;
  }
  return place;
}

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
