import type { StoredRows } from '../row-counts';

/** The content of a row that is compared, or a digest of it. */
type Content = string | number | undefined;

/** The last row of a key. */
interface LatestRow {
  at: number;
  content: Content;
  /** What the old file has of the key. */
  old: 'none' | 'other' | 'same';
}

/**
 * Decides which rows are in a file of old rows and of rows of a run, in any format: old rows come first, without those whose key comes
 * again, and of rows of the run with equal keys the last one. Rows without a key all stay. It keeps an entry for each key of the run.
 *
 * @example
 * const latest = new LatestRows();
 * for (const row of rows) latest.add(keyOf(row), contentOf(row));
 * const kept = [...old.filter((row) => !latest.replaces(keyOf(row), () => contentOf(row))), ...rows.filter((_, at) => !latest.isReplaced(at))];
 */
export class LatestRows {
  readonly #latest = new Map<string, LatestRow>();
  readonly #replaced = new Set<number>();
  #rows = 0;

  /**
   * Adds the next row of the run.
   *
   * @param key `undefined`: it has none
   * @returns whether it takes the place of another one of the run
   */
  add(key: string | undefined, content?: Content): boolean {
    const at = this.#rows++;
    if (key === undefined) return false;
    const earlier = this.#latest.get(key);
    if (earlier === undefined) {
      this.#latest.set(key, { at, content, old: 'none' });
      return false;
    }
    this.#replaced.add(earlier.at);
    earlier.at = at;
    earlier.content = content;
    return true;
  }

  /** Returns whether a row of the run, by its number, has given way to a later one. */
  isReplaced(at: number): boolean {
    return this.#replaced.has(at);
  }

  /**
   * Returns whether an old row gives way to one of the run, once all of these are added.
   *
   * @param contentOf gives what is compared; absent: nothing is
   */
  replaces(key: string | undefined, contentOf?: () => Content): boolean {
    const latest = key === undefined ? undefined : this.#latest.get(key);
    if (latest === undefined) return false;
    if (latest.old !== 'same')
      latest.old = contentOf !== undefined && contentOf() === latest.content ? 'same' : 'other';
    return true;
  }

  /** The counts of the rows, once all old rows were asked for. */
  get counts(): StoredRows {
    let [matched, same] = [0, 0];
    for (const { old } of this.#latest.values()) {
      if (old !== 'none') matched += 1;
      if (old === 'same') same += 1;
    }
    return { stored: this.#rows - this.#replaced.size, matched, same };
  }
}
