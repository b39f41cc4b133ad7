import type { Json } from '../../core/model';
import { valueAtPath, type MappingPath } from '../mapping/path';

/** An entry of a mapping with a path into items. */
interface TrackedPath {
  /** Where the entry stands in the configuration. */
  readonly place: string;
  readonly path: MappingPath;
}

/** Finds out which paths of mappings no item has: most likely they are misspelled. */
export class PathTracker {
  readonly #found = new Set<TrackedPath>();
  readonly #missed = new Set<TrackedPath>();

  /** Looks for a path in an item, as long as it has not been found. */
  see(sought: TrackedPath, item: Json): void {
    // Rows of child tables may be there without an item.
    if (item === null || this.#found.has(sought)) return;
    if (valueAtPath(item, sought.path) === undefined) this.#missed.add(sought);
    else this.#found.add(sought);
  }

  /** The places of all entries whose paths no item had. */
  missing(): readonly string[] {
    return [...new Set([...this.#missed].filter((sought) => !this.#found.has(sought)).map(({ place }) => place))];
  }
}
