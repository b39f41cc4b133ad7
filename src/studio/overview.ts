/** Requests of a whole run by job and span of time: the longer the run is, the longer are the spans, and they take the same memory. */
import type { Fate, Span, Spans } from './wire';

/** See {@link createOverview}. */
export interface Overview {
  /** A request of a job is over. */
  readonly add: (job: number, moment: number, fate: Fate, waited: number) => void;
  /** So many pages of a job have waited for the destination all the time between two moments. */
  readonly hold: (job: number, from: number, to: number, pages: number) => void;
  /** The spans that have changed since a reader got `soFar`; all of them where their length has changed. */
  readonly after: (soFar: number) => Spans;
}

const SHORTEST_MILLISECONDS = 100;
const MOST_STEPS = 600;
const MOST_SPANS = 6_000;

type Cell = { -readonly [K in keyof Span]: Span[K] } & { changed: number };

/** @example createOverview().add(0, 140, 'ok', 0) // job 0 has a span from 100 to 200 ms with a request */
export function createOverview(): Overview {
  let cells = new Map<string, Cell>();
  let milliseconds = SHORTEST_MILLISECONDS;
  let changes = 0;

  const cellAt = (job: number, step: number): Cell => {
    const key = `${job}/${step}`;
    const cell = cells.get(key) ?? { ...{ job, step, ok: 0, refused: 0, failed: 0, waited: 0, held: 0 }, changed: 0 };
    cells.set(key, cell);
    cell.changed = changes += 1;
    return cell;
  };
  /** Two neighbours become one. */
  const lengthen = (): void => {
    const before = [...cells.values()];
    cells = new Map();
    milliseconds *= 2;
    for (const { job, step, ok, refused, failed, waited, held } of before) {
      const cell = cellAt(job, Math.floor(step / 2));
      cell.ok += ok;
      cell.refused += refused;
      cell.failed += failed;
      cell.waited += waited;
      cell.held = Math.max(cell.held, held);
    }
  };
  const stepAt = (moment: number): number => {
    while (moment / milliseconds >= MOST_STEPS || cells.size >= MOST_SPANS) lengthen();
    return Math.floor(Math.max(0, moment) / milliseconds);
  };

  return {
    add: (job, moment, fate, waited) => {
      const cell = cellAt(job, stepAt(moment));
      cell[fate] += 1;
      cell.waited += waited;
    },
    hold: (job, from, to, pages) => {
      const last = stepAt(to);
      for (let step = Math.floor(Math.max(0, from) / milliseconds); step <= last; step += 1) {
        const cell = cellAt(job, step);
        cell.held = Math.max(cell.held, pages);
      }
    },
    after: (soFar) => ({
      milliseconds,
      soFar: changes,
      changed: [...cells.values()]
        .filter(({ changed }) => changed > soFar)
        .map(({ job, step, ok, refused, failed, waited, held }) => ({ job, step, ok, refused, failed, waited, held })),
    }),
  };
}
