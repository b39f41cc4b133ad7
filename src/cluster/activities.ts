/** What workers do for a run: each function is an activity of Temporal, which calls it again until it succeeds or fails for good. */
import type * as Activity from '@temporalio/activity';
import { Subject, bufferTime, concatMap, lastValueFrom } from 'rxjs';
import { stringifyJson } from '../core/json/stringify';
import { parseJson } from '../core/json/parse';
import { FatalError, HeadwaterError } from '../core/errors/errors';
import type { ErrorCode } from '../core/errors/errors';
import { isObject } from '../core/json/objects';
import type { DurableSink, SharedJournal, Standing } from '../core/durable-sink';
import type { RunEvent } from '../core/events';
import type { JsonObject } from '../core/model';
import { optionalPackage } from '../core/optional-package';
import type { ParentPage, RunPart } from '../core/run-parts';
import type { Seal } from '../core/sealed';
import type { Part } from '../language/parts/parts';
import type { Destination } from '../language/parts/sink';
import { deliver, deliverWithHooks } from '../run/deliver/deliver';
import type { Delivery, DeliverOptions } from '../run/deliver/deliver';
import { destinationOf } from '../run/deliver/destinations';
import { deliverPart, notShared, partsOf } from '../run/deliver/parts';
import type { PartEnd } from '../run/deliver/parts';
import { tooManyWarnings } from '../run/run-end';
import type { SharedSession } from '../run/sessions/shared-session';
import { prepare } from '../run/validate';
import { runOver } from '../sinks/journal/records';
import type { Begun, PartTuning, RunInput, RunResult, Sealed } from './protocol';

/** What a worker has for its activities. */
export interface WorkerParts {
  /** Opens what clients have sealed. */
  readonly seal: Seal;
  /** Parts of the application. */
  readonly components: readonly Part[];
  /** Returns the session that all workers share at an API, by its base URL. */
  readonly sessionAt: (place: string) => SharedSession;
  /** Is called with what happens in the parts and commits that this worker makes. */
  readonly onEvent?: ((event: RunEvent) => void) | undefined;
  /** Reports to the workflow of a run the pages for whose items children can be called, while the part that reads them goes on. */
  readonly reportFound: (workflowId: string, pages: readonly ParentPage[]) => Promise<void>;
  /** Returns the id by which the cluster knows the run of an id, if that is under way. */
  readonly underWay: (runId: string) => Promise<string | undefined>;
}

type Run = RunInput & { readonly runId: string };

/** The activities of a run. */
export interface Activities {
  /**
   * Begins a run in its destination, or finds the begun or the committed run of this id. It fails for good where another run goes on there,
   * whose pages it would drop.
   */
  readonly begin: (run: Run) => Promise<Begun>;
  readonly make: (
    run: Run,
    begun: Pick<Extract<Begun, { readonly isOver: false }>, 'manifest' | 'state'>,
    part: RunPart,
    tuned?: readonly PartTuning[],
  ) => Promise<PartEnd>;
  /**
   * Judges the run by all of its parts and commits it, once. It fails for good where the destination has another run by now.
   *
   * @param ofParts the warnings of its parts
   */
  readonly commit: (run: Run, ofParts?: readonly string[]) => Promise<RunResult>;
  /** Drops what a run has in the journal of its destination. */
  readonly drop: (run: Run) => Promise<void>;
}

/** The purposes of sealed texts. */
const OF_RUN = 'headwater run';
const OF_STATE = 'headwater state';

/** Seals what a run needs, for {@link RunInput.sealed}. */
export const sealRun = (seal: Seal, content: Sealed): string =>
  seal.close(Buffer.from(stringifyJson({ ...content, options: { ...content.options } })), OF_RUN).toString('base64');

/** The errors of a destination or a server that is away or in use: another attempt may succeed. */
const PASSING: ReadonlySet<ErrorCode> = new Set([
  ...(['SINK_FAILED', 'DESTINATION_ADDRESS', 'DESTINATION_LOCKED', 'CLUSTER_UNREACHABLE'] as const),
  // Nobody waits for an attempt that is not the last one. The last one is refused, too, where the clock of its worker is behind.
  'PART_TAKEN',
]);
const ATTEMPTS = 20;
/** The server answers a heartbeat with a cancellation, for which the run waits. */
export const HEARTBEAT_MILLISECONDS = 5000;
/** Each message is kept in the history of the run, and has a maximum size. */
const REPORT_EVERY_MS = 500;
const MOST_REPORTED = 1000;

