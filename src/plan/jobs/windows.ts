import * as Ap from 'fp-ts/Apply';
import * as E from 'fp-ts/Either';
import { pipe } from 'fp-ts/function';
import { expressionFailed } from '../../core/errors/errors';
import type { FatalError } from '../../core/errors/errors';
import { movedBack } from '../../core/json/order';
import { isScalar, typeName } from '../../core/json/scalars';
import type { Json } from '../../core/model';
import { fault, validation } from '../../language/codec/codec';
import type { Checked } from '../../language/codec/codec';
import type { Incremental, Window } from '../../language/configuration/jobs/slices';
import { halvesOf, isOfDays, secondsIn, windowsOf } from '../../language/expressions/dates/calendar';
import type { Span, Step } from '../../language/expressions/dates/calendar';
import { Duration, Moment, isoMoment, writeMoment } from '../../language/jinja/dates';
import {
  grainOf,
  momentBefore,
  momentFormatFault,
  momentText,
  vagueFormat,
} from '../../language/expressions/dates/format';
import { parseTime } from '../../language/expressions/dates/parse-time';
import { compileExpression } from '../../language/expressions/expression';
import type { Compiled, Scope } from '../../language/expressions/expression';
import type { Cap, RunTimes } from '../plan';
import { contextsOfCalls, timesContext } from './call-values';

const compiled = (raw: Json, path: string, scope: Scope): Checked<(times: RunTimes) => Json> =>
  pipe(
    compile(raw, path, scope),
    E.map(
      ({ evaluate }) =>
        (times) =>
          evaluate(timesContext(scope.known, times), times.currentStart),
    ),
  );

/** Compiles a value known at the beginning of the run. */
export const compile = (raw: Json, path: string, scope: Scope): Checked<Compiled> =>
  compileExpression(raw, { path, contexts: contextsOfCalls({}), ...scope });

/** A window in the form in which it is sent. */
export interface SentWindow {
  readonly from: string | number;
  readonly to: string | number;
  readonly cap?: Omit<Cap, 'halves'> & { readonly halves: () => readonly SentWindow[] };
}

const formatOf = ({ format, step = A_DAY }: Window): string => format ?? (isOfDays(step) ? 'date' : 'ISO 8601');

const A_DAY: Step = { count: 1, unit: 'day' };

/** Returns whether each window has a beginning that identifies it, as a day has for dates, or there is one window. */
export function isOneMoment(window: Window): boolean {
  if (window.step === undefined) return true;
  const format = formatOf(window);
  if (isOfPython(format)) return false;
  const [first = NO_SPAN] = windowsOf({ from: 0, to: Infinity }, window.step);
  return momentText(format, first.from) === momentText(format, first.to - grainOf(format));
}

const NO_SPAN: Span = { from: 0, to: 0 };

/** The most windows of a job. More are a mistake, such as a beginning in 1970: the requests would take days. */
const MOST_WINDOWS = 100_000;

/** Returns the windows of a run, from the place on that the last run has reached. */
type Windows = (times: RunTimes, reached?: Json) => readonly SentWindow[];

/**
 * Compiles the windows of a job.
 *
 * @param incremental the cursor of the job, which they go on from
 */
