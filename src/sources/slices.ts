import type { BehaviorSubject, Observable } from 'rxjs';
import { concat, defer, EMPTY, from } from 'rxjs';
import type { Report, RunEvent } from '../core/events';
import type { Progress } from '../core/model';
import { mergeInOrderFrom } from '../operators';
import type { WindowGate } from '../operators';
import type { JobPlan, RunTimes } from '../plan/plan';
import type { Slice } from '../plan/slices';
import type { Secrets } from '../core/secrets/secrets';
import type { Call } from './call';
import { unlessCapped } from './capped';

/** What the calls of the slices of one job have in common. */
export interface SlicesContext {
  readonly call: Call;
  readonly times: RunTimes;
  readonly secrets: Secrets;
  readonly report: Report;
  /** How many calls run at once. */
  readonly concurrency: BehaviorSubject<number>;
  readonly ordered: boolean;
  readonly gate: WindowGate;
  /** Whether a value is one that the gate counts. */
  readonly counts: (value: RunEvent) => boolean;
  /** Runs one call, held back by its own gate. */
  readonly run: (call: Call, how: { readonly gate: WindowGate; readonly report: Report }) => Observable<RunEvent>;
  /** The last checkpoints of calls that an earlier run has begun. */
  readonly progress: Progress;
}

/**
 * Calls a job once for each of its slices (docs/language/jobs.md#windows-and-partitions), one after another, or several at
 * once. Their keys stand below that of the job, as those of its children would under a first page.
 */
export const runSlices = (
  { id, path, endpoint, dataType, incremental }: JobPlan,
  slicesOf: NonNullable<JobPlan['slices']>,
  { call, times, secrets, report, run, progress, ...options }: SlicesContext,
): Observable<RunEvent> =>
  defer(() => {
    const { slices, secrets: hidden } = slicesOf(times);
    secrets.add(...hidden);
    if (slices.length === 0) {
      const message = `${path}: there is nothing to request: no window, or no value of a partition.`;
      const expected = incremental === undefined ? {} : { isExpected: true as const };
      report({ type: 'warning', code: 'NO_DATA', job: { id, path, endpoint, dataType }, message, ...expected });
      return EMPTY;
    }
    const begun = callsAbove(progress);
    const runSlice = (slice: Slice, own: Call, gate: WindowGate): Observable<RunEvent> => {
      const { cap } = slice;
      if (cap === undefined) return run(own, { gate, report });
      const halves = (): Observable<RunEvent> =>
        concat(...cap.halves().map((half, at) => defer(() => runSlice(half, callOf(own, half, at), gate))));
      if (begun.has(own.key.join('.'))) return halves();
      const held = (instead: Report): Observable<RunEvent> => run(own, { gate: open, report: instead });
      return unlessCapped(cap, progress.get(own.key.join('.')), { run: held, report, gate, halves });
    };
    return mergeInOrderFrom(slices, (slice, index, gate) => runSlice(slice, callOf(call, slice, index), gate), options);
  });

const open: WindowGate = () => from([0]);

/** The keys of the calls below which an earlier run has begun others. */
function callsAbove(progress: Progress): ReadonlySet<string> {
  const keys = [...progress.keys()].map((key) => key.split('.'));
  return new Set(
    keys.flatMap((key) => key.slice(2).flatMap((_, at) => (at % 2 === 0 ? [key.slice(0, 2 + at).join('.')] : []))),
  );
}

/** The call of a slice: it has the placeholders and contexts of those above it as well. */
const callOf = (above: Call, { contexts, texts }: Slice, index: number): Call => ({
  ...above,
  key: [...above.key, 0, index],
  bindings: new Map([...above.bindings, ...[...texts].map(([name, text]) => [name, { text }] as const)]),
  slice: {
    ...above.slice,
    ...contexts,
    ...(contexts.partition === undefined
      ? {}
      : { partition: new Map([...(above.slice?.partition ?? []), ...contexts.partition]) }),
  },
});
