import {
  EMPTY,
  catchError,
  concat,
  concatMap,
  defer,
  from,
  ignoreElements,
  of,
  take,
  takeWhile,
  tap,
  throwError,
} from 'rxjs';
import type { BehaviorSubject, Observable } from 'rxjs';
import { FatalError } from '../core/errors/errors';
import type { Report, RunEvent } from '../core/events';
import type { Checkpoint, Cursors, Json, Progress } from '../core/model';
import type { Secrets } from '../core/secrets/secrets';
import { mergeInOrderFrom } from '../operators';
import type { WindowGate } from '../operators';
import type { Cap, JobPlan, RunTimes, Slice } from '../plan/plan';
import type { Call } from './call';
import { reachedIn } from './incremental';

/** What the calls of the slices of one job share. */
export interface SlicesContext {
  readonly call: Call;
  readonly times: RunTimes;
  readonly secrets: Secrets;
  readonly report: Report;
  /** How many calls run at once. */
  readonly concurrency: BehaviorSubject<number>;
  readonly ordered: boolean;
  readonly gate: WindowGate;
  /** Returns whether the gate counts a value. */
  readonly counts: (value: RunEvent) => boolean;
  /** Runs one call with its own gate. */
  readonly run: (call: Call, how: { readonly gate: WindowGate; readonly report: Report }) => Observable<RunEvent>;
  /** The last checkpoints of calls that an earlier run has begun. */
  readonly progress: Progress;
  /** The cursors of incremental jobs, as the last run left them. */
  readonly cursors: Cursors;
}

/**
 * Calls a job once for each of its slices (docs/language/jobs.md#windows-and-partitions), one after another or several at once. Their keys
 * are below the key of the job, like those of its children under a first page.
 */
export const runSlices = (
  plan: JobPlan,
  slicesOf: NonNullable<JobPlan['slices']>,
  { call, times, cursors, secrets, report, run, progress, ...options }: SlicesContext,
): Observable<RunEvent> =>
  defer(() => {
    const { id, path, endpoint, dataType, incremental } = plan;
    const reachedBy = ({ texts }: Slice): Json | undefined =>
      reachedIn(
        plan,
        cursors,
        Object.fromEntries([...Array.from(call.bindings, ([name, { text }]) => [name, text] as const), ...texts]),
      );
    const { slices, secrets: hidden } = slicesOf(times, reachedBy);
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

/** Returns the keys of the calls below which an earlier run has begun others. */
function callsAbove(progress: Progress): ReadonlySet<string> {
  const keys = [...progress.keys()].map((key) => key.split('.'));
  return new Set(
    keys.flatMap((key) => key.slice(2).flatMap((_, at) => (at % 2 === 0 ? [key.slice(0, 2 + at).join('.')] : []))),
  );
}

/** Returns the call of a slice, which also has the placeholders and contexts of the slices above it. */
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

/** How a slice is requested for which the API has a maximum number of items. */
export interface CappedCall {
  /** Runs its call without a limit, and reports to the given function. */
  readonly run: (report: Report) => Observable<RunEvent>;
  readonly report: Report;
  /** The gate that each of its pages waits for when they are delivered. */
  readonly gate: WindowGate;
  /** Runs the calls of its halves. */
  readonly halves: () => Observable<RunEvent>;
}

/**
 * Returns a call whose pages are held until all have come. If they have as many items as the maximum of the API, they and their warnings
 * are dropped and the two halves are requested instead (docs/language/jobs.md#capped-windows). At most the items of the cap and one page
 * more are held.
 *
 * @param known the checkpoint of the call from an earlier run, which has delivered pages of it
 * @throws FatalError PAGE_LIMIT through the stream when it cannot be halved
 */
const unlessCapped = (
  { items: most, path, shown, halves: parts }: Cap,
  known: Checkpoint | undefined,
  { run, report, gate, halves }: CappedCall,
): Observable<RunEvent> =>
  defer(() => {
    let items = known?.items ?? 0;
    const held: RunEvent[] = [];
    const hold: Report = (event) => (event.type === 'warning' ? void held.push(event) : report(event));
    const probe$ = run(hold).pipe(
      tap((event) => {
        held.push(event);
        // The number of items that the API sent; it starts again where the call restarted.
        if (event.type === 'page.extracted') items = event.page.checkpoint.items;
      }),
      takeWhile(() => items < most),
      ignoreElements(),
      catchError((error: unknown) => {
        held.filter(({ type }) => type === 'warning').forEach(report);
        return throwError(() => error);
      }),
    );
    const verdict$ = defer(() => {
      if (items < most) return released(held, gate);
      const found = `${path}: the window from ${shown} has ${most} items or more, which is all that the API gives`;
      if (known !== undefined)
        return refused(
          `${found}, and some of its pages were delivered before the run was broken off. Begin a new run.`,
        );
      if (parts().length === 0)
        return refused(
          `${found}, and it cannot be shorter. Divide the job by "partitions" as well, or lower "smallest".`,
        );
      return halves();
    });
    return concat(probe$, verdict$);
  });

const refused = (message: string): Observable<never> => throwError(() => new FatalError('PAGE_LIMIT', message));

/** Emits the pages; each waits for the consumer, as it would have before its request. */
const released = (events: readonly RunEvent[], gate: WindowGate): Observable<RunEvent> =>
  from(events).pipe(
    concatMap((event) =>
      event.type === 'page.extracted' ? concat(gate().pipe(take(1), ignoreElements()), of(event)) : of(event),
    ),
  );