export function windows(
  window: Window,
  incremental: Incremental | undefined,
  path: string,
  scope: Scope,
): Checked<Windows> {
  const { from: written = incremental?.initial ?? 0, to: end = incremental?.until } = window;
  const ends = {
    from: compiled(written, `${path}.from`, scope),
    to:
      end === undefined
        ? E.right(({ currentStart }: RunTimes): Json => currentStart)
        : compiled(end, `${path}.to`, scope),
  };
  const format = formatOf(window);
  if (isOfPython(format)) return windowsOfPython(window, { format, ends, incremental, path });
  const { step, toIsInclusive, cap } = window;
  const wrong = momentFormatFault(format) ?? vagueFormat(format);
  const grain = grainOf(format);
  return pipe(
    Ap.sequenceS(validation)({
      ...ends,
      smallest: smallestOf(window, path, grain),
      format: wrong === undefined ? E.right(undefined) : E.left([{ path: `${path}.format`, message: wrong }]),
      granularity:
        window.granularity === undefined
          ? E.right(undefined)
          : fault(`${path}.granularity`, 'needs a "format" of strftime, such as "%Y-%m-%d"'),
    }),
    E.map(({ from, to, smallest }): Windows => (times, reached) => {
      const begin = secondsOf(from(times), `${path}.from`, times, grain);
      const span = {
        from:
          reached === undefined
            ? begin
            : Math.max(begin, secondsOf(movedBack(reached, incremental?.lag ?? 0), path, times, grain)),
        to: endOf(to(times), `${path}.to`, times, grain),
      };
      if (reached !== undefined && span.from > span.to) return [];
      if (span.from > span.to)
        throw expressionFailed({
          path,
          message: `"from" is ${shownMoment(span.from)}, which is after "to", ${shownMoment(span.to)}`,
        });
      const spans: Span[] = [];
      for (const each of step === undefined ? wholeOf(span) : windowsOf(span, step)) {
        if (spans.length === MOST_WINDOWS) throw tooMany(path, shownMoment(span.from));
        spans.push(each);
      }
      const written = endsOf(format, path);
      return spans.map((each) => {
        const sent = sentWindow(
          each,
          { format, toIsInclusive, grain, smallest, ...(cap === undefined ? {} : { cap }) },
          path,
        );
        written(each.from);
        written(each.to);
        return sent;
      });
    }),
  );
}

const wholeOf = (span: Span): readonly Span[] => (span.from < span.to ? [span] : []);

const tooMany = (path: string, from: string): FatalError =>
  expressionFailed({
    path,
    message: `there are more than ${MOST_WINDOWS} windows from ${from} on: let it begin later, or raise "step"`,
  });

// Windows in a format of Python (docs/language/jobs.md#formats-of-strftime): to the microsecond, and each of them
// reaches to where the next one begins, or as near to it as the granularity says.

/** Returns whether a format is one of Python's `strftime`: no other one has a percent sign. */
const isOfPython = (format: string): boolean => format.includes('%');

interface PythonWindows {
  readonly format: string;
  readonly ends: {
    readonly from: Checked<(times: RunTimes) => Json>;
    readonly to: Checked<(times: RunTimes) => Json>;
  };
  readonly incremental: Incremental | undefined;
  readonly path: string;
}

function windowsOfPython(
  { step, granularity, cap, toIsInclusive }: Window,
  { format, ends, incremental, path }: PythonWindows,
): Checked<Windows> {
  const other = cap !== undefined ? 'cap' : toIsInclusive ? 'toIsInclusive' : undefined;
  if (other !== undefined) return fault(`${path}.${other}`, 'does not go together with a "format" of strftime');
  const length = step === undefined ? undefined : durationOf(step);
  const sent = (from: Moment, to: Moment): SentWindow => ({
    from: writeMoment(from, format),
    to: writeMoment(to, format),
  });
  return pipe(
    Ap.sequenceS(validation)(ends),
    E.map(({ from, to }) => (times, reached) => {
      const begin = momentOf(from(times), `${path}.from`, times);
      const known = reached === undefined ? begin : momentOf(movedBack(reached, incremental?.lag ?? 0), path, times);
      const start = isBefore(begin, known) ? known : begin;
      const end = momentOf(to(times), `${path}.to`, times);
      if (isBefore(end, start) || (granularity === undefined && !isBefore(start, end))) return [];
      const made: SentWindow[] = [];
      for (let at = start; ;) {
        const next = length === undefined ? end : at.plus(length);
        if (!isBefore(next, end)) return [...made, sent(at, end)];
        if (made.length === MOST_WINDOWS) throw tooMany(path, start.iso());
        made.push(sent(at, granularity === undefined ? next : next.plus(granularity, -1)));
        at = next;
      }
    }),
  );
}

const MICROSECONDS = 1_000_000;

const durationOf = (step: Step): Duration => {
  const seconds = secondsIn(step);
  if (seconds !== undefined) return new Duration(seconds * MICROSECONDS);
  return new Duration(0, step.count * (step.unit === 'year' ? 12 : 1));
};

const isBefore = (a: Moment, b: Moment): boolean => a.ms < b.ms || (a.ms === b.ms && a.micros < b.micros);

function momentOf(value: Json, path: string, times: RunTimes): Moment {
  if (typeof value === 'string')
    try {
      return isoMoment(value);
    } catch {
      // Words and other spellings.
    }
  return new Moment(secondsOf(value, path, times, 1) * 1000);
}

/**
 * Returns a function that refuses an end of a window that has the same text as another one: both would be one request
 * with the items of one.
 */
