import type { Checkpoint } from '../../core/model';

/** Which pages were superseded by later ones. */
export interface Superseded {
  /** @param at the number of the page among all, from 0 */
  readonly has: (at: number, checkpoint: Checkpoint) => boolean;
}

/**
 * Remembers what was found last: a commit reads the records several times, and they do not change meanwhile.
 *
 * @param find finds what is superseded in the first `end` bytes of the records of a run
 */
export function rememberSuperseded<R extends { readonly seed: number; readonly end: number }>(
  find: (read: R) => Promise<Superseded>,
): (read: R) => Promise<Superseded> {
  let last: { readonly seed: number; readonly end: number; readonly found: Superseded } | undefined;
  return async (read) => {
    const { seed, end } = read;
    if (last?.seed !== seed || last.end !== end) last = { seed, end, found: await find(read) };
    return last.found;
  };
}

/**
 * Finds the pages that later ones take the place of: the first page of a call does so for all that came before it of
 * this call and of those below it. Keeps a key and a number for each call.
 *
 * @param checkpoints of all pages, in the order in which they were written
 * @example (await superseded(journal.checkpoints())).has(0, checkpoint)
 */
export async function superseded(checkpoints: AsyncIterable<Checkpoint>): Promise<Superseded> {
  const starts = new Map<string, number>();
  let count = 0;
  for await (const { call, pages } of checkpoints) {
    if (pages === 1) starts.set(call.join('.'), count);
    count += 1;
  }
  const startedAfter = (at: number, key: string): boolean => (starts.get(key) ?? -1) > at;
  return {
    has: (at, { call }) => {
      let key = '';
      for (const [depth, number] of call.entries()) {
        key = depth === 0 ? String(number) : `${key}.${number}`;
        if (startedAfter(at, key)) return true;
      }
      return false;
    },
  };
}
