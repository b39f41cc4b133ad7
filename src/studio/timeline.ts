/** Adds up the events of a run, in memory that does not grow with the number of requests. */
import { isFailure } from '../core/errors/response-facts';
import type { RequestFields, RunEvent } from '..';
import type { Bar, Fate, JobLine, Mark, Span, Spans } from './wire';

/** See {@link createTimeline}. */
export interface Timeline {
  readonly onEvent: (event: RunEvent) => void;
  /** Adds the pages that the destination has stored so far, by job. */
  readonly take: (jobs: readonly { readonly id: string; readonly pages: number }[]) => void;
  /** Ends the run: no page waits any more. */
  readonly end: () => void;
  readonly jobs: () => readonly JobLine[];
  /** Returns the bars and marks after those that a reader has, up to a maximum, and how many are left out. */
  readonly after: (seen: Seen) => Fresh;
}

/** The numbers so far, for the next request. */
export interface Seen {
  readonly bars: number;
  readonly marks: number;
  readonly spans: number;
}

export interface Fresh {
  readonly bars: readonly Bar[];
  readonly marks: readonly Mark[];
  readonly spans: Spans;
  readonly leftOut: number;
  readonly seen: Seen;
}

/** The numbers of a new reader. */
export const NOTHING_SEEN: Seen = { bars: 0, marks: 0, spans: 0 };

const MOST_JOBS = 200;
const MOST_BARS = 4_000;
const MOST_BARS_AT_ONCE = 600;
const MOST_MARKS = 500;
const MOST_IN_FLIGHT = 10_000;
const LOGIN = 'login';
/** The name of the line for all jobs beyond the maximum. */
const OTHERS = 'others';

/** The last values, and their total number. */
interface Recent<T> {
  readonly add: (value: T) => void;
  readonly count: () => number;
  readonly since: (count: number, most: number) => readonly T[];
}

function recent<T>(capacity: number): Recent<T> {
  const ring: T[] = [];
  let count = 0;
  return {
    add: (value) => {
      ring[count % capacity] = value;
      count += 1;
    },
    count: () => count,
    since: (seen, most) => {
      const first = Math.max(seen, count - ring.length, count - most);
      return Array.from({ length: Math.max(0, count - first) }, (_, at) => ring[(first + at) % capacity] as T);
    },
  };
}

/** A job while it is added up. */
type Line = { -readonly [K in keyof JobLine]: JobLine[K] } & { readonly number: number; heldSince: number };

/** The names and places of paths in the configuration of a run. */
interface Places {
  /** Returns the name of a job; `undefined`: it has none. */
  readonly nameOf: (path: string) => string | undefined;
  readonly placeOf: (path: string) => string;
}

const PATHS: Places = { nameOf: () => undefined, placeOf: (path) => path };

/**
 * Adds up the events of one run.
 *
 * @param now the clock, in milliseconds
 * @param jobs the name and the place of the job of a path in the configuration
 * @example const timeline = createTimeline(Date.now); events$.subscribe(timeline.onEvent);
 */
