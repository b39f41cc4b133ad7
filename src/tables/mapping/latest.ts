import { hash } from 'node:crypto';
import type { RowPlan } from './plan';

/**
 * Which rows count, of those with the same key: the last one, with the rows below it. Rows are numbered as they are met, table by
 * table from the top, since the rows below one that does not count are none. Keeps a digest a key.
 */
export class LatestRows {
  readonly #last = new Map<RowPlan, Map<string, number>>();
  readonly #met = new Map<RowPlan, number>();
  #depth = Infinity;

  /**
   * Begins to read all items once more.
   *
   * @param depth of the tables whose keys are to be learned: those above are known; absent: all are known
   */
  begin(depth = Infinity): void {
    this.#depth = depth;
    this.#met.clear();
  }

  /** @param key that of the row; `undefined`: it has none, so that it counts */
  counts(plan: RowPlan, key: string | undefined): boolean {
    if (plan.depth > this.#depth) return false;
    const number = this.#met.get(plan) ?? 0;
    this.#met.set(plan, number + 1);
    if (key === undefined) return plan.depth < this.#depth;
    const last = this.#last.get(plan) ?? new Map<string, number>();
    this.#last.set(plan, last);
    const digest = hash('sha1', key, 'base64');
    if (plan.depth < this.#depth) return last.get(digest) === number;
    last.set(digest, number);
    return false;
  }
}