function endsOf(format: string, path: string): (seconds: number) => void {
  const ends = new Map<string | number, number>();
  return (seconds) => {
    const text = momentText(format, seconds);
    const before = ends.get(text) ?? seconds;
    ends.set(text, before);
    if (before === seconds) return;
    throw expressionFailed({
      path: `${path}.format`,
      message: `the format does not distinguish ${shownMoment(before)} and ${shownMoment(seconds)}, which are ends of windows: both become ${JSON.stringify(text)}`,
    });
  };
}

interface Sending extends Pick<Window, 'cap'> {
  /** The shortest window, in seconds. */
  readonly smallest: number;
  readonly format: string;
  readonly toIsInclusive: boolean;
  readonly grain: number;
}

function sentWindow(span: Span, sending: Sending, path: string): SentWindow {
  const { from, to } = span;
  const { format, toIsInclusive, grain } = sending;
  const first = momentText(format, from);
  const vague = [from, to].find((end) => momentText(format, end - grain) === momentText(format, end));
  if (vague === undefined && first !== momentText(format, to))
    return {
      from: first,
      to: toIsInclusive ? momentBefore(format, to) : momentText(format, to),
      ...capOf(span, sending, path),
    };
  const message = `the format does not say where a window ends: ${shownMoment(vague ?? to)} becomes ${JSON.stringify(momentText(format, vague ?? to))}`;
  throw expressionFailed({ path: `${path}.format`, message });
}

const capOf = (span: Span, sending: Sending, path: string): Pick<SentWindow, 'cap'> => {
  const { cap, smallest } = sending;
  if (cap === undefined) return {};
  const halves = () => halvesOf(span, smallest)?.map((half) => sentWindow(half, sending, path)) ?? [];
  return {
    cap: { items: cap, path: `${path}.cap`, shown: `${shownMoment(span.from)} to ${shownMoment(span.to)}`, halves },
  };
};

/** Returns the shortest window. The end of a halved window must be expressible in the format. */
function smallestOf({ smallest, cap }: Window, path: string, grain: number): Checked<number> {
  if (smallest === undefined) return E.right(grain);
  if (cap === undefined) return fault(`${path}.smallest`, 'has no meaning without "cap", the number of items');
  const seconds = secondsIn(smallest);
  if (seconds !== undefined && seconds % grain === 0) return E.right(seconds);
  return fault(
    `${path}.smallest`,
    seconds === undefined
      ? 'expected seconds, minutes, hours, days or weeks: months are not of equal length'
      : `is shorter than the format can say, or no multiple of it: the format has steps of ${grain} seconds`,
  );
}

/**
 * Returns the end of a span. A written time of day that the format does not send is refused: the rest of that day would
 * be missing.
 */
function endOf(value: Json, path: string, times: RunTimes, grain: number): number {
  const seconds = secondsOf(value, path, times, grain);
  if (typeof value !== 'string' || !WITH_TIME.test(value) || secondsOf(value, path, times, 1) === seconds)
    return seconds;
  throw expressionFailed({
    path,
    message: `${JSON.stringify(value)} has a time that the format does not send, so that the last window would end at ${shownMoment(seconds)}. Write the moment at which it ends, such as ${JSON.stringify(grain < DAY ? shownMoment(seconds + grain) : shownMoment(seconds + grain).slice(0, 10))}, or a format with times`,
  });
}

const DAY = 86_400;
const WITH_TIME = /^\s*\d{4}-\d\d-\d\d.*\d:\d\d/;

const shownMoment = (seconds: number): string => String(momentText('ISO 8601', seconds));

/** The seconds of the year 5138: a larger number counts milliseconds. */
const MOST_SECONDS = 1e11;

function secondsOf(value: Json, path: string, { currentStart }: RunTimes, grain: number): number {
  const seconds =
    typeof value === 'string'
      ? parseTime(value, currentStart)
      : typeof value === 'number'
        ? Math.floor(value)
        : undefined;
  if (seconds !== undefined && Math.abs(seconds) <= MOST_SECONDS) return Math.floor(seconds / grain) * grain;
  const shown = isScalar(value) ? JSON.stringify(value) : typeName(value);
  throw expressionFailed({
    path,
    message: `expected a date, words such as "-7 days", or Unix seconds (in a string with "@" before them), found ${shown}`,
  });
}
