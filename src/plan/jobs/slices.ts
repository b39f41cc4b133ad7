import * as Ap from 'fp-ts/Apply';
import * as E from 'fp-ts/Either';
import { pipe } from 'fp-ts/function';
import type { Job } from '../../config/configuration';
import type { Window } from '../../config/jobs/slices';
import { expressionFailed } from '../../errors';
import type { Fault } from '../../errors';
import { grainOf, momentFormatFault, momentText } from '../../expressions/dates/moment-format';
import { parseTime } from '../../expressions/dates/relative-time';
import { isOfDays, windowsOf, type Span } from '../../expressions/dates/windows';
import { compileExpression } from '../../expressions/expression';
import type { Compiled, Scope } from '../../expressions/expression';
import { entriesOf, isList, keysOf } from '../../json/keys';
import { isScalar, textOf, typeName } from '../../json/text';
import type { Json, JsonScalar } from '../../model';
import type { JobPlan, RunTimes } from '../plan';
import type { Slice } from '../slices';
import { contextsOfCalls, timesContext } from './times';
import { allOf, validation } from '../../codec/checked';
import type { Checked } from '../../codec/checked';

/** What expressions of a job, and of those below it, may refer to: names that it is divided by are known. */
export function scopeOfJob({ slices }: Job, scope: Scope): Scope {
  if (slices === undefined) return scope;
  const { partition = new Map(), window } = scope.known;
  const names = new Map<string, JsonScalar>([
    ...partition,
    ...keysOf(slices.partitions).map((name) => [name, name] as const),
  ]);
  return {
    ...scope,
    known: {
      ...scope.known,
      ...(names.size === 0 ? {} : { partition: names }),
      ...(slices.window === undefined ? (window === undefined ? {} : { window }) : { window: WINDOW_NAMES }),
    },
  };
}

const WINDOW_NAMES: ReadonlyMap<string, JsonScalar> = new Map([
  ['from', 'from'],
  ['to', 'to'],
]);

/**
 * Compiles what divides a job into several calls (docs/language/jobs.md#windows-and-partitions). They are the same in a run
 * that goes on: the times of the run are those of its first start.
 */
export function slicesOf(job: Job, { functions, known: { attr } }: Scope): Checked<JobPlan['slices']> {
  const { slices } = job;
  if (slices === undefined) return E.right(undefined);
  const scope: Scope = { functions, known: attr === undefined ? {} : { attr } };
  return pipe(
    Ap.sequenceS(validation)({
      names: checkNames(job),
      partitions: allOf(
        entriesOf(slices.partitions).map(([name, raw]) =>
          partition(name, raw, `${job.path}.partitions.${name}`, scope),
        ),
      ),
      windows: slices.window === undefined ? E.right(undefined) : windows(slices.window, `${job.path}.window`, scope),
    }),
    E.map(({ partitions, windows: spans }) => (times: RunTimes) => {
      const chosen = partitions.map((each) => each(times));
      const inPartitions = chosen.reduce<readonly Slice[]>(
        (sofar, { name, values }) => sofar.flatMap((slice) => values.map((value) => withPartition(slice, name, value))),
        [{ contexts: {}, texts: new Map() }],
      );
      const within = spans?.(times);
      return {
        slices: inPartitions.flatMap((slice) => within?.map((window) => withWindow(slice, window)) ?? [slice]),
        secrets: chosen.flatMap(({ secrets }) => secrets),
      };
    }),
  );
}

const withPartition = ({ contexts, texts }: Slice, name: string, value: JsonScalar): Slice => ({
  contexts: { ...contexts, partition: new Map([...(contexts.partition ?? []), [name, value]]) },
  texts: new Map([...texts, [name, textOf(value)]]),
});

const withWindow = ({ contexts, texts }: Slice, { from, to }: SentWindow): Slice => ({
  contexts: {
    ...contexts,
    window: new Map<string, JsonScalar>([
      ['from', from],
      ['to', to],
    ]),
  },
  texts: new Map([...texts, ['window.from', textOf(from)], ['window.to', textOf(to)]]),
});

/** A name stands for one thing only, and each parent and window would have a cursor of its own. */
function checkNames({ path, slices, placeholders, incremental }: Job): Checked<void> {
  const names = keysOf(slices?.partitions ?? {});
  const faults = names.flatMap((name): Fault[] => {
    const at = `${path}.partitions.${name}`;
    if (/[{}]/.test(name) || name.startsWith('window.'))
      return [{ path: at, message: 'expected another name: it stands in braces in the endpoint' }];
    if (keysOf(placeholders).includes(name))
      return [{ path: at, message: 'expected another name: a placeholder of the job has this one' }];
    return [];
  });
  if (slices?.window !== undefined && incremental !== undefined)
    faults.push({
      path: `${path}.incremental`,
      message:
        'does not go together with "window", which asks for spans of time: let the window begin at {"time": "previousStart"}, or leave it out',
    });
  return faults.length > 0 ? E.left(faults) : E.right(undefined);
}

