import { createHash } from 'node:crypto';

/** The number of pages of which all keys are remembered; of later ones only every page whose number is a power of two. */
const REMEMBERED = 100_000;

/** The pages that a call of a job has seen, by keys that equal pages have in common. */
export interface VisitedPages {
  /**
   * How many pages in a row, this one included, were seen before; 0 for a new page. The page is remembered. A ring of pages
   * that begins after {@link REMEMBERED} pages is found within two rounds.
   */
  readonly again: (key: string) => number;
}

/**
 * Remembers pages in bounded memory.
 *
 * @example
 * const visited = visitedPages();
 * visited.again('a') // 0
 * visited.again('a') // 1
 */
export function visitedPages(): VisitedPages {
  let keys: Set<number> | undefined;
  let seen = 0;
  let row = 0;
  return {
    again: (key) => {
      const digest = digestOf(key);
      // Most calls of children ask for no page twice, and never come here.
      keys ??= new Set();
      row = keys.has(digest) ? row + 1 : 0;
      seen += 1;
      if (seen <= REMEMBERED || Number.isInteger(Math.log2(seen))) keys.add(digest);
      return row;
    },
  };
}

/** 53 bits of a digest: addresses may be long, and a number takes half of the memory of a short string. */
function digestOf(key: string): number {
  const bytes = createHash('sha1').update(key).digest();
  return bytes.readUInt32BE(0) * 2 ** 21 + (bytes.readUInt32BE(4) >>> 11);
}
