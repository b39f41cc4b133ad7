/** What a run has told so far, as far as it can be shown: it takes the same memory, however long the run is. */
import type { Telling } from './store';

type Bar = Telling['bars'][number];
type Mark = Telling['marks'][number];

export interface History {
  readonly told: Telling;
  readonly bars: readonly Bar[];
  readonly marks: readonly Mark[];
  /** How many lanes each job takes, by its number. */
  readonly lanes: readonly number[];
  /** Requests that were too many to be shown one by one. */
  readonly leftOut: number;
}

const MOST_BARS = 6_000;
const MOST_MARKS = 400;
export const MOST_LANES = 12;

/** Adds what was told last; another run begins anew. */
export function withTold(before: History | undefined, told: Telling): History {
  const known = before?.told.run.number === told.run.number ? before : undefined;
  const lanes = [...(known?.lanes ?? [])];
  for (const [job, lane] of told.bars) lanes[job] = Math.min(MOST_LANES, Math.max(lanes[job] ?? 1, lane + 1));
  return {
    told,
    lanes,
    bars: [...(known?.bars ?? []), ...told.bars].slice(-MOST_BARS),
    marks: [...(known?.marks ?? []), ...told.marks].slice(-MOST_MARKS),
    leftOut: (known?.leftOut ?? 0) + told.leftOut,
  };
}
