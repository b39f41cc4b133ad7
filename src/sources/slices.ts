import type { BehaviorSubject, Observable } from 'rxjs';
import { defer, EMPTY } from 'rxjs';
import type { Report } from '../events';
import { mergeInOrder } from '../operators';
import type { WindowGate } from '../operators';
import type { JobPlan, RunTimes } from '../plan/plan';
import type { Slice } from '../plan/slices';
import type { Secrets } from '../secrets';
import type { Call } from './call';

/** What the calls of the slices of one job have in common. */
export interface SlicesContext<T> {
  readonly call: Call;
  readonly times: RunTimes;
  readonly secrets: Secrets;
  readonly report: Report;
  /** How many calls run at once. */
  readonly concurrency: BehaviorSubject<number>;
  readonly ordered: boolean;
  readonly gate: WindowGate;
  /** Whether a value is one that the gate counts. */
  readonly counts: (value: T) => boolean;
  /** Runs one call, held back by its own gate. */
  readonly run: (call: Call, gate: WindowGate) => Observable<T>;
}

/**
 * Calls a job once for each of its slices (docs/language/jobs.md#windows-and-partitions), one after another, or several at
 * once. Their keys stand below that of the job, as those of its children would under a first page.
 */
export const runSlices = <T>(
  { id, path, endpoint, dataType }: JobPlan,
  slicesOf: NonNullable<JobPlan['slices']>,
  { call, times, secrets, report, run, ...options }: SlicesContext<T>,
): Observable<T> =>
  defer(() => {
    const { slices, secrets: hidden } = slicesOf(times);
    secrets.add(...hidden);
    if (slices.length === 0) {
      const message = `${path}: there is nothing to request: no window, or no value of a partition.`;
      report({ type: 'warning', code: 'NO_DATA', job: { id, path, endpoint, dataType }, message });
      return EMPTY;
    }
    return mergeInOrder(slices, (slice, index, gate) => run(callOf(call, slice, index), gate), options);
  });

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