/** Makes the activities of a worker. */
export function activitiesOf(worker: WorkerParts): Activities {
  const { seal, components, sessionAt, reportFound, underWay, onEvent } = worker;
  const { ApplicationFailure, Context } = optionalPackage('headwater worker', '@temporalio/activity');

  const opened = (sealed: string, use: string): JsonObject => {
    const text = seal.open(Buffer.from(sealed, 'base64'), use);
    const content = text === undefined ? undefined : parseJson(text.toString('utf8'));
    if (isObject(content)) return content;
    throw new FatalError('CONFIG_INVALID', ANOTHER_KEY);
  };
  const contentOf = ({ sealed }: Run): Sealed => opened(sealed, OF_RUN) as unknown as Sealed;
  const destinationIn = ({ to }: Sealed): Destination => destinationOf(to, { components });
  const optionsOf = ({ options, env }: Sealed, { runId }: Run, context: Activity.Context): DeliverOptions => ({
    ...options,
    ...{ components, runId, env, secretFiles: true, ownConnections: true },
    signal: context.cancellationSignal,
  });
  /** Does the work while it reports that the worker lives; errors are those that Temporal knows. */
  const reporting = async <T>(run: Run, work: (context: Activity.Context) => Promise<T>): Promise<T> => {
    const context = Context.current();
    let details: unknown;
    const every = Math.min(HEARTBEAT_MILLISECONDS, (run.heartbeatSeconds * 1000) / 3);
    const timer = setInterval(() => context.heartbeat(details), every);
    const own = Object.create(context, {
      heartbeat: { value: (given: unknown) => (details = given) },
    }) as typeof context;
    try {
      return await work(own);
    } catch (error) {
      if (context.cancellationSignal.aborted) throw context.cancellationSignal.reason;
      throw failureOf(error, context.info.attempt);
    } finally {
      clearInterval(timer);
    }
  };
  const failureOf = (error: unknown, attempt: number): unknown => {
    const nonRetryable = attempt >= ATTEMPTS;
    if (!(error instanceof HeadwaterError)) return ApplicationFailure.fromError(error, { nonRetryable });
    const { code, message } = error;
    const details = [error.toJSON()];
    return ApplicationFailure.create({
      message,
      type: code,
      nonRetryable: nonRetryable || !PASSING.has(code),
      details,
    });
  };

  return {
    begin: (run) =>
      reporting(run, async (context) => {
        const content = contentOf(run);
        const { components: own = [], ...options } = optionsOf(content, run, context);
        let shared: SharedJournal | undefined;
        const destination: Destination = (outputs, warn) => {
          const whole = destinationIn(content)(outputs, warn);
          if (whole.shared === undefined) throw notShared(whole);
          shared = whole.shared;
          const { sink = whole } = shared;
          return opening(sink, async ({ unfinished }) => {
            const id = unfinished?.manifest.id ?? run.runId;
            const other = id === run.runId ? undefined : await underWay(id);
            if (other !== undefined) throw isUnderWay(other, sink);
          });
        };
        let begun: Extract<Begun, { readonly isOver: false }> | undefined;
        const delivery = await deliverWithHooks(
          content.config,
          [destination],
          { ...options, components: own },
          {
            begun: ({ manifest, state, iterations }) => {
              const { startedAt: currentStart, previousStart } = manifest;
              const parts = partsOf(iterations, { currentStart, previousStart });
              const sealed = seal.close(Buffer.from(stringifyJson(state)), OF_STATE).toString('base64');
              begun = { isOver: false, manifest, state: sealed, parts };
              return NOTHING_YET;
            },
          },
        );
        if (begun === undefined) return { isOver: true, result: resultOf(delivery, []) };
        try {
          await shared?.begin?.(begun.manifest);
        } finally {
          await shared?.close();
        }
        return begun;
      }),
    make: (run, { manifest, state }, part, tuned = []) =>
      reporting(run, async (context) => {
        const content = contentOf(run);
        const found$ = new Subject<ParentPage>();
        const { workflowId = run.runId } = context.info.workflowExecution ?? {};
        let left: ParentPage[] = [];
        const report = async (pages: readonly ParentPage[]): Promise<void> => {
          left.push(...pages);
          if (left.length === 0) return;
          // What a message does not bring goes with the next one, or with the end of the part.
          const isReported = await reportFound(workflowId, left).then(
            () => true,
            () => false,
          );
          if (isReported) left = [];
        };
        const reported = lastValueFrom(
          found$.pipe(bufferTime(REPORT_EVERY_MS, null, MOST_REPORTED), concatMap(report)),
          {
            defaultValue: undefined,
          },
        );
        const end = await deliverPart(content.config, destinationIn(content), part, {
          ...{ manifest, state: opened(state, OF_STATE), components, ownConnections: true },
          ...{ env: content.env, secretFiles: true, sessionAt, tuned },
          ...(content.options.lenient === true ? { lenient: true } : {}),
          ...(onEvent === undefined ? {} : { onEvent }),
          // Later attempts are scheduled later, also those of a run that was submitted again.
          attempt: context.info.currentAttemptScheduledTimestampMs,
          signal: context.cancellationSignal,
          written: (pages, items) => context.heartbeat({ pages, items }),
          found: (page) => found$.next(page),
        }).finally(() => found$.complete());
        await reported;
        return { ...end, parents: [...left, ...end.parents] };
      }),
    commit: (run, ofParts = []) =>
      reporting(run, async (context) => {
        const content = contentOf(run);
        if (content.options.strict === true && ofParts.length > 0) throw tooManyWarnings(ofParts, ofParts.length);
        const warnings: string[] = [];
        const destination: Destination = (outputs, warn) => {
          const whole = destinationIn(content)(outputs, warn);
          const sink = whole.shared?.sink ?? whole;
          return opening(sink, async ({ unfinished, damage }) => {
            const isThere = damage === undefined && unfinished?.manifest.id === run.runId;
            if (isThere || (await sink.committed?.(run.runId)) !== undefined) return;
            // `deliver` would make it here from its first request.
            throw damage ?? runOver(sink.name, run.runId);
          });
        };
        const delivery = await deliver(content.config, [destination], {
          ...optionsOf(content, run, context),
          onEvent: (event) => {
            onEvent?.(event);
            if (event.type === 'warning' && event.isExpected !== true) warnings.push(event.message);
          },
        });
        return resultOf(delivery, warnings);
      }),
    drop: (run) =>
      reporting(run, async () => {
        const content = contentOf(run);
        const outputs = prepare(content.config, { components, env: content.env }).planned.iterations.map(
          ({ output }) => output,
        );
        const { shared } = destinationIn(content)(outputs, undefined);
        try {
          await shared?.drop(run.runId);
        } finally {
          await shared?.close();
        }
      }),
  };
}

/** Returns the sink, for a run that ends where a check of what it finds there fails. */
const opening = (sink: DurableSink, check: (found: Standing) => Promise<void>): DurableSink => ({
  ...sink,
  open: async () => {
    const found = await sink.open();
    await check(found);
    return found;
  },
});

const isUnderWay = (other: string, { name }: DurableSink): FatalError =>
  new FatalError(
    'RUN_ACTIVE',
    `The run ${JSON.stringify(other)} goes on into ${name}, and its pages would be lost. Wait for its end, or end it with ` +
      `"headwater cancel ${JSON.stringify(other)}"; then submit this one again.`,
    { destination: name },
  );

const ANOTHER_KEY =
  'The run was sealed with another key than this worker has: set HEADWATER_KEY to the same value for those who submit runs and for all workers.';

const NOTHING_YET: Delivery = {
  ...{ runId: '', alreadyCommitted: false, stored: [], resumedPages: 0, state: {}, outcome: 'complete', jobs: [] },
};

const resultOf = ({ runId, alreadyCommitted, outcome, stored }: Delivery, warnings: readonly string[]): RunResult => ({
  ...{ runId, alreadyCommitted, outcome, stored, warnings },
});