interface PartitionValues {
  readonly name: string;
  readonly values: readonly JsonScalar[];
  readonly secrets: readonly string[];
}

const compiled = (raw: Json, path: string, scope: Scope): Checked<(times: RunTimes) => Json> =>
  pipe(
    compile(raw, path, scope),
    E.map(
      ({ evaluate }) =>
        (times) =>
          evaluate(timesContext(scope.known, times), times.currentStart),
    ),
  );

const compile = (raw: Json, path: string, scope: Scope): Checked<Compiled> =>
  compileExpression(raw, { path, contexts: contextsOfCalls({}), ...scope });

const partition = (
  name: string,
  raw: Json,
  path: string,
  scope: Scope,
): Checked<(times: RunTimes) => PartitionValues> =>
  pipe(
    compile(raw, path, scope),
    E.map(({ evaluate, usesSecrets }) => (times) => {
      const found = evaluate(timesContext(scope.known, times), times.currentStart);
      if (!isList(found))
        throw expressionFailed({ path, message: `expected an array of values, found ${typeName(found)}` });
      const values = found.map((value, at) => {
        if (isScalar(value) && value !== null && value !== '') return value;
        const what = isScalar(value) ? JSON.stringify(value) : typeName(value);
        throw expressionFailed({ path: `${path}[${at}]`, message: `expected a string or a number, found ${what}` });
      });
      const again = values.find((value, at) => values.map(textOf).indexOf(textOf(value)) < at);
      if (again !== undefined)
        throw expressionFailed({
          path,
          message: `${JSON.stringify(textOf(again))} stands there twice: its items would come twice`,
        });
      return { name, values, secrets: usesSecrets ? values.map(textOf) : [] };
    }),
  );

/** A window as it is sent. */
interface SentWindow {
  readonly from: string | number;
  readonly to: string | number;
}

/** More windows are a slip, such as a beginning in 1970: they would be requested for days. */
const MOST_WINDOWS = 100_000;

function windows(window: Window, path: string, scope: Scope): Checked<(times: RunTimes) => readonly SentWindow[]> {
  const { step, toIsInclusive, format = isOfDays(step) ? 'date' : 'ISO 8601' } = window;
  const wrong = momentFormatFault(format);
  const grain = grainOf(format);
  return pipe(
    Ap.sequenceS(validation)({
      from: compiled(window.from, `${path}.from`, scope),
      to:
        window.to === undefined
          ? E.right(({ currentStart }: RunTimes): Json => currentStart)
          : compiled(window.to, `${path}.to`, scope),
      format: wrong === undefined ? E.right(undefined) : E.left([{ path: `${path}.format`, message: wrong }]),
    }),
    E.map(({ from, to }) => (times) => {
      const span = {
        from: secondsOf(from(times), `${path}.from`, times, grain),
        to: secondsOf(to(times), `${path}.to`, times, grain),
      };
      if (span.from > span.to)
        throw expressionFailed({
          path,
          message: `"from" is ${shownMoment(span.from)}, which is after "to", ${shownMoment(span.to)}`,
        });
      const sent: SentWindow[] = [];
      for (const each of windowsOf(span, step)) {
        if (sent.length === MOST_WINDOWS)
          throw expressionFailed({
            path,
            message: `there are more than ${MOST_WINDOWS} windows from ${shownMoment(span.from)} on: let it begin later, or raise "step"`,
          });
        sent.push(sentWindow(each, { format, toIsInclusive, grain }, path));
      }
      return sent;
    }),
  );
}

interface Sending {
  readonly format: string;
  readonly toIsInclusive: boolean;
  readonly grain: number;
}

function sentWindow({ from, to }: Span, { format, toIsInclusive, grain }: Sending, path: string): SentWindow {
  const first = momentText(format, from);
  const vague = [from, to].find((end) => momentText(format, end - grain) === momentText(format, end));
  if (vague === undefined && first !== momentText(format, to))
    return { from: first, to: momentText(format, toIsInclusive ? to - grain : to) };
  const message = `the format does not say where a window ends: ${shownMoment(vague ?? to)} becomes ${JSON.stringify(momentText(format, vague ?? to))}`;
  throw expressionFailed({ path: `${path}.format`, message });
}

const shownMoment = (seconds: number): string => String(momentText('ISO 8601', seconds));

/** The seconds of the year 5138: what is more counts milliseconds. */
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
