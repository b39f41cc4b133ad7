/** What is known of a run so far, as far as it can be shown: it takes the same memory, however long the run is. */
import type { StudioEvents } from './server';

type Bar = StudioEvents['bars'][number];
type Mark = StudioEvents['marks'][number];
type Span = StudioEvents['spans']['changed'][number];

export interface History {
  readonly reported: StudioEvents;
  readonly bars: readonly Bar[];
  readonly marks: readonly Mark[];
  /** All of the run in spans of time, by {@link keyOf}. */
  readonly spans: ReadonlyMap<number, Span>;
  /** The moment from which on each request has a bar. */
  readonly barsFrom: number;
  /** How many lanes each job takes, by its number. */
  readonly lanes: readonly number[];
}

const MOST_BARS = 6_000;
const MOST_MARKS = 400;
const MOST_STEPS = 10_000;
export const MOST_LANES = 12;
const NO_SPANS: ReadonlyMap<number, Span> = new Map();

const keyOf = ({ job, step }: Span): number => job * MOST_STEPS + step;

/** Adds the latest events; another run starts over. */
export function withEvents(before: History | undefined, reported: StudioEvents): History {
  const known = before?.reported.run.number === reported.run.number ? before : undefined;
  const lanes = [...(known?.lanes ?? [])];
  for (const [job, lane] of reported.bars) lanes[job] = Math.min(MOST_LANES, Math.max(lanes[job] ?? 1, lane + 1));
  const all = [...(known?.bars ?? []), ...reported.bars];
  const bars = all.slice(-MOST_BARS);
  const isCut = reported.leftOut > 0 || bars.length < all.length;
  const first = reported.leftOut > 0 ? reported.bars[0] : bars[0];
  return {
    reported,
    lanes,
    bars,
    marks: [...(known?.marks ?? []), ...reported.marks].slice(-MOST_MARKS),
    spans: withSpans(known, reported.spans),
    barsFrom: Math.max(known?.barsFrom ?? 0, isCut ? (first?.[3] ?? reported.at) : 0),
  };
}

function withSpans(known: History | undefined, { milliseconds, changed }: StudioEvents['spans']): History['spans'] {
  const before = known?.reported.spans.milliseconds === milliseconds ? known.spans : NO_SPANS;
  if (changed.length === 0) return before;
  const spans = new Map(before);
  for (const span of changed) spans.set(keyOf(span), span);
  return spans;
}