export function createTimeline(now: () => number, { nameOf, placeOf }: Places = PATHS): Timeline {
  const began = now();
  const jobs = new Map<string, Line>();
  const order: string[] = [];
  const lanes = new Map<string, boolean[]>();
  const flying = new Map<string, { job: string; lane: number; from: number; waited: number }>();
  const held = new Map<string, number>();
  const bars = recent<Bar>(MOST_BARS);
  const marks = recent<Mark>(MOST_MARKS);
  const overview = createOverview();

  const moment = (): number => now() - began;
  const mark = (kind: Mark['kind'], text: string, more: Pick<Mark, 'job' | 'until'> = {}): void =>
    marks.add({ at: moment(), kind, text, ...more });
  const lineOf = (wanted: string, path = wanted): Line => {
    const id = jobs.has(wanted) || jobs.size < MOST_JOBS ? wanted : OTHERS;
    const known = jobs.get(id);
    if (known !== undefined) return known;
    const fresh: Line = {
      ...{ id, name: id === LOGIN ? 'Login' : (nameOf(path) ?? id), path: placeOf(path), state: 'running' },
      ...{ requests: 0, running: 0, retries: 0, pages: 0, items: 0, bytes: 0, held: 0 },
      ...{ number: order.length, heldSince: moment() },
    };
    jobs.set(id, fresh);
    order.push(id);
    return fresh;
  };
  /** Records how many pages were held until now, and how many are held from now on. */
  const hold = (line: Line, pages = line.held): void => {
    if (line.held > 0) overview.hold(line.number, line.heldSince, moment(), line.held);
    line.held = Math.max(0, pages);
    line.heldSince = moment();
  };
  const jobOf = ({ purpose }: RequestFields): string => (purpose.kind === 'login' ? LOGIN : purpose.job);
  const keyOf = ({ request = 0, attempt = 0 }: RequestFields): string => `${request}/${attempt}`;

  const sent = (event: RequestFields): void => {
    const line = lineOf(jobOf(event), event.purpose.kind === 'login' ? LOGIN : event.purpose.path);
    line.requests += 1;
    line.running += 1;
    if (event.purpose.kind === 'login') mark('login', 'Logs in');
    const taking = lanes.get(line.id) ?? [];
    lanes.set(line.id, taking);
    const free = taking.indexOf(false);
    const lane = free === -1 ? taking.length : free;
    taking[lane] = true;
    const key = keyOf(event);
    if (flying.size < MOST_IN_FLIGHT)
      flying.set(key, { job: line.id, lane, from: moment(), waited: held.get(key) ?? 0 });
    held.delete(key);
  };
  const over = (event: RequestFields, fate: Fate): void => {
    const key = keyOf(event);
    const flight = flying.get(key);
    if (flight === undefined) return;
    flying.delete(key);
    const line = lineOf(flight.job);
    line.running -= 1;
    const taking = lanes.get(flight.job);
    if (taking !== undefined) taking[flight.lane] = false;
    bars.add([line.number, flight.lane, flight.from, moment(), fate, flight.waited]);
    overview.add(line.number, moment(), fate, flight.waited);
  };

  const retried = (event: Extract<RunEvent, { readonly type: 'retry.scheduled' }>): void => {
    const line = lineOf(jobOf(event));
    line.retries += 1;
    const text = `${line.name}: again in ${event.delayMilliseconds} ms, because ${event.because}`;
    mark('retry', text, { job: line.number, until: moment() + event.delayMilliseconds });
  };
  /** Returns a time as milliseconds of the run. */
  const untilOf = (iso: string): Pick<Mark, 'until'> => {
    const until = Date.parse(iso) - began;
    return Number.isNaN(until) ? {} : { until };
  };

  const onEvent = (event: RunEvent): void => {
    switch (event.type) {
      case 'request.held':
        if (held.size < MOST_IN_FLIGHT) held.set(keyOf(event), event.waitedMilliseconds);
        return;
      case 'request.sent':
        sent(event);
        return;
      case 'response.received':
        lineOf(jobOf(event)).bytes += event.bytes;
        over(event, isFailure(event.status) ? 'refused' : 'ok');
        return;
      case 'request.failed':
        over(event, 'failed');
        return;
      case 'retry.scheduled':
        retried(event);
        return;
      case 'requests.paused':
        mark('paused', `Waits until ${event.until}, because ${event.because}`, untilOf(event.until));
        return;
      case 'credentials.renewed':
        if (event.expiresAt === undefined) mark('renewed', 'Logged in');
        else mark('renewed', `Logged in until ${event.expiresAt}`, untilOf(event.expiresAt));
        return;
      case 'page.extracted': {
        const line = lineOf(event.page.job.id, event.page.job.path);
        line.pages += 1;
        line.items += event.page.count;
        hold(line, line.held + 1);
        return;
      }
      case 'job.finished':
      case 'job.failed':
        // The calls of a child end many times.
        if (event.job.placeholders === undefined)
          lineOf(event.job.id, event.job.path).state = event.type === 'job.failed' ? 'failed' : 'finished';
        return;
      case 'run.finished':
        for (const { id, path, outcome } of event.jobs) lineOf(id, path).state = outcome;
        return;
      case 'warning':
        mark('warning', event.message);
        return;
      default:
        return;
    }
  };

  return {
    onEvent: onEvent,
    take: (amounts) => {
      const taken = new Map<Line, number>();
      for (const { id, pages } of amounts) taken.set(lineOf(id), (taken.get(lineOf(id)) ?? 0) + pages);
      for (const [line, pages] of taken) if (line.held !== line.pages - pages) hold(line, line.pages - pages);
    },
    end: () => {
      for (const line of jobs.values()) hold(line, 0);
    },
    jobs: () => order.map((id) => lineOfJob(lineOf(id))),
    after: (seen) => {
      for (const line of jobs.values()) hold(line);
      const fresh = bars.since(seen.bars, MOST_BARS_AT_ONCE);
      const spans = overview.after(seen.spans);
      return {
        ...{ bars: fresh, marks: marks.since(seen.marks, MOST_MARKS), spans },
        leftOut: bars.count() - seen.bars - fresh.length,
        seen: { bars: bars.count(), marks: marks.count(), spans: spans.soFar },
      };
    },
  };
}

const lineOfJob = ({
  id,
  name,
  path,
  requests,
  running,
  retries,
  pages,
  items,
  bytes,
  held,
  state,
}: Line): JobLine => ({
  ...{ id, name, path, requests, running, retries, pages, items, bytes, held, state },
});

/**
 * An overview of the requests of a run, by job and span of time: spans get longer with the run, so that the memory stays the same. See
 * {@link createOverview}.
 */
export interface Overview {
  /** Adds a request of a job that has ended. */
  readonly add: (job: number, moment: number, fate: Fate, waited: number) => void;
  /** Records that this number of pages of a job waited for the destination between two times. */
  readonly hold: (job: number, from: number, to: number, pages: number) => void;
  /** Returns the spans that have changed since a reader got `soFar`; all of them if their length has changed. */
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
  /** Joins neighbouring spans in pairs. */
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
