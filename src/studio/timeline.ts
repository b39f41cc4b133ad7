/** What a run does, added up as it happens: a picture of it takes the same memory after a hundred requests and after a million. */
import type { RequestFields, RunEvent } from '../index';
import type { Bar, Fate, JobLine, Mark } from './wire';

/** See {@link createTimeline}. */
export interface Timeline {
  readonly hear: (event: RunEvent) => void;
  /** Pages that the destination has taken. */
  readonly take: (pages: number) => void;
  readonly jobs: () => readonly JobLine[];
  readonly held: () => number;
  /** The bars and marks after those that a reader has, at most so many, and how many it does not get. */
  readonly after: (bars: number, marks: number) => Fresh;
}

export interface Fresh {
  readonly bars: readonly Bar[];
  readonly marks: readonly Mark[];
  /** How many there have been: what to ask with the next time. */
  readonly barsSoFar: number;
  readonly marksSoFar: number;
  readonly leftOut: number;
}

const MOST_JOBS = 200;
const MOST_BARS = 4_000;
const MOST_BARS_AT_ONCE = 600;
const MOST_MARKS = 500;
const MOST_IN_FLIGHT = 10_000;
const LOGIN = 'login';
/** Where there are more jobs than are told one by one. */
const OTHERS = 'others';

/** The last values, and how many there have been. */
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

/**
 * Adds up the events of one run.
 *
 * @param now the clock, in milliseconds
 * @example const timeline = createTimeline(Date.now); events$.subscribe(timeline.hear);
 */
export function createTimeline(now: () => number): Timeline {
  const began = now();
  const jobs = new Map<string, { -readonly [K in keyof JobLine]: JobLine[K] }>();
  const order: string[] = [];
  const lanes = new Map<string, boolean[]>();
  const flying = new Map<string, { job: string; lane: number; from: number; waited: number }>();
  const held = new Map<string, number>();
  const bars = recent<Bar>(MOST_BARS);
  const marks = recent<Mark>(MOST_MARKS);
  let extracted = 0;
  let taken = 0;

  const moment = (): number => now() - began;
  const mark = (kind: Mark['kind'], text: string): void => marks.add({ at: moment(), kind, text });
  const lineOf = (wanted: string, path = wanted): { -readonly [K in keyof JobLine]: JobLine[K] } => {
    const id = jobs.has(wanted) || jobs.size < MOST_JOBS ? wanted : OTHERS;
    const known = jobs.get(id);
    if (known !== undefined) return known;
    const fresh: JobLine = {
      ...{ id, path, requests: 0, running: 0, retries: 0, pages: 0, items: 0, bytes: 0, state: 'running' },
    };
    jobs.set(id, { ...fresh });
    order.push(id);
    return jobs.get(id) ?? { ...fresh };
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
    bars.add([order.indexOf(flight.job), flight.lane, flight.from, moment(), fate, flight.waited]);
  };

  const hear = (event: RunEvent): void => {
    switch (event.type) {
      case 'request.held':
        if (held.size < MOST_IN_FLIGHT) held.set(keyOf(event), event.waitedMilliseconds);
        return;
      case 'request.sent':
        sent(event);
        return;
      case 'response.received':
        lineOf(jobOf(event)).bytes += event.bytes;
        over(event, event.status < 400 ? 'ok' : 'refused');
        return;
      case 'request.failed':
        over(event, 'failed');
        return;
      case 'retry.scheduled':
        lineOf(jobOf(event)).retries += 1;
        mark('retry', `${jobOf(event)}: again in ${event.delayMilliseconds} ms, because ${event.because}`);
        return;
      case 'requests.paused':
        mark('paused', `Waits until ${event.until}, because ${event.because}`);
        return;
      case 'credentials.renewed':
        mark('renewed', event.expiresAt === undefined ? 'Logged in' : `Logged in until ${event.expiresAt}`);
        return;
      case 'page.extracted': {
        const line = lineOf(event.page.job.id, event.page.job.path);
        line.pages += 1;
        line.items += event.page.count;
        extracted += 1;
        return;
      }
      case 'job.finished':
      case 'job.failed':
        // A call of a child ends many times.
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
    hear,
    take: (pages) => void (taken = pages),
    jobs: () => order.map((id) => ({ ...lineOf(id) })),
    held: () => Math.max(0, extracted - taken),
    after: (seenBars, seenMarks) => {
      const freshBars = bars.since(seenBars, MOST_BARS_AT_ONCE);
      const freshMarks = marks.since(seenMarks, MOST_MARKS);
      const leftOut = bars.count() - seenBars - freshBars.length;
      const soFar = { barsSoFar: bars.count(), marksSoFar: marks.count() };
      return { bars: freshBars, marks: freshMarks, ...soFar, leftOut };
    },
  };
}
